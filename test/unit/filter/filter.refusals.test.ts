/** Every way a filter expression can be wrong, with the exact text and character. */
import { describe, expect, it } from 'vitest';
import { code } from './filter.support.js';

const syntax: [text: string, expected: string][] = [
  // The filter as a whole.
  ['', 'expected an operator at character 1'],
  ['   ', 'expected an operator at character 4'],
  ['(a)', 'expected an operator at character 1'],
  ['"eq"(a,1)', 'expected an operator at character 1'],
  ['eq', "expected '(' at character 3"],
  ['eq a,1)', "expected '(' at character 4"],
  ['eq[a,1]', "expected '(' at character 3"],
  ['eq(a,1)x', 'expected the end of the filter at character 8'],
  ['eq(a,1) , eq(b,2)', 'expected the end of the filter at character 9'],
  ['eq(a,1))', 'expected the end of the filter at character 8'],

  // Combinations.
  ['and()', 'expected an operator at character 5'],
  ['or( )', 'expected an operator at character 5'],
  ['not()', 'expected an operator at character 5'],
  ['and(,eq(a,1))', 'expected an operator at character 5'],
  ['and(eq(a,1),)', 'expected an operator at character 13'],
  ['and(eq(a,1)', "expected ',' or ')' at character 12"],
  ['and(eq(a,1) eq(b,2))', "expected ',' or ')' at character 13"],
  ['and([eq(a,1)])', 'expected an operator at character 5'],
  ['not(eq(a,1),eq(b,2))', "expected ')' at character 12"],
  ['not(eq(a,1)', "expected ')' at character 12"],

  // Paths.
  ['eq()', 'expected a parameter at character 4'],
  ['eq(', 'expected a parameter at character 4'],
  ['eq(,1)', 'expected a parameter at character 4'],
  ['eq([a],1)', 'expected a parameter at character 4'],
  ['eq(.a,1)', 'expected a parameter at character 4'],
  ['eq(a.,1)', 'expected a parameter at character 6'],
  ['eq(a..b,1)', 'expected a parameter at character 6'],
  ['eq(a b,1)', "expected ',' at character 6"],
  ['eq(a"b",1)', "expected ',' at character 5"],
  ['eq("a"b,1)', "expected ',' at character 7"],
  ['eq("a,1)', `expected '"' at character 9`],
  ['eq(eq(a,1),1)', "expected ',' at character 6"],

  // Values.
  ['eq(a)', "expected ',' at character 5"],
  ['eq(a', "expected ',' at character 5"],
  ['eq(a,', 'expected a value at character 6'],
  ['eq(a,)', 'expected a value at character 6'],
  ['eq(a,  )', 'expected a value at character 8'],
  ['eq(a,b', "expected ')' at character 7"],
  ['eq(a,b(c)', "expected ')' at character 10"],
  ['eq(a,"b', `expected '"' at character 8`],
  ['eq(a,"b\\n")', "expected '\"' or '\\' at character 9"],
  ['eq(a,"b\\', "expected '\"' or '\\' at character 9"],
  ['eq(a,"b"', "expected ')' at character 9"],
  ['eq(a,"b"c)', "expected ')' at character 9"],
  ['eq(a,"b" "c")', "expected ')' at character 10"],
  ['eq(a,"b",c)', "expected ')' at character 9"],
  ['eq(a,🙂)🙂x', 'expected the end of the filter at character 8'],

  // Lists.
  ['eq(a,[])', 'expected a value at character 7'],
  ['eq(a,[b,])', 'expected a value at character 9'],
  ['eq(a,[,b])', 'expected a value at character 7'],
  ['eq(a,[b)', "expected ',' or ']' at character 8"],
  ['eq(a,[b', "expected ',' or ']' at character 8"],
  ['eq(a,["b" c])', "expected ',' or ']' at character 11"],
  ['eq(a,[b],c)', "expected ')' at character 9"],
  ['eq(a,[b]c)', "expected ')' at character 9"],
  ['eq(a,[b(c])', "expected ')' at character 10 (in a list, quote a value that has ']')"],
  ['eq(a,[[b]])', "expected a value, not a list at character 7 (quote a value that begins with '[')"],
  ['in(a)', "expected ',' at character 5"],
  ['in(a,)', 'expected a value at character 6'],
  ['in(a,', 'expected a value at character 6'],
  ['in(a,[])', 'expected a value at character 7'],
  ['in(a,[)', 'expected a value at character 7'],
  ['in(a,b,)', 'expected a value at character 8'],
  ['in(a,,b)', 'expected a value at character 6'],
  ['in(a,b', "expected ',' or ')' at character 7"],
  ['in(a,"b"c)', "expected ',' or ')' at character 9"],
  ['in(a,b,[c])', "expected a value, not a list at character 8 (quote a value that begins with '[')"],
  ['in(a,[b],c)', "expected ')' at character 9"],
  ['in(a,b(c,d),e)', "expected ')' at character 9 (in a list, quote a value that has ',')"],

  // isnull.
  ['isnull()', 'expected a parameter at character 8'],
  ['isnull(a', "expected ',' or ')' at character 9"],
  ['isnull(a b)', "expected ',' or ')' at character 10"],
  ['isnull(a,)', 'expected true or false at character 10'],
  ['isnull(a,', 'expected true or false at character 10'],
  ['isnull(a, True)', 'expected true or false at character 11'],
  ['isnull(a,"true")', 'expected true or false at character 10'],
  ['isnull(a,[true])', 'expected true or false at character 10'],
  ['isnull(a,true,false)', 'expected true or false at character 10'],
  ['isnull(a,true', "expected ')' at character 14"],

  // Characters that no text may have.
  ['eq(a,\0)', 'expected no NUL at character 6'],
  ['eq(a,"\0")', 'expected no NUL at character 7'],
  ['eq(🙂,\uD83D)', 'expected well-formed Unicode at character 6'],
  ['eq(a,\uDE42\uD83D)', 'expected well-formed Unicode at character 6'],
];

const rules: [text: string, expected: string][] = [
  ['eq(a,@)', 6],
  ['eq(a,@x)', 6],
  ['eq(a,@member)', 6],
  ['eq(a, @member.)', 7],
  ['eq(a,@member.Id)', 6],
  ['eq(a,@member.a.b)', 6],
  ['eq(a,@member.id,b)', 6],
  ['eq(a,@member.id (x))', 6],
  ['eq(a,@members.id)', 6],
  ['in(a,b,@c)', 8],
  ['eq(a,[@member.id,@admin.id])', 18],
].map(([text, at]) => [
  String(text),
  `expected '@member.' or '@before.' and a parameter at character ${at} (quote a text that begins with '@')`,
]);

rules.push([
  'gt(a,@now-1y)',
  "expected '@now', or a whole number of m, h or d from it, at most 100 years, as '@now-7d' at character 6 (quote a text that begins with '@')",
]);

/** What there is, where nothing like it is. */
const ALL =
  '; there are eq, ne, contains, icontains, startswith, istartswith, endswith, iendswith, lt, lte, gt, ge, gte, get, in, isnull, eq_field, ne_field, lt_field, lte_field, gt_field, gte_field, near, similar, and, or, not, all, exists, linked, referred';

const operators: [text: string, expected: string][] = [
  ['equal(a,1)', "unknown operator 'equal' at character 1" + ALL],
  ['neq(a,1)', "unknown operator 'neq' at character 1 (did you mean 'ne'?)"],
  ['like(a,1)', "unknown operator 'like' at character 1 (did you mean 'contains'?)"],
  ['isNotNull(a)', "unknown operator 'isNotNull' at character 1 (did you mean 'not(isnull(…))'?)"],
  ['EQ(a,1)', "unknown operator 'EQ' at character 1 (did you mean 'eq'?)"],
  ['And(isnull(a))', "unknown operator 'And' at character 1 (did you mean 'and'?)"],
  ['and(isnull(a), containss(b,1))', "unknown operator 'containss' at character 16 (did you mean 'contains'?)"],
  ['constructor(a,1)', "unknown operator 'constructor' at character 1" + ALL],
  ['__proto__(a,1)', "unknown operator '__proto__' at character 1" + ALL],
  ['title=5', "unknown operator 'title=5' at character 1" + ALL],
  ['🙂(a,1)', "unknown operator '🙂' at character 1" + ALL],
  [`${'🙂'.repeat(41)}(a,1)`, `unknown operator '${'🙂'.repeat(40)}…' at character 1` + ALL],
];

describe('parseFilter refuses', () => {
  it.each(syntax)('%j', (text, expected) => expect(code(text)).toBe(`filter.syntax: ${expected}`));

  it.each(syntax)('%j in a rule too', (text, expected) => {
    expect(code(text, { members: true })).toBe(`filter.syntax: ${expected}`);
  });

  it.each(rules)('in a rule: %s', (text, expected) => {
    expect(code(text, { members: true })).toBe(`filter.syntax: ${expected}`);
    expect(code(text)).toBe('accepted');
  });

  it.each(operators)('%s', (text, expected) => expect(code(text)).toBe(`filter.unknown_operator: ${expected}`));
});
