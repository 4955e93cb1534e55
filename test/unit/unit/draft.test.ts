/** Drafts of units: their keys, values that the system sets, references to units of the same write, and refusals. */
import { describe, expect, it } from 'vitest';
import { FunctionError } from '../../../src/kit/function-error.js';
import { Faults, refusal, type KindError } from '../../../src/shared/errors.js';
import type { Json } from '../../../src/shared/json.js';
import { idOfBody, withLabel } from '../../../src/unit/definitions.js';
import { withFaults } from '../../../src/database/transaction/complete-refusal.js';
import {
  bodyOf,
  keyOf,
  withSystemValue,
  withoutValuesOf,
  withValuesOf,
  type Draft,
} from '../../../src/unit/draft/draft.js';
import { DefaultBytes } from '../../../src/unit/draft/default-bytes.js';
import { draftCreate } from '../../../src/unit/draft/draft-reader.js';
import { relocateFunctionError, withPosition } from '../../../src/unit/draft/refusal-position.js';
import { ReplacedKeys } from '../../../src/unit/draft/nested-units.js';
import { readableFields, writableFields } from '../../../src/access/masks.js';
import { PatternChecks } from '../../../src/model/check/pattern-checks.js';
import type { Field, KindDef } from '../../../src/model/model.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { SYSTEM } from '../../../src/tenancy/caller.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const model = modelWith({
  parameters: [
    parameter('code', 'string', { is_primary: true }),
    parameter('name', 'string'),
    parameter('land', 'unit', { reference_kind: 'land' }),
    parameter('text', 'string'),
    parameter('secret', 'string', { only_run_time: true }),
    parameter('title', 'string'),
  ],
  kinds: [kind('land', ['code', 'name']), kind('city', ['name', 'land']), kind('note', ['text', 'secret', 'title'])],
});
const [land, city, note] = [kindIn(model, 'land'), kindIn(model, 'city'), kindIn(model, 'note')];
const fieldOf = (id: string) => (land.fields.get(id) ?? city.fields.get(id)) as Field;

function draftOf(values: Record<string, Json>, key?: string): Draft {
  const row = { ...values, ...(key !== undefined && { [land.keyField.column ?? 'id']: key }) };
  return { row, written: Object.keys(values).map(fieldOf), values: new Map(Object.entries(values)) };
}

describe('a draft', () => {
  it('has the key of its kind, or none', () => {
    expect(keyOf(draftOf({ code: 'it' }, 'it'), land)).toBe('it');
    expect(keyOf(draftOf({ name: 'Italy' }), land)).toBe('');
  });

  it('takes values of the system, and those of another draft', () => {
    const draft = draftOf({ name: 'Rome' });
    const set = withSystemValue(draft, fieldOf('land'), 'it');
    expect([set.row, draft.row]).toEqual([{ name: 'Rome', land: 'it' }, { name: 'Rome' }]);
    expect(withValuesOf(draft, draftOf({ name: 'Roma', land: 'it' })).row).toEqual({ name: 'Roma', land: 'it' });
    expect(withoutValuesOf(set, [fieldOf('land')]).row).toEqual({ name: 'Rome' });
  });
});

describe('a body', () => {
  it('is read like a map, whatever its keys', () => {
    const body = bodyOf(JSON.parse('{"name":"Rome","__proto__":1}') as Record<string, unknown>);
    expect([...body]).toEqual([
      ['name', 'Rome'],
      ['__proto__', 1],
    ]);
    expect(['name', '__proto__', 'constructor'].map((key) => body.has(key))).toEqual([true, true, false]);
    expect(['name', '__proto__', 'constructor'].map((key) => body.get(key))).toEqual(['Rome', 1, undefined]);
  });
});

describe('the draft of a create', () => {
  const draftIn = (target: KindDef, values: Record<string, unknown>) =>
    runSync(
      draftCreate(bodyOf(values), {
        kind: target,
        writable: writableFields(target, SYSTEM, model),
        readable: readableFields(target, SYSTEM, model),
        faults: new Faults(),
        patterns: new PatternChecks(),
        defaults: new DefaultBytes(),
        ofTarget: () => '',
      }),
    );

  it('shares the list of its fields with others of the kind, and has its values by parameter', () => {
    const [first, second] = [draftIn(city, { name: 'Rome' }), draftIn(city, { name: 'Oslo' })];
    expect(second.written).toBe(first.written);
    expect([...first.values].slice(1)).toEqual([
      ['name', 'Rome'],
      ['land', null],
      ['metadata', {}],
    ]);
  });

  it('has the key of a natural key under the name of its parameter', () => {
    expect([...draftIn(land, { code: 'it', name: 'Italy' }).values.keys()]).toEqual(['code', 'name', 'metadata']);
  });

  it('has run-time parameters among its values, in the order of the kind, and not in its row', () => {
    const { row, values } = draftIn(note, { text: 'a', secret: 'b', title: 'c' });
    expect([...values.keys()]).toEqual(['id', 'text', 'secret', 'title', 'metadata']);
    expect(Object.keys(row)).toEqual(['id', 'text', 'title', 'metadata']);
  });
});

describe('keys that hooks replaced', () => {
  const before = [{ draft: draftOf({ code: 'a' }, 'a'), index: 0, path: 'land' }];
  const after = [{ draft: draftOf({ code: 'b' }, 'b'), index: 0, path: 'land' }];
  const outer = { draft: draftOf({ name: 'Rome', land: 'a' }), index: 0 };

  it('change the references of the units around them, and of no others', () => {
    const keys = new ReplacedKeys();
    keys.note(land, before, after);
    expect(keys.into(city, outer).draft.row).toEqual({ name: 'Rome', land: 'b' });
    expect(keys.into(city, { ...outer, index: 1 }).draft.row).toEqual({ name: 'Rome', land: 'a' });
    expect([keys.any, keys.has(land, 'a'), keys.has(land, 'b')]).toEqual([true, false, true]);
  });

  it('change nothing where they are as they were', () => {
    const keys = new ReplacedKeys();
    keys.note(land, before, before);
    expect([keys.any, keys.has(land, 'a'), keys.into(city, outer)]).toEqual([false, true, outer]);
  });

  it('are there if another new unit has them', () => {
    const keys = new ReplacedKeys();
    keys.note(land, before, after);
    keys.note(
      land,
      [{ draft: draftOf({ code: 'c' }, 'c'), index: 1 }],
      [{ draft: draftOf({ code: 'a' }, 'a'), index: 1 }],
    );
    expect([keys.has(land, 'a'), keys.has(land, 'c')]).toEqual([true, false]);
  });
});

describe('a unit whose id a client may choose', () => {
  it.each<[Record<string, unknown>, string | undefined, string | undefined]>([
    [{ id: 'city' }, 'city', 'city'],
    [{ label: 'Old City' }, 'old_city', 'Old City'],
    [{ id: 'city', label: 'City' }, 'city', 'City'],
    [{ id: 5 }, undefined, ''],
    [{ id: 'no id!' }, 'no id!', ''],
    [{ label: '…' }, undefined, '…'],
    [{}, undefined, ''],
  ])('%j has the id %s and the label %s', (given, id, label) => {
    const body = new Map(Object.entries(given));
    expect([idOfBody(body), withLabel(body).get('label')]).toEqual([id, label]);
  });
});

describe('the faults of a unit', () => {
  const told = (error: KindError) => error.messages.map(({ code, index, parameter }) => [code, index, parameter]);
  const taken = refusal('parameter.not_unique', 'name: is taken', { parameter: 'name' });

  it('are told once, with their position as soon as it is known', () => {
    const found = [{ code: 'parameter.not_unique', text: 'name: is taken', parameter: 'name', index: 2 }] as const;
    expect(told(withFaults(taken, found))).toEqual([['parameter.not_unique', 2, 'name']]);
  });

  it('come by status, then by position', () => {
    const found = [
      { code: 'parameter.not_unique', text: 'b', parameter: 'code', index: 1 },
      { code: 'parameter.bad_value', text: 'c', parameter: 'name', index: 3 },
    ] as const;
    expect(told(withFaults(taken, found))).toEqual([
      ['parameter.bad_value', 3, 'name'],
      ['parameter.not_unique', undefined, 'name'],
      ['parameter.not_unique', 1, 'code'],
    ]);
  });

  it('do not tell that a unit exists to which the caller may not refer', () => {
    const found = [{ code: 'parameter.bad_reference', text: 'name: no such unit', parameter: 'name' }] as const;
    expect(told(withFaults(taken, found))).toEqual([['parameter.bad_reference', undefined, 'name']]);
  });
});

describe('what a hook refuses', () => {
  const hooks = new FunctionError(409, 'order.closed', 'The order is closed', 'state');

  it('has the position of the unit and the path to it', () => {
    expect(relocateFunctionError(hooks, { index: 1, path: 'land' })).toMatchObject({
      index: 1,
      parameter: 'land.state',
      status: 409,
    });
    expect(relocateFunctionError(hooks, {})).toMatchObject({ parameter: 'state' });
  });

  it.each<[string, number | undefined, Error, object]>([
    ['an error of a function', 1, hooks, { index: 1, code: 'order.closed' }],
    ['a refusal', 1, refusal('unit.unknown', 'x', { index: 7 }), { messages: [{ code: 'unit.unknown', index: 1 }] }],
    ['a refusal of a single unit', undefined, refusal('unit.unknown', 'x'), { messages: [{ code: 'unit.unknown' }] }],
  ])('is thrown with the position in the body: %s', async (_, index, error, expected) => {
    const work = withPosition(index === undefined ? {} : { index }, () => Promise.reject(error));
    await expect(work).rejects.toMatchObject(expected);
  });

  it('keeps a failure as it is', async () => {
    const failure = new Error('x');
    await expect(withPosition({ index: 1 }, () => Promise.reject(failure))).rejects.toBe(failure);
  });
});
