/** Canonical texts of trees, and what walks find in them. */
import { describe, expect, it } from 'vitest';
import type { Filter, Scalar } from '../../../src/filter/filter.ast.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { printFilter, printPath } from '../../../src/filter/filter.printer.js';
import { memberPathsOf, pathsOf, filterTests, testValues } from '../../../src/filter/filter.walk.js';
import { bare, list, path, quoted } from './filter.support.js';

const printed: [text: string, canonical: string][] = [
  [' eq ( a , b c ) ', 'eq(a,b c)'],
  ['ge(a,1)', 'gt(a,1)'],
  ['get(a,1)', 'gte(a,1)'],
  ['in(a, [ b , "c,d" ] )', 'in(a,b,"c,d")'],
  ['eq(a,[ b , c ])', 'eq(a,[b,c])'],
  ['eq(a, f(x, y))', 'eq(a,f(x, y))'],
  ['eq("@member".a,x)', 'eq("@member".a,x)'],
  ['eq(a,"b")', 'eq(a,"b")'],
  ['eq(a,"\\"\\\\")', 'eq(a,"\\"\\\\")'],
  ['isnull(a,true)', 'isnull(a)'],
  ['isnull( a , false )', 'isnull(a,false)'],
  ['isnull("a" . "b.c" . "" . d)', 'isnull(a."b.c"."".d)'],
  ['and( or( isnull(a) ) , not( isnull(b) ) )', 'and(or(isnull(a)),not(isnull(b)))'],
  ['eq(a,@member.id)', 'eq(a,"@member.id")'],
  ['and( all( ) , not(all()) )', 'and(all(),not(all()))'],
  ['eq(all,1)', 'eq(all,1)'],
  ['exists( b . c )', 'exists(b.c)'],
  ['exists(b.c, ge( d , 1 ) )', 'exists(b.c,gt(d,1))'],
  ['not(exists(b.c,exists(d.e,eq(f,"g"))))', 'not(exists(b.c,exists(d.e,eq(f,"g"))))'],
  ['linked(b , child)', 'linked(b,child)'],
  ['linked(b,parent,[ c ])', 'linked(b,parent,c)'],
  ['linked(b,child, [c , d,c] , isnull( e ))', 'linked(b,child,[c,d],isnull(e))'],
  ['linked(b,child,eq(c,1))', 'linked(b,child,eq(c,1))'],
  ['linked(b,child,exists,eq(c,1))', 'linked(b,child,exists,eq(c,1))'],
  ['not(referred ( ))', 'not(referred())'],
  ['referred( a , isnull(b))', 'referred(a,isnull(b))'],
  ['referred(a.b)', 'referred(a.b)'],
  ['gt( count_related (b.c) , 5)', 'gt(count_related(b.c),5)'],
  ['in(count_linked(b,child,c,gt(d,1)), [1, 2])', 'in(count_linked(b,child,c,gt(d,1)),1,2)'],
  ['eq(count_related,1)', 'eq(count_related,1)'],
  ['gt( sum_related (b.c , d), 5)', 'gt(sum_related(b.c,d),5)'],
  ['gt(sum_related(b.c,mul( add(d , -1.5), e.f ), eq(g,1)),5)', 'gt(sum_related(b.c,mul(add(d,-1.5),e.f),eq(g,1)),5)'],
  ['gt(sum_related(b.c,div("d","1")),5)', 'gt(sum_related(b.c,div(d,"1")),5)'],
  ['gt(sum_related(b.c,mul(count_related(d.e),mul)),5)', 'gt(sum_related(b.c,mul(count_related(d.e),mul)),5)'],
  ['similar( a , b c )', 'similar(a,b c)'],
  ['similar(a.b,"c, d", .4 )', 'similar(a.b,"c, d",.4)'],
  ['eq(exists.linked,1)', 'eq(exists.linked,1)'],
];

/** How a bare text comes out alone, in the list of `in`, and in brackets. */
const scalars: [text: string, alone: string, listed: string, bracketed: string][] = [
  ['a', 'a', 'a', 'a'],
  ['a"\\', 'a"\\', 'a"\\', 'a"\\'],
  ['a,b', 'a,b', '"a,b"', '"a,b"'],
  ['a]', 'a]', 'a]', '"a]"'],
  ['a[', 'a[', 'a[', 'a['],
  ['(a)', '(a)', '(a)', '(a)'],
  ['', '""', '""', '""'],
  [' a', '" a"', '" a"', '" a"'],
  ['a\n', '"a\n"', '"a\n"', '"a\n"'],
  ['\u00a0', '"\u00a0"', '"\u00a0"', '"\u00a0"'],
  ['[a', '"[a"', '"[a"', '"[a"'],
  ['"a"', '"\\"a\\""', '"\\"a\\""', '"\\"a\\""'],
  ['@a', '"@a"', '"@a"', '"@a"'],
  ['a)', '"a)"', '"a)"', '"a)"'],
  ['(a', '"(a"', '"(a"', '"(a"'],
  [')(', '")("', '")("', '")("'],
];

describe('printFilter', () => {
  it.each(printed)('%s', (text, canonical) => {
    const filter = parseFilter(text);
    expect(printFilter(filter)).toBe(canonical);
    expect(printFilter(parseFilter(canonical))).toBe(canonical);
  });

  it('prints paths from a member', () => {
    const filter = parseFilter('eq( @member . team."a b" , x )', { members: true });
    expect(printFilter(filter)).toBe('eq(@member.team."a b",x)');
  });

  it('prints the values of a member', () => {
    const text = 'or(eq(a,@member.id),in(b,@member.b,c))';
    expect(printFilter(parseFilter(text, { members: true }))).toBe(text);
  });

  it.each(scalars)('quotes %j only if needed', (text, alone, listed, bracketed) => {
    const value: Scalar = bare(0, text);
    const print = (filter: Filter) => printFilter(filter);
    expect(print({ op: 'eq', path: path(0, 'p'), value, at: 0 })).toBe(`eq(p,${alone})`);
    expect(print({ op: 'in', path: path(0, 'p'), value: list(0, value), at: 0 })).toBe(`in(p,${listed})`);
    expect(print({ op: 'eq', path: path(0, 'p'), value: list(0, value), at: 0 })).toBe(`eq(p,[${bracketed}])`);
  });

  it('prints a path alone', () => expect(printPath(['meta', 'a.b', 'c'])).toBe('meta."a.b".c'));
});

describe('a walk', () => {
  const filter = parseFilter('and(eq(a,@member.id),or(not(in(b.c,"x",@member.team,@member.id)),isnull(a)))', {
    members: true,
  });

  it('finds tests, paths and members in the order of the text', () => {
    expect(filterTests(filter).map((test) => test.op)).toEqual(['eq', 'in', 'isnull']);
    expect(pathsOf(filter)).toEqual([path(8, 'a'), path(32, 'b', 'c'), path(73, 'a')]);
    expect(memberPathsOf(filter)).toEqual([['id'], ['team'], ['id']]);
  });

  it('finds the values of a test', () => {
    expect(filterTests(filter).map((test) => testValues(test).length)).toEqual([1, 3, 0]);
    expect(filterTests(parseFilter('eq(a,[b,"c"])')).flatMap(testValues)).toEqual([bare(7, 'b'), quoted(9, 'c')]);
  });
});
