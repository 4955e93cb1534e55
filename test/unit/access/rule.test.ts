/** What a rule means for a caller, and that a rule which cannot be applied is false. */
import { describe, expect, it } from 'vitest';
import { checkRule, exceedRuleLimits, NEVER, rulesPredicate } from '../../../src/access/rule.js';
import { everyField } from '../../../src/model/predicate/predicate.js';
import { getStatement } from '../../../src/sql/list/select.sql.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { ANONYMOUS, memberCaller } from '../../../src/tenancy/caller.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const model = modelWith({
  kinds: [kind('city', ['name', 'owner', 'size', 'account']), kind('person', ['team'])],
  parameters: [
    parameter('name', 'string'),
    parameter('team', 'string'),
    parameter('size', 'integer'),
    parameter('owner', 'unit', { reference_kind: 'person' }),
    // As only a forged import has it.
    parameter('account', 'unit', { reference_kind: 'kind_system_user' }),
  ],
  members: ['person'],
});
const RULES = ['eq(owner,@member.id)', 'and(eq(name,x),ne(name,@member.team))'];
const city = kindIn(model, 'city');
const member = memberCaller('m', 'person');

describe('a rule', () => {
  it('with the id of the member compares with it', () => {
    const predicate = rulesPredicate(['eq(owner,@member.id)'], city, member, model);
    expect(predicate).not.toEqual(NEVER);
    expect(JSON.stringify(predicate)).toContain('"m"');
  });

  it('with another value of the member requires that it is present', () => {
    expect(rulesPredicate(['not(eq(name,@member.team))'], city, member, model)).toMatchObject({
      op: 'and',
      parts: [{ op: 'present' }, { op: 'not' }],
    });
  });

  it.each([
    ['names a parameter that is gone', 'eq(gone,1)', member],
    ['cannot be parsed', 'eq(name', member],
    ['names a credential', 'contains(account.password_hash,x)', member],
    ['compares values of different types', 'eq(size,@member.team)', member],
    ['names a value that the member kind does not have', 'ne(name,@member.gone)', member],
    ['names a value of the member, without a member', 'not(eq(owner,@member.id))', ANONYMOUS],
  ])('is false where it %s', (_, rule, caller) => {
    expect(rulesPredicate([rule], city, caller, model)).toEqual(NEVER);
  });

  it.each([
    ['eq(gone,1)', 'filter.unknown_parameter'],
    ['eq(name,@member.gone)', 'filter.unknown_parameter'],
    ['eq(size,@member.team)', 'filter.bad_value'],
    ['eq(name', 'filter.syntax'],
    ['contains(account.password_hash,x)', 'filter.unknown_parameter'],
    ['eq(name,@before.name)', 'filter.unknown_parameter'],
  ])('%s is refused when it is stored', (rule, code) => {
    expect(() => checkRule(rule, 'read', city, model)).toThrow(expect.objectContaining({ code }) as Error);
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
    const predicateFor = (id: string) => rulesPredicate(['eq(name,x)'], city, memberCaller(id, 'person'), model);
    expect(predicateFor('first')).toBe(predicateFor('second'));
  });

  it('counts towards the limit of tests', () => {
    const rule = `or(${Array.from({ length: 50 }, (_, at) => `eq(size,${at})`).join(',')})`;
    const rules = Array.from({ length: LIMITS.ruleTests / 50 }, () => rule);
    expect(exceedRuleLimits(rules, city, member, model)).toBe(false);
    expect(exceedRuleLimits([...rules, 'eq(size,0)'], city, member, model)).toBe(true);
  });
});

describe('a rule over linked units of many kinds', () => {
  const kinds = Array.from({ length: 400 }, (_, at) => kind(`kind${at}`, ['name', 'owner']));
  const many = modelWith({
    kinds: [...kinds, kind('person', ['team'])],
    parameters: [
      parameter('name', 'string'),
      parameter('team', 'string'),
      parameter('owner', 'unit', { reference_kind: 'person' }),
    ],
    members: ['person'],
  });
  const first = kindIn(many, 'kind0');
  const limited = (...rules: string[]) => exceedRuleLimits(rules, first, member, many);

  it('counts its tests once, and is one statement', () => {
    const rule = 'linked(link,child,and(eq(owner,@member.id),eq(name,x)))';
    expect(limited(rule)).toBe(false);
    const access = rulesPredicate([rule], first, member, many);
    const fields = [...everyField(first.fields).values()];
    const { text, points = 0 } = getStatement({ schema: 'project_a', kind: first, fields, access }, 'a');
    expect(text.match(/WHEN 'kind\d+'/g)).toHaveLength(400);
    expect(points).toBeLessThan(LIMITS.statementPoints / 2);
  });

  it.each([
    ['more tests than the limit in all kinds', ['linked(link,child,or(eq(name,x),eq(name,y),eq(name,z)))']],
    ['a lookup over a reference in each kind', ['linked(link,child,eq(owner.team,red))']],
    ['several of them', ['x', 'y', 'z'].map((name) => `linked(link,child,eq(name,${name}))`)],
  ])('is larger than the limit with %s', (_, rules) => expect(limited(...rules)).toBe(true));

  it('may look up references in kinds that it names', () => {
    expect(limited('linked(link,child,[kind1,kind2],eq(owner.team,red))')).toBe(false);
    expect(limited(`linked(link,child,kind1,or(${Array.from({ length: 250 }, () => 'eq(name,x)').join()}))`)).toBe(
      false,
    );
  });
});
