/** Plans for values and generic plans are compared without their values. */
import { expect, it } from 'vitest';
import { isSamePlan } from '../../../src/unit/tuning/query-plan.js';

const scan = (cond: string, more: object = {}) => [
  { Plan: { 'Node Type': 'Index Scan', 'Index Name': 'note_place', 'Index Cond': cond, ...more } },
];

it.each([
  [`(place = 'Oslo'::text)`, '(place = $1)'],
  [`(place = 'it''s (1)'::text)`, '(place = $1)'],
  [`((land = t.id) AND (inhabitants > '1000000'::bigint))`, '((land = t.id) AND (inhabitants > $2))'],
  ['(rank < 12)', '(rank < $1)'],
  [`(rank = ANY ('{1,2}'::bigint[]))`, '(rank = ANY ($3))'],
  [`(at > '2024-01-01 00:00:00+00'::timestamp with time zone)`, '(at > $1)'],
  [`(price = '1.50'::numeric(10,2))`, '(price = $1)'],
  [`(place > ('Oslo'::text))`, '(place > $1)'],
])('%s is the same as %s', (forValues, generic) => {
  expect(isSamePlan(scan(forValues), scan(generic))).toBe(true);
});

it.each([
  ['another test', scan(`(place = 'Oslo'::text)`), scan('(place > $1)')],
  ['another column', scan(`(place = 'Oslo'::text)`), scan('("place2" = $1)')],
  ['a range that a constant has', scan(`((place >= 'Os'::text) AND (place < 'Ot'::text))`), scan('(place ~~ $1)')],
  ['another index', scan('(a = 1)'), scan('(a = $1)', { 'Index Name': 'other' })],
  ['a further filter', scan('(a = 1)'), scan('(a = $1)', { Filter: '(b = $2)' })],
  ['a value that is calculated before', scan(`(a @@ '''x'''::tsquery)`), scan('(a @@ websearch_to_tsquery($1))')],
  ['a text with a quoted name', scan(`(a = 'x'::text)`), scan(`("x'y" = $1)`)],
  ['another node', scan('(a = 1)'), scan('(a = $1)', { 'Node Type': 'Seq Scan' })],
  ['more nodes', scan('(a = 1)'), scan('(a = $1)', { Plans: [] })],
])('%s makes another plan', (_, forValues, generic) => {
  expect(isSamePlan(forValues, generic)).toBe(false);
});
