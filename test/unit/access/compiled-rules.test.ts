/** Compiled rules are kept while they are used, and as many as there is room for. */
import { expect, it } from 'vitest';
import { compiledOnce } from '../../../src/access/rule.js';
import type { Predicate } from '../../../src/model/predicate/predicate.js';
import { kind, modelWith, parameter } from '../../support/models.js';

const model = modelWith({ kinds: [kind('city', ['name'])], parameters: [parameter('name', 'string')], members: [] });
const city = model.kinds.get('city')!;
const field = city.fields.get('name')!;
const test: Predicate = { op: 'is', target: { field, keys: [] }, negated: false, value: 'x' };

/** Asks for rules, and tells whether they had to be compiled. */
function isCompiled(rules: readonly string[], { key = 'person', tests = 1 } = {}): boolean {
  let compiled = false;
  compiledOnce(city, key, rules, () => {
    compiled = true;
    return { predicate: { op: 'or', parts: Array.from({ length: tests }, () => test) }, excess: false };
  });
  return compiled;
}

it('rules are compiled once for a kind of members', () => {
  expect(isCompiled(['eq(name,x)'])).toBe(true);
  expect(isCompiled(['eq(name,x)'])).toBe(false);
  expect(isCompiled(['eq(name,x)'], { key: 'clerk' })).toBe(true);
  expect(isCompiled(['eq(name,x)', 'eq(name,y)'])).toBe(true);
});

it('those that are used stay, others go when there are too many', () => {
  const [used, idle] = [['eq(name,used)'], ['eq(name,idle)']];
  isCompiled(used);
  isCompiled(idle);
  for (let at = 0; at < 200; at += 1) {
    isCompiled([`eq(name,${at})`], { tests: 1000 });
    expect(isCompiled(used)).toBe(false);
  }
  expect(isCompiled(idle)).toBe(true);
});
