import { describe, expect, it } from 'vitest';
import { sortedColumn, testedColumns } from '../../../src/unit/tuning/query-plan.js';

describe('the columns that a condition of a plan tests', () => {
  it.each<[string, [string, string][]]>([
    [`(place = 'Rome'::text)`, [['place', 'equal']]],
    [`((t.nights = 3) AND (t.year > 2005))`, [['nights', 'equal'], ['year', 'range']]], // prettier-ignore
    [`(lower(name COLLATE project_x._fold) ~~ '%san%'::text)`, [['name', 'text']]],
    [`("Order" = 'x = y'::text)`, [['Order', 'equal']]],
    [`(t."say ""hi""" >= '2'::numeric)`, [['say "hi"', 'range']]],
    [`(tags @> '{a,b}'::text[])`, [['tags', 'list']]],
    [`(state = ANY ('{open,done}'::text[]))`, [['state', 'equal']]],
    [`((code)::text = 'it''s state = x'::text)`, [['code', 'equal']]],
    [`(text = 'a'::text)`, [['text', 'equal']]],
    // No index serves these.
    [`(nights <> 9)`, []],
    [`((nights = 3) IS NOT TRUE)`, []],
    [`(nights IS NULL)`, []],
  ])('%s', (condition, columns) => {
    expect([...testedColumns(condition)]).toEqual(columns);
  });
});

it.each([
  ['t.year', 'year'],
  ['year DESC', 'year'],
  ['t."Order" DESC NULLS LAST', 'Order'],
  ['((t.meta #>> $1))', undefined],
])('the key %s of a sort is of the column %s', (key, column) => {
  expect(sortedColumn(key)).toBe(column);
});
