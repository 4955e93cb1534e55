/** JSON schemas of values: a validator accepts and refuses the same values as the service. */
import { describe, expect, it } from 'vitest';
import { exampleBody } from '../../../src/doc/openapi/examples.js';
import { defaultOf, valueDescription, isPortable, inputValue } from '../../../src/doc/openapi/schema/value.schema.js';
import { parameterField } from '../../../src/model/field.js';
import type { Field } from '../../../src/model/model.js';
import { parameterDef, type ParameterDef } from '../../../src/model/parameter-type/parameter-def.js';
import type { ParameterTypeId } from '../../../src/model/parameter-type/parameter-types.js';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import { uuidType } from '../../../src/model/parameter-type/unit.type.js';
import { schemaValidator } from '../../support/schema-validator.js';

const ajv = schemaValidator();

const field = (type: ParameterTypeId, rules: Partial<ParameterDef> = {}): Field =>
  parameterField(parameterDef({ id: 'value', type, label: 'Value', ...rules }), uuidType);
const takes = (of: Field, value: unknown) => ajv.validate(inputValue(of), value);
const hidden = () => false;
const exampleOf = (of: Field) => exampleBody([of], () => false)?.['value'];

const ROWS: readonly [
  ParameterTypeId,
  Partial<ParameterDef>,
  taken: readonly unknown[],
  refused: readonly unknown[],
][] = [
  ['string', { minLength: 2, maxLength: 3 }, ['ab', '😀😀😀'], ['a', '😀😀😀😀', 5, null]],
  ['string', { values: ['a', 'b'] }, ['a'], ['c', '']],
  ['string', { pattern: '^[A-Z]+$' }, ['AB'], ['ab']],
  ['text', { maxLength: 1 }, ['', 'x'], ['xy']],
  ['string', { strip: true, maxLength: 2, minLength: 1 }, ['ab', '  ab  '], ['', null]],
  ['string', { strip: true, values: ['a', 'b'] }, ['a', ' b'], [5]],
  ['string', { strip: true, pattern: '^[A-Z]+$' }, ['AB', '\tAB'], [null]],
  ['integer', { minValue: 0, maxValue: 9 }, [0, 9], [-1, 10, 1.5, '1']],
  ['integer', {}, [2 ** 53 - 1], [2 ** 53]],
  ['integer', { values: [1, 2] }, [1], [3]],
  ['float', { minValue: -0.5 }, [-0.5, 1e10], [-0.6, '1']],
  ['decimal', {}, ['12.50', '-0.1', 12.5], ['1e5', '', '1'.repeat(1001), true]],
  ['decimal', { scale: 2, minValue: '0.5' }, ['1.25', '1.2500', 0.5], ['1.255', 0.25]],
  ['decimal', { scale: 0 }, ['1', '1.00'], ['1.5']],
  ['boolean', {}, [true, false], ['true', 0]],
  ['date', {}, ['2024-02-29', '0001-01-01'], ['2023-02-29', '0000-01-01', '31-01-2024']],
  ['time', {}, ['09:30:00', '23:59:59.5'], ['9:30', '09:30:00.1234567', '94:61:89', '24:00:00']],
  [
    'datetime',
    {},
    ['2024-01-31T09:30:00Z', '2024-01-31T10:30:00.25+01:00'],
    ['2024-01-31', '2024-01-31T09:30:00.1234567Z', '2024-01-31T23:59:60Z', '2024-01-31T09:30:00+16:00', 'now'],
  ],
  ['binary', { maxLength: 3 }, ['', 'AAEC', 'AA=='], ['AAECAAEC', 'AB==', 'A', '-_-_']],
  ['string', { primary: true }, ['a', '...'], ['', '.', '..']],
  ['json', {}, [{ a: [1] }, 'x', 5, false], []],
  ['unit', { referenceKind: 'city' }, ['0198c0de-0000-7000-8000-000000000000'], ['x', 5]],
  ['string', { multiple: true, unique: true, maxLength: 1 }, [[], ['a', 'b']], ['a', ['a', 'a'], ['ab'], [null]]],
];

describe('the schema of a value', () => {
  it.each(ROWS)('of type %s %j', (type, rules, taken, refused) => {
    const of = field(type, rules);
    expect(taken.filter((value) => !takes(of, value))).toEqual([]);
    expect(refused.filter((value) => takes(of, value))).toEqual([]);
    const accepted = (value: unknown) => {
      const stored = of.type.accept(value, of.def, () => undefined);
      // Patterns are matched apart.
      return stored !== undefined && (typeof stored !== 'string' || new RegExp(of.def.pattern ?? '', 'u').test(stored));
    };
    // Whether an id is one of a unit is asked later.
    const each = of.def.multiple || of.reference || of.def.primary ? [] : [...taken, ...refused];
    expect(each.filter((value) => accepted(value) !== taken.includes(value))).toEqual([]);
  });

  it('exists for every type, with a valid example', () => {
    for (const type of PARAMETER_TYPES.keys()) {
      const of = field(type, type === 'unit' ? { referenceKind: 'city' } : {});
      // Which units there are no definition tells.
      expect([type, type === 'unit' || takes(of, exampleOf(of))]).toEqual([type, true]);
    }
  });

  it.each<[ParameterTypeId, Partial<ParameterDef>, unknown]>([
    ['string', { minLength: 8 }, 'Value...'],
    ['string', { maxLength: 2 }, 'Va'],
    ['string', { values: ['small', 'large'] }, 'small'],
    ['string', { pattern: '^x{3}$' }, undefined],
    ['integer', { minValue: 10 }, 10],
    ['integer', { maxValue: -10 }, -10],
    ['decimal', { minValue: '2.5' }, '2.5'],
    ['decimal', { maxValue: '0.5' }, '0.5'],
    ['binary', { maxLength: 1 }, ''],
    ['date', { multiple: true }, ['2024-01-31']],
  ])('has the example of %s %j', (type, rules, expected) => {
    expect(exampleOf(field(type, rules))).toEqual(expected);
  });

  it('omits values that it cannot generate, or the whole example if they are required', () => {
    const [known, unknown] = [{ ...field('integer'), id: 'known' }, field('string', { pattern: '^x{3}$' })];
    expect(exampleBody([known, unknown], () => false)).toEqual({ known: 1 });
    expect(exampleBody([known, unknown], ({ id }) => id === 'known')).toEqual({ known: 1 });
    expect(exampleBody([known, unknown], ({ id }) => id === 'value')).toBeUndefined();
  });

  it('describes in words what no keyword can express', () => {
    const of = field('decimal', { helperText: 'In *euros*', scale: 2, minValue: '0.01', unique: true, runTime: true });
    expect(valueDescription(of, hidden)).toBe(
      'In \\*euros\\*. An exact number, as a string. At most 2 decimals. At least 0.01. Unique. No part of the stored unit: functions and hooks get it.',
    );
  });

  it('begins with the label, if it says more than the id', () => {
    expect(valueDescription(field('boolean', { label: 'Worth it?', helperText: 'To all' }), hidden)).toBe(
      'Worth it? To all',
    );
    expect(valueDescription(field('boolean', { label: 'Is <open>' }), hidden)).toBe('Is &lt;open&gt;.');
  });

  it('describes in words the rules for a text without surrounding white space', () => {
    const rules = { minLength: 1, maxLength: 3, values: ['a', '<b>'], pattern: '^[a-z]' };
    expect(valueDescription(field('string', { strip: true, ...rules }), hidden)).toBe(
      'White space at both ends is removed. At least 1 character. At most 3 characters. One of "a", "&lt;b&gt;". Matches the RE2 pattern `^[a-z]`.',
    );
    expect(valueDescription(field('string', rules), hidden)).toBeUndefined();
  });

  it('names a kind only to callers who may read it', () => {
    const of = field('unit', { referenceKind: 'vault' });
    expect(valueDescription(of, hidden)).toBe('The id of a unit of another kind.');
    expect(valueDescription(of, (kind) => kind === 'vault')).toBe('The id of a unit of `vault`.');
    const settings = { accept: ['image/*', 'text/csv'], maxBytes: 5, owned: true };
    expect(valueDescription(field('unit', { referenceKind: 'file', ...settings }), () => true)).toBe(
      'The id of a unit of `file`. Takes files of image/*, text/csv. Takes files of 5 bytes at most. The file goes with the unit.',
    );
  });

  it.each(['^[A-Z]{2}$', '\\d+', 'a|b', '^(?:x)*$', '\\.', '[^a-z]'])('tells the pattern %s as it is', (pattern) => {
    expect(isPortable(pattern)).toBe(true);
    expect(inputValue(field('string', { pattern }))).toMatchObject({ pattern });
  });

  it.each(['(?i)abc', '(?P<n>x)', '\\pL', '\\Aabc\\z', '[[:alpha:]]', '\\Qa.b\\E', '\\_'])(
    'tells the pattern %s in words, for ECMA-262 reads it in another way',
    (pattern) => {
      const of = field('string', { pattern });
      expect(inputValue(of)).not.toHaveProperty('pattern');
      expect(valueDescription(of, hidden)).toBe(`Matches the RE2 pattern \`${pattern}\`.`);
    },
  );
});

describe('the default', () => {
  it.each([[null], [{ $ref: 5 }], [{ a: [{ $ref: '#/components/schemas/any' }] }]])('is left out: %j', (value) => {
    expect(defaultOf(field('json', { default: value }).def)).toEqual({});
  });

  it.each([[false], ['"$ref":'], [{ $refs: 1, ref: '$ref' }]])('is told: %j', (value) => {
    expect(defaultOf(field('json', { default: value }).def)).toEqual({ default: value });
  });
});
