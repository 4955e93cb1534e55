/** A referenced unit is looked up once in a query, however often it is used; beyond a limit it is not joined. */
import { describe, expect, it } from 'vitest';
import { filter, italy, list } from './paths.support.js';

/** How often a table is read for a page; its count reads what it needs a second time. */
function reads(text: string, table: string): number {
  const [page = ''] = text.split(' AS t) SELECT (SELECT "version"');
  return page.split(`"project_demo"."${table}"`).length - 1;
}

const alternatives = Array.from({ length: 60 }, (_, at) => `and(eq(land.title,${at}),eq(name,${at}))`);

describe('a referenced unit is read once', () => {
  it.each([
    ['by many tests', filter(`or(${alternatives.join()})`)],
    [
      'by tests and their negations',
      filter('or(and(eq(land.title,a),eq(name,b)),not(eq(land.title,c)),ne(land.iso,d))'),
    ],
    ['by a rule of its kind too', filter('or(eq(land.title,a),not(eq(land.iso,b)))', italy)],
    ['by an order too', list('filter=eq(land.title,a)&order=land.iso;asc&order=land.title;desc')],
    ['by includes', list('include=land.title,land.iso,land.extra.a,land.tags')],
    ['on the way to others', list('filter=and(eq(land.title,a),eq(land.part.title,b))')],
    ['on the way to what is included', list('include=land.title,land.part.title')],
  ])('%s', (_, statement) => {
    expect(reads(statement.text, 'land')).toBe(1);
  });
});

it('many alternatives over joined rows are not split for indexes', () => {
  expect(filter(`or(${alternatives.slice(0, 10).join()})`).text).not.toContain('IS TRUE');
  expect(filter(`or(${alternatives.join()})`).text).toContain('IS TRUE');
});

const ways = ['land', 'twin.land', 'twin.twin.land', 'land.part', 'twin.land.part'];
const far = ways.map((way) => `eq(${way}.title,x)`);

it('many rows are looked up with one subquery, and the rest is joined', () => {
  const { text } = filter(`or(${far.join()})`);
  expect(text).toContain(`AS t WHERE EXISTS (SELECT FROM (SELECT 1) AS "t_0"`);
  expect([reads(text, 'land'), reads(text, 'city'), reads(text, 'part')]).toEqual([3, 3, 2]);
  expect(filter(`and(${far.slice(0, 3).join()})`).text).not.toContain('EXISTS');
});

it('so are those of an order', () => {
  const { text } = list(far.map((_, at) => `order[]=${ways[at]}.title;asc`).join('&'));
  expect(text).toContain('AS t CROSS JOIN LATERAL (SELECT "t_1"."title" AS "k0"');
  expect([reads(text, 'land'), reads(text, 'part')]).toEqual([3, 2]);
});
