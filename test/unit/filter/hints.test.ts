/** Hints for values in filters that match nothing. */
import { expect, it } from 'vitest';
import { filterHints } from '../../../src/filter/filter.hints.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';

const KNOWN = new Map<string, { values: readonly (string | number)[] | null; multiple: boolean }>([
  ['state', { values: ['open', 'in progress', "'odd'"], multiple: false }],
  ['tags', { values: ['old', 'new'], multiple: true }],
  ['level', { values: [3, 5], multiple: false }],
  ['name', { values: null, multiple: false }],
  ['author.role', { values: ['editor'], multiple: false }],
]);
const hints = (filter: string) =>
  filterHints(parseFilter(filter), (segments) => KNOWN.get(segments.join('.'))).map(({ text }) => text);

it.each<[filter: string, ...hints: string[]]>([
  ['eq(state,open)'],
  ['in(state,[open,"in progress"])'],
  ["eq(state,'odd')"],
  ['eq(level,3)'],
  ['eq(level,3.0)'],
  ['gt(level,4)'],
  ['startswith(state,op)'],
  ['isnull(state)'],
  ['eq(name,anything)'],
  ["eq(name,O'Hara)"],
  ["eq(name,')"],
  ['eq(elsewhere,x)'],
  ['exists(visit.city,eq(state,x))'],
  ['eq(state,opne)', "state: 'opne' is none of its values 'open', 'in progress', ''odd'' (did you mean 'open'?)"],
  ['not(eq(state,Open))', "state: 'Open' is none of its values 'open', 'in progress', ''odd'' (did you mean 'open'?)"],
  ['eq(level,4)', "level: '4' is none of its values '3', '5'"],
  [
    'and(in(tags,[old,knew]),contains(tags,newer))',
    "tags: 'knew' is none of its values 'old', 'new' (did you mean 'new'?)",
    "tags: 'newer' is none of its values 'old', 'new' (did you mean 'new'?)",
  ],
  ['eq(author.role,admin)', "author.role: 'admin' is none of its values 'editor'"],
  ["eq(state,'open')", `state: the quotes of 'open' are compared too: only " quotes a value, as in "open"`],
  ["startswith(name,'R')", `name: the quotes of 'R' are compared too: only " quotes a value, as in "R"`],
  ['eq(name,“Rome”)', 'name: the quotes of “Rome” are compared too: only " quotes a value, as in "Rome"'],
  ['eq(name,"`Rome`")', 'name: the quotes of `Rome` are compared too: only " quotes a value, as in "Rome"'],
])('%s', (filter, ...told) => {
  expect(hints(filter)).toEqual(told);
});

it('shows twenty values at most', () => {
  const values = Array.from({ length: 30 }, (_, at) => `v${at}`);
  const [hint] = filterHints(parseFilter('eq(a,none)'), () => ({ values, multiple: false }));
  expect(hint?.text).toMatch(/^a: 'none' is none of its values 'v0', .*'v19', …/);
});
