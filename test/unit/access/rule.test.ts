/** What a rule means for a caller, and that a rule which cannot be applied is false. */
import { describe, expect, it } from 'vitest';
import { checkRule, exceedRuleLimits, NEVER, rulePredicate, rulesPredicate } from '../../../src/access/rule.js';
import { everyField } from '../../../src/model/predicate/predicate.js';
import { getStatement } from '../../../src/sql/select.sql.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { ANONYMOUS, memberCaller } from '../../../src/tenancy/caller.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const model = modelWith({
  kinds: [kind('city', ['name', 'owner', 'size']), kind('person', ['team'])],
  parameters: [
    parameter('name', 'string'),
    parameter('team', 'string'),
    parameter('size', 'integer'),
    parameter('owner', 'unit', { reference_kind: 'person' }),
  ],
  members: ['person'],
});
const RULES = ['eq(owner,@member.id)', 'and(eq(name,x),ne(name,@member.team))'];
const city = kindIn(model, 'city');
const member = memberCaller('m', 'person');

describe('a rule', () => {
  it('with the id of the member compares with it', () => {
    const predicate = rulePredicate('eq(owner,@member.id)', city, member, model);
    expect(predicate).not.toEqual(NEVER);
    expect(JSON.stringify(predicate)).toContain('"m"');
  });

  it('with another value of the member requires that it is present', () => {
    expect(rulePredicate('not(eq(name,@member.team))', city, member, model)).toMatchObject({
      op: 'and',
      parts: [{ op: 'present' }, { op: 'not' }],
    });
  });

  it.each([
    ['names a parameter that is gone', 'eq(gone,1)', member],
    ['cannot be parsed', 'eq(name', member],
    ['compares values of different types', 'eq(size,@member.team)', member],
    ['names a value that the member kind does not have', 'ne(name,@member.gone)', member],
    ['names a value of the member, without a member', 'not(eq(owner,@member.id))', ANONYMOUS],
  ])('is false where it %s', (_, rule, caller) => {
    expect(rulePredicate(rule, city, caller, model)).toEqual(NEVER);
  });

  it.each([
    ['eq(gone,1)', 'filter.unknown_parameter'],
    ['eq(name,@member.gone)', 'filter.unknown_parameter'],
    ['eq(size,@member.team)', 'filter.bad_value'],
    ['eq(name', 'filter.syntax'],
  ])('%s is refused when it is stored', (rule, code) => {
    expect(() => checkRule(rule, city, model)).toThrow(expect.objectContaining({ code }) as Error);
  });

  it('has one statement text for all members, and the id of each', () => {
    const [fields, key] = [everyField(city.fields), 'a'];
    const statementOf = (id: string) => {
      const access = rulesPredicate(RULES, city, memberCaller(id, 'person'), model);
      return getStatement({ schema: 's', kind: city, fields, access }, key);
    };
    const [first, second] = [statementOf('first'), statementOf('second')];
    expect(second.text).toBe(first.text);
    expect(new Set(first.values)).toEqual(new Set(['a', 'first', 'x']));
    expect(new Set(second.values)).toEqual(new Set(['a', 'second', 'x']));
    const access = rulesPredicate(RULES.slice(1), city, member, model);
    expect(getStatement({ schema: 's', kind: city, fields, access }, key).text).not.toBe(first.text);
  });

  it('that names no member is the same predicate for all members', () => {
    const predicateFor = (id: string) => rulePredicate('eq(name,x)', city, memberCaller(id, 'person'), model);
    expect(predicateFor('first')).toBe(predicateFor('second'));
  });

  it('counts towards the limit of tests', () => {
    const rule = `or(${Array.from({ length: 50 }, (_, at) => `eq(size,${at})`).join(',')})`;
    const rules = Array.from({ length: LIMITS.ruleTests / 50 }, () => rule);
    expect(exceedRuleLimits(rules, city, member, model)).toBe(false);
    expect(exceedRuleLimits([...rules, 'eq(size,0)'], city, member, model)).toBe(true);
  });
});
