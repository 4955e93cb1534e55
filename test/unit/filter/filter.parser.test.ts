/** Every accepted form of a filter expression with its exact tree. */
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../src/filter/filter.ast.js';
import { COMPARATORS } from '../../../src/filter/filter.ast.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { bare, code, list, member, path, quoted } from './filter.support.js';

const accepted: [text: string, tree: Filter][] = [
  ['eq(code,abc)', { op: 'eq', path: path(4, 'code'), value: bare(9, 'abc'), at: 1 }],
  ['ge(n,1)', { op: 'gt', path: path(4, 'n'), value: bare(6, '1'), at: 1 }],
  ['get(n,1)', { op: 'gte', path: path(5, 'n'), value: bare(7, '1'), at: 1 }],

  // A bare value: to the closing parenthesis of the call, ends trimmed.
  ['eq(name,  New York  )', { op: 'eq', path: path(4, 'name'), value: bare(11, 'New York'), at: 1 }],
  ['eq(name,a,b)', { op: 'eq', path: path(4, 'name'), value: bare(9, 'a,b'), at: 1 }],
  ['eq(name,,)', { op: 'eq', path: path(4, 'name'), value: bare(9, ','), at: 1 }],
  ['eq(name,f(x,(y)) z)', { op: 'eq', path: path(4, 'name'), value: bare(9, 'f(x,(y)) z'), at: 1 }],
  ['eq(name,())', { op: 'eq', path: path(4, 'name'), value: bare(9, '()'), at: 1 }],
  ['eq(name,a"b\\c]d[)', { op: 'eq', path: path(4, 'name'), value: bare(9, 'a"b\\c]d['), at: 1 }],
  ['eq(name,null)', { op: 'eq', path: path(4, 'name'), value: bare(9, 'null'), at: 1 }],
  ['eq(name,100%_)', { op: 'eq', path: path(4, 'name'), value: bare(9, '100%_'), at: 1 }],
  ['lt(day,01-01-2024)', { op: 'lt', path: path(4, 'day'), value: bare(8, '01-01-2024'), at: 1 }],
  ['eq(name,@x)', { op: 'eq', path: path(4, 'name'), value: bare(9, '@x'), at: 1 }],
  ['eq(name,@member.id)', { op: 'eq', path: path(4, 'name'), value: bare(9, '@member.id'), at: 1 }],

  // A quoted value.
  ['eq(name,"")', { op: 'eq', path: path(4, 'name'), value: quoted(9, ''), at: 1 }],
  ['eq(name, " a, (b" )', { op: 'eq', path: path(4, 'name'), value: quoted(10, ' a, (b'), at: 1 }],
  ['eq(name,"\\"\\\\\n")', { op: 'eq', path: path(4, 'name'), value: quoted(9, '"\\\n'), at: 1 }],
  ['eq(name,"[a]")', { op: 'eq', path: path(4, 'name'), value: quoted(9, '[a]'), at: 1 }],

  // A list, with the operators of the whole array too.
  ['eq(tags,[a,b])', { op: 'eq', path: path(4, 'tags'), value: list(9, bare(10, 'a'), bare(12, 'b')), at: 1 }],
  ['eq(tags,[a])', { op: 'eq', path: path(4, 'tags'), value: list(9, bare(10, 'a')), at: 1 }],
  [
    'ne(tags, [ "a,]" , b (c) , d[ ] )',
    { op: 'ne', path: path(4, 'tags'), value: list(10, quoted(12, 'a,]'), bare(20, 'b (c)'), bare(28, 'd[')), at: 1 },
  ],
  ['eq(tags,[""])', { op: 'eq', path: path(4, 'tags'), value: list(9, quoted(10, '')), at: 1 }],
  ['in(code,a,b)', { op: 'in', path: path(4, 'code'), value: list(9, bare(9, 'a'), bare(11, 'b')), at: 1 }],
  ['in(code,[a,b])', { op: 'in', path: path(4, 'code'), value: list(9, bare(10, 'a'), bare(12, 'b')), at: 1 }],
  ['in(code,a)', { op: 'in', path: path(4, 'code'), value: list(9, bare(9, 'a')), at: 1 }],
  [
    'in(code, "a,b" , c (d) ,e])',
    { op: 'in', path: path(4, 'code'), value: list(10, quoted(10, 'a,b'), bare(18, 'c (d)'), bare(25, 'e]')), at: 1 },
  ],

  ['isnull(code)', { op: 'isnull', path: path(8, 'code'), value: true, at: 1 }],
  ['isnull(code,true)', { op: 'isnull', path: path(8, 'code'), value: true, at: 1 }],
  [' isnull ( code , false ) ', { op: 'isnull', path: path(11, 'code'), value: false, at: 2 }],

  // Paths.
  ['isnull(country.name)', { op: 'isnull', path: path(8, 'country', 'name'), value: true, at: 1 }],
  ['isnull(a.b.c.d.e)', { op: 'isnull', path: path(8, 'a', 'b', 'c', 'd', 'e'), value: true, at: 1 }],
  ['isnull(meta."a.b")', { op: 'isnull', path: path(8, 'meta', 'a.b'), value: true, at: 1 }],
  ['isnull(meta . "" . "\\"")', { op: 'isnull', path: path(8, 'meta', '', '"'), value: true, at: 1 }],
  ['isnull("co de")', { op: 'isnull', path: path(8, 'co de'), value: true, at: 1 }],
  ['isnull(No-Such$Näme)', { op: 'isnull', path: path(8, 'No-Such$Näme'), value: true, at: 1 }],
  ['isnull(__proto__)', { op: 'isnull', path: path(8, '__proto__'), value: true, at: 1 }],
  ['isnull(and)', { op: 'isnull', path: path(8, 'and'), value: true, at: 1 }],

  // Nesting.
  ['and(isnull(a))', { op: 'and', filters: [{ op: 'isnull', path: path(12, 'a'), value: true, at: 5 }], at: 1 }],
  [
    'or( eq(a,1) ,\tnot(\nisnull(b) ) )',
    {
      op: 'or',
      filters: [
        { op: 'eq', path: path(8, 'a'), value: bare(10, '1'), at: 5 },
        { op: 'not', filter: { op: 'isnull', path: path(27, 'b'), value: true, at: 20 }, at: 15 },
      ],
      at: 1,
    },
  ],
  [
    'and(eq(a,x,y),in(b,1,2))',
    {
      op: 'and',
      filters: [
        { op: 'eq', path: path(8, 'a'), value: bare(10, 'x,y'), at: 5 },
        { op: 'in', path: path(18, 'b'), value: list(20, bare(20, '1'), bare(22, '2')), at: 15 },
      ],
      at: 1,
    },
  ],

  // Characters are code points.
  [
    'and(eq(a,🙂"مرحبا),isnull(b))',
    {
      op: 'and',
      filters: [
        { op: 'eq', path: path(8, 'a'), value: bare(10, '🙂"مرحبا'), at: 5 },
        { op: 'isnull', path: path(26, 'b'), value: true, at: 19 },
      ],
      at: 1,
    },
  ],
];

const rules: [text: string, tree: Filter][] = [
  ['eq(owner,@member.id)', { op: 'eq', path: path(4, 'owner'), value: member(10, 'id'), at: 1 }],
  ['eq(k, @member.kind_id )', { op: 'eq', path: path(4, 'k'), value: member(7, 'kind_id'), at: 1 }],
  [
    'in(team,@member.team_1,b,"@member.id")',
    {
      op: 'in',
      path: path(4, 'team'),
      value: list(9, member(9, 'team_1'), bare(24, 'b'), quoted(26, '@member.id')),
      at: 1,
    },
  ],
  ['eq(t,[@member.id])', { op: 'eq', path: path(4, 't'), value: list(6, member(7, 'id')), at: 1 }],
  ['eq(mail,a@member.id)', { op: 'eq', path: path(4, 'mail'), value: bare(9, 'a@member.id'), at: 1 }],
  ['eq(mail,"@x")', { op: 'eq', path: path(4, 'mail'), value: quoted(9, '@x'), at: 1 }],
];

describe('parseFilter accepts', () => {
  it.each(accepted)('%s', (text, tree) => expect(parseFilter(text)).toEqual(tree));

  it.each(rules)('in a rule: %s', (text, tree) => expect(parseFilter(text, { members: true })).toEqual(tree));

  it.each(COMPARATORS)('the operator %s', (op) => expect(parseFilter(`${op}(a,1)`)).toMatchObject({ op }));

  it('returns frozen nodes', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(parseFilter('and(not(in(a."b",1,"2")),isnull(c),eq(d,[@member.id]))', { members: true }))).toBe(true);
  });
});

describe('the limits of a filter', () => {
  const sized = (bytes: number) => `eq(a,${'x'.repeat(bytes - 'eq(a,)'.length)})`;
  const wide = (tests: number) => `and(${Array.from({ length: tests }, () => 'isnull(a)').join(',')})`;
  const deep = (levels: number) => `${'not('.repeat(levels)}isnull(a)${')'.repeat(levels)}`;

  it.each([sized(LIMITS.filterBytes), wide(LIMITS.filterTests), deep(LIMITS.filterDepth)])('%.30s… fits', (text) => {
    expect(() => parseFilter(text)).not.toThrow();
  });

  it('counts bytes, not characters', () => {
    const text = `eq(a,${'é'.repeat(LIMITS.filterBytes / 2 - 2)})`;
    expect(text.length).toBeLessThan(LIMITS.filterBytes);
    expect(code(text)).toBe('filter.too_large: a filter has at most 8192 bytes, got 8194');
  });

  it('refuses more', () => {
    expect(code(sized(LIMITS.filterBytes + 1))).toBe('filter.too_large: a filter has at most 8192 bytes, got 8193');
    expect(code(wide(LIMITS.filterTests + 1))).toBe(
      'filter.too_large: a filter has at most 200 tests; one too many at character 2005',
    );
    expect(code(deep(LIMITS.filterDepth + 1))).toBe(
      'filter.too_large: a filter has at most 20 levels; one too many at character 81',
    );
  });

  it.each(['not(', 'and(', 'or(not('])('survives 10,000 levels of %s', (call) => {
    expect(code(call.repeat(10_000))).toMatch(/^filter\.too_large: /);
    expect(code(call.repeat(1000))).toMatch(/^filter\.too_large: .* 20 levels/);
  });

  it('is not exhausted by parentheses and brackets in values', () => {
    expect(parseFilter(`eq(a,${'('.repeat(4000)}${')'.repeat(4000)})`)).toMatchObject({ op: 'eq' });
    expect(code(`eq(a,${'('.repeat(8000)}`)).toBe("filter.syntax: expected ')' at character 8006");
    expect(code(`eq(a,${'['.repeat(8000)}`)).toMatch(/^filter\.syntax: /);
  });
});
