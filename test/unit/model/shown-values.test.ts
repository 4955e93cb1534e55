/** What records show of a value can be sent back: it is accepted, and is shown as the same again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameterField, shownValue } from '../../../src/model/field.js';
import type { Field } from '../../../src/model/model.js';
import { parameterDef } from '../../../src/model/parameter-type/parameter-def.js';
import type { ParameterTypeId } from '../../../src/model/parameter-type/parameter-types.js';
import { parameterType } from '../../../src/model/parameter-type/type-by-id.js';
import { uuidType } from '../../../src/model/parameter-type/unit.type.js';
import { scalarText, type Json } from '../../../src/shared/json.js';

const digits = fc.stringMatching(/^\d{1,30}$/);
const text = fc.string({ unit: 'grapheme' });
const pad = (value: number, length = 2) => String(value).padStart(length, '0');
const date = fc
  .tuple(fc.integer({ min: 2, max: 9998 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) => `${pad(year, 4)}-${pad(month)}-${pad(day)}`);
const time = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.stringMatching(/^(\.\d{1,6})?$/))
  .map(([hour, minute, second, rest]) => `${pad(hour)}:${pad(minute)}:${pad(second)}${rest}`);
const zone = fc.stringMatching(/^(Z|z|[+-]0\d(:?[0-5]\d)?)$/);

/** What a client may send of each type. */
const GIVEN: Readonly<Record<ParameterTypeId, fc.Arbitrary<unknown>>> = {
  string: text,
  text,
  integer: fc.maxSafeInteger(),
  float: fc.double({ noNaN: true, noDefaultInfinity: true }),
  decimal: fc.oneof(
    fc.tuple(fc.constantFrom('', '-'), digits, digits).map(([sign, whole, rest]) => `${sign}${whole}.${rest}`),
    fc.integer(),
  ),
  boolean: fc.boolean(),
  date,
  time,
  datetime: fc.tuple(date, time, zone).map(([day, at, offset]) => `${day}T${at}${offset}`),
  binary: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
  json: fc.jsonValue().filter((value) => value !== null),
  unit: fc.uuid(),
};

/** Takes a value as a body is read: as one of the field's type, and as the key of another kind. */
function accepted(field: Field, given: unknown): Exclude<Json, null> {
  const stored = field.type.accept(given, field.def, (code, told) => expect.fail(`${code} ${told}`));
  const key = field.reference ? field.reference.key.read(scalarText(stored)) : stored;
  if (key === undefined) throw new Error(`not accepted: ${JSON.stringify(given)}`);
  return key;
}

function expectRoundTrip(field: Field, given: unknown): void {
  const shown = shownValue(field, accepted(field, given));
  expect(shownValue(field, accepted(field, shown))).toEqual(shown);
  expect(shownValue(field, shown)).toEqual(shown);
  expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
}

describe('shown values are accepted as the same values', () => {
  it.each(Object.entries(GIVEN))('%s', (type, given) => {
    const def = parameterDef({ id: 'given', type: type as ParameterTypeId, referenceKind: 'other' });
    const field = parameterField(def, type === 'unit' ? uuidType : undefined);
    fc.assert(fc.property(given, (value) => expectRoundTrip(field, value)));
  });

  it.each(['string', 'text', 'integer', 'decimal', 'date'] as const)('a reference by a key of type %s', (type) => {
    const key = parameterType(type);
    expect(key.keyable).toBe(true);
    const field = parameterField(parameterDef({ id: 'given', type: 'unit', referenceKind: 'other' }), key);
    const ids = GIVEN[type].map((value) => scalarText(key.read(scalarText(value as Json))));
    fc.assert(fc.property(ids, (id) => expectRoundTrip(field, id)));
  });
});
