import { describe, expect, it } from 'vitest';
import { columnName, constraintName, schemaName } from '../../../src/model/names.js';
import { identifierFromLabel, isIdentifier, isSystemIdentifier } from '../../../src/shared/identifiers.js';

const LONG = 'a'.repeat(60);

describe('names', () => {
  it("of schemas never collide with PostgreSQL's own", () => {
    expect(schemaName('demo-1')).toBe('project_demo-1');
    expect(Buffer.byteLength(schemaName('a'.repeat(40)))).toBeLessThanOrEqual(63);
  });

  it.each(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])(
    'of the column of %s, which every table has already',
    (id) => {
      expect(columnName(id)).toBe(`_${id}`);
    },
  );

  it.each(['id', 'oid', 'constructor', 'user', 'a'.repeat(63)])('of the column of %s, which is its id', (id) => {
    expect(columnName(id)).toBe(id);
  });

  it('of constraints fit, begin with _ and are distinct', () => {
    const given: [string, string[], 'pkey' | 'key' | 'idx' | 'fkey'][] = [
      ['city', ['name'], 'key'],
      ['city', ['name'], 'idx'],
      ['city', ['name'], 'fkey'],
      ['city', ['id'], 'pkey'],
      ['model', ['id'], 'pkey'],
      ['a_b', ['c'], 'key'],
      ['a', ['b_c'], 'key'],
      ['a', ['b', 'c'], 'key'],
      ['a', ['c', 'b'], 'key'],
      ...['abc', 'abd'].flatMap((end): [string, string[], 'pkey' | 'key'][] => [
        [LONG + end, ['id'], 'pkey'],
        ['city', [LONG + end], 'key'],
        [LONG + end, [LONG + end, 'x'], 'key'],
      ]),
    ];
    const names = given.map(([table, columns, suffix]) => constraintName(table, columns, suffix));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63);
      expect(name).toMatch(/^_[a-z0-9_]+_[0-9a-f]{10}_(pkey|key|idx|fkey)$/);
      // What a kind's table may be called never begins like this.
      expect(isIdentifier(name)).toBe(false);
    }
    expect(constraintName('city', ['name'], 'key')).toBe(constraintName('city', ['name'], 'key'));
    expect(constraintName('city', ['name'], 'key')).toMatch(/^_city_name_/);
  });
});

describe('identifiers', () => {
  it.each(['a', 'a1', 'a_', 'kind_x', 'a'.repeat(63)])('%s is one', (id) => expect(isIdentifier(id)).toBe(true));
  it.each(['', 'A', '1a', '_a', 'a-b', 'a b', 'é', 'a\n', 'a'.repeat(64), 5, null, undefined, ['a']])(
    '%j is none',
    (id) => expect(isIdentifier(id)).toBe(false),
  );

  it('of the system begin with kind_', () => {
    expect(['kind_x', 'kind_'].map(isSystemIdentifier)).toEqual([true, true]);
    expect(['kind', 'kinds', 'a_kind_'].map(isSystemIdentifier)).toEqual([false, false, false]);
  });

  it.each([
    ['Postal code', 'postal_code'],
    ['  --Postal -- CODE!  ', 'postal_code'],
    ['A', 'a'],
    ['x2', 'x2'],
    ['a_b', 'a_b'],
    ['2nd line', undefined],
    ['北京', undefined],
    ['', undefined],
    ['!!!', undefined],
    ['a'.repeat(63), 'a'.repeat(63)],
    ['a'.repeat(64), undefined],
  ])('of the label %j is %j', (label, id) => expect(identifierFromLabel(label)).toBe(id));
});
