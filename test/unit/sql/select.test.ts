/** Which reads are prepared by name, and which use one plan because it is the best for all values. */
import { describe, expect, it } from 'vitest';
import { getStatement, listStatement } from '../../../src/sql/list/select.sql.js';
import { pageCursor } from '../../../src/unit/query/cursor.js';
import { CITY, listPlan } from './model.support.js';

const next = (query: string, ...keys: string[]) => `${query}&cursor=${pageCursor(listPlan(query), keys)}`;

const PLANNED_EACH_TIME = /\(\$\d+::boolean OR \(SELECT count\(\*\) FROM generate_series\(/;

describe('a list', () => {
  it.each(['', 'limit=50', 'order=size;desc', 'count=none', 'limit=0', 'cursor=', 'include=name'])(
    'without values is prepared, with one plan: %s',
    (query) => {
      const { prepare, text } = listStatement(listPlan(query));
      expect(prepare).toBe(true);
      expect(text).not.toMatch(PLANNED_EACH_TIME);
    },
  );

  it.each([
    'filter=eq(name,Rome)',
    'filter=eq(name,Rome)&cursor=',
    'filter=eq(name,Rome)&limit=0',
    'offset=5',
    next('order=size;asc', '5', '0190163d-8694-739b-aea5-966c26f8ad91'),
  ])('whose plan depends on values is prepared, but planned each time: %s', (query) => {
    const { prepare, text } = listStatement(listPlan(query));
    expect(prepare).toBe(true);
    expect(text).toMatch(PLANNED_EACH_TIME);
  });

  it('has one text for all limits that are not common, and is planned for each of them', () => {
    const statements = Array.from({ length: 1001 }, (_, limit) => listStatement(listPlan(`limit=${limit}`)));
    expect(statements.every(({ prepare }) => prepare)).toBe(true);
    const common = statements.flatMap(({ text }, limit) => (PLANNED_EACH_TIME.test(text) ? [] : [limit]));
    expect(common).toEqual([0, 1, 10, 20, 25, 50, 100, 1000]);
    // Two for the others: those of pages that are measured, and those of pages that are not.
    expect(new Set(statements.map(({ text }) => text))).toHaveProperty('size', common.length + 2);
  });

  it('for a caller who may read only some units is planned each time', () => {
    const filtered = listPlan('filter=eq(name,Rome)');
    const { text } = listStatement({ ...filtered, filter: undefined, access: filtered.filter });
    expect(text).toMatch(PLANNED_EACH_TIME);
  });
});

describe('a get', () => {
  it('is prepared, whatever the caller may read: its key is unique', () => {
    const { filter, ...plan } = listPlan('filter=eq(name,Rome)');
    expect(getStatement({ ...plan, kind: CITY, access: filter }, 'x').prepare).toBe(true);
  });
});
