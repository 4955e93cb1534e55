/** What PostgreSQL says of a broken constraint, in the words of the kind: whatever its language and its shard. */
import { describe, expect, it } from 'vitest';
import { buildModel, builtInRecords } from '../../../src/model/build/build-model.js';
import { constraintName } from '../../../src/model/names.js';
import type { ParameterRecord } from '../../../src/model/build/definition-records.js';
import { conflictOf } from '../../../src/unit/table/write/violations.js';

const parameter = (id: string, kind_id: ParameterRecord['kind_id'], more: Partial<ParameterRecord> = {}) =>
  ({ id, kind_id, label: id, multiple: false, nullable: true, unique: false, ...more }) as ParameterRecord;
const built = builtInRecords();
const model = buildModel({
  ...built,
  parameters: [
    parameter('code', 'string', { unique: true }),
    parameter('at', 'datetime', { unique: true }),
    parameter('size', 'integer'),
    parameter('twin', 'unit', { reference_kind: 'city' }),
  ],
  kinds: [
    ...built.kinds,
    {
      id: 'city',
      label: 'City',
      active: true,
      remote: false,
      public: false,
      parameters: ['code', 'at', 'size', 'twin'],
      unique: [['code', 'size']],
      indexes: [],
      checks: [],
      accepted: null,
      access: null,
    },
  ],
});
const kind = model.kinds.get('city') as NonNullable<ReturnType<typeof model.kinds.get>>;

const fault = (code: string, columns: readonly string[], suffix: 'key' | 'fkey', detail: string, more = '') =>
  Object.assign(new Error('duplicate key'), {
    code,
    constraint: `${constraintName('city', columns, suffix)}${more}`,
    detail,
  });
const rows = [
  { code: 'a', size: 1, at: '2024-01-31T09:30:00Z', twin: null },
  { code: 'b', size: 2, at: '2024-01-31T10:30:00.50+01:00', twin: 'x' },
  { code: 'b', size: 2, at: null, twin: 'y' },
];
const ofTarget = (id: string) => ` of '${id}'`;
const told = (error: unknown, bulk = true) =>
  conflictOf(error, { kind, visibleFields: kind.fields, ofTarget, rows, bulk })?.messages[0];

describe('a broken constraint', () => {
  it.each([
    ['in English', 'Key (code)=(b) already exists.'],
    ['in German', 'Schlüssel »(code)=(b)« existiert bereits.'],
    ['in Japanese', 'キー (code)=(b) はすでに存在します。'],
  ])('blames the later of two alike, told %s', (_, detail) => {
    expect(told(fault('23505', ['code'], 'key', detail))).toMatchObject({
      code: 'parameter.not_unique',
      parameter: 'code',
      index: 2,
    });
  });

  it('is known by its name with the number of a shard', () => {
    expect(told(fault('23505', ['code'], 'key', 'Key (code)=(a) already exists.', '_102009'))).toMatchObject({
      parameter: 'code',
      index: 0,
    });
  });

  it('is known by its columns, where Citus has cut its name', () => {
    const cut = (columns: string) =>
      Object.assign(fault('23505', [], 'key', `Key (${columns})=(b, 2) already exists.`), {
        constraint: '_city_with_a_name_so_long_that_it_has_no_place__0a1b2c3d_102009',
      });
    expect(told(cut('code, size'))).toMatchObject({ code: 'unit.not_unique', index: 2 });
    expect(told(cut('id'))).toMatchObject({ code: 'parameter.not_unique', parameter: 'id' });
    expect(told(cut('strange'))).toMatchObject({ code: 'unit.conflict' });
  });

  it('of several columns blames by all of them', () => {
    expect(told(fault('23505', ['code', 'size'], 'key', 'Key (code, size)=(b, 2) already exists.'))).toMatchObject({
      code: 'unit.not_unique',
      index: 2,
    });
    expect(told(fault('23505', ['code', 'size'], 'key', 'Key (code, size)=(a, 2) already exists.'))).not.toHaveProperty(
      'index',
    );
  });

  it('of a time blames by the instant', () => {
    expect(told(fault('23505', ['at'], 'key', 'Key (at)=(2024-01-31 09:30:00.5+00) already exists.'))).toMatchObject({
      parameter: 'at',
      index: 1,
    });
    expect(told(fault('23505', ['at'], 'key', 'Key (at)=(2024-01-31 09:30:00+00) already exists.'))).toMatchObject({
      parameter: 'at',
      index: 0,
    });
  });

  it('of a reference is a bad value in a write, and a conflict in a deletion', () => {
    const error = fault('23503', ['twin'], 'fkey', 'Key (twin)=(y) is not present in table "city".');
    expect(told(error)).toMatchObject({ code: 'parameter.bad_reference', parameter: 'twin', index: 2 });
    expect(conflictOf(error, { kind, visibleFields: kind.fields, ofTarget })?.messages).toMatchObject([
      { code: 'unit.referenced' },
    ]);
  });

  it('has no index for a single body', () => {
    expect(told(fault('23505', ['code'], 'key', 'Key (code)=(a) already exists.'), false)).not.toHaveProperty('index');
  });

  it('that is unknown is a conflict without a name', () => {
    const error = Object.assign(new Error('x'), { code: '23505', constraint: 'strange', detail: '' });
    expect(told(error)).toMatchObject({ code: 'unit.conflict' });
    expect(told(Object.assign(new Error('x'), { code: '42601' }))).toBeUndefined();
    expect(told(new Error('x'))).toBeUndefined();
  });
});
