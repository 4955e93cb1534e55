/** Statements with their values as literals. */
import { expect, it } from 'vitest';
import { withLiteralValues } from '../../../src/sql/literal-values.sql.js';

const textOf = (text: string, ...values: unknown[]) => withLiteralValues({ text, values })?.text;

it('each parameter becomes a quoted literal without a type', () => {
  expect(textOf('SELECT $1::bigint, $2, $1', 5, 'Rome')).toBe(`SELECT '5'::bigint, 'Rome', '5'`);
  expect(textOf('$1 $2 $3', -1.5, true, null)).toBe(`'-1.5' 'true' NULL`);
  expect(textOf('$1 $10 $11', ...Array.from({ length: 11 }, (_, at) => at))).toBe(`'0' '9' '10'`);
});

it.each([
  ["it's", `'it''s'`],
  ['a\\', ` E'a\\\\'`],
  ["\\' OR true --", ` E'\\\\'' OR true --'`],
  ['$1', `'$1'`],
  [['a', null, 'b"c', 'd\\'], ` E'{"a",NULL,"b\\\\"c","d\\\\\\\\"}'`],
  [['NULL', 1, true], `'{"NULL","1","true"}'`],
  [[], `'{}'`],
])('%j is written as %s', (value, literal) => {
  expect(textOf('$1', value)).toBe(literal);
});

it('names and literals of the text stay as they are', () => {
  expect(textOf(`SELECT "a$1", 'b$1', "c""$1" FROM "t" WHERE x = $1`, 'v')).toBe(
    `SELECT "a$1", 'b$1', "c""$1" FROM "t" WHERE x = 'v'`,
  );
});

it.each([[Buffer.from('a')], [{ a: 1 }], [undefined], [[['nested']]], [[{}]], ['a\0b'], [['\0']], [new Date(0)]])(
  '%s has no literal',
  (value) => {
    expect(withLiteralValues({ text: 'SELECT $1', values: [value] })).toBeUndefined();
  },
);

it('a long text has no literals; what else belongs to the statement stays, and it is prepared', () => {
  expect(withLiteralValues({ text: 'SELECT $1', values: ['a'.repeat(20_000)] })).toBeUndefined();
  const statement = { text: 'SELECT $1', values: [1], prepare: false, points: 120 };
  expect(withLiteralValues(statement)).toEqual({ text: `SELECT '1'`, values: [], prepare: true, points: 120 });
});
