/** Predicates: their tests are found and replaced in every combination. */
import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { resolveAbsent, sharedNames } from '../../../src/model/predicate/absent-parameter.js';
import { extentOf } from '../../../src/model/predicate/predicate-cost.js';
import { bindRule } from '../../../src/model/predicate/bound-rule.js';
import { followsReferences, type Predicate } from '../../../src/model/predicate/predicate.js';
import { testedFields } from '../../../src/model/predicate/related.js';
import { resolveFilter } from '../../../src/model/predicate/resolve-filter.js';
import { referenceAccess } from '../../../src/access/reference-access.js';
import { SYSTEM } from '../../../src/tenancy/caller.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const model = modelWith({
  kinds: [kind('city', ['name', 'country']), kind('country', ['label_code'])],
  parameters: [
    parameter('name', 'string'),
    parameter('label_code', 'string'),
    parameter('country', 'unit', { reference_kind: 'country' }),
  ],
});
const city = kindIn(model, 'city');
const reach = referenceAccess(SYSTEM, model);

function predicateOf(filter: string): Predicate {
  return resolveFilter(parseFilter(filter), { kind: city, visible: city.fields, reach });
}

describe('a predicate', () => {
  it('has the fields that its tests name, each once; of a path the reference', () => {
    const predicate = predicateOf('or(not(and(eq(name,a),in(name,b,c))),isnull(country.label_code),eq(kind_id,city))');
    expect(testedFields(predicate).map(({ id }) => id)).toEqual(['name', 'country']);
  });

  it('follows references if any of its tests does', () => {
    expect(followsReferences(predicateOf('and(eq(name,a),not(eq(country.label_code,b)))'))).toBe(true);
    expect(followsReferences(predicateOf('and(eq(name,a),not(isnull(country)))'))).toBe(false);
  });

  it('has the extent of its tests and of the references that they share', () => {
    const predicate = predicateOf('and(eq(country.label_code,a),not(eq(country.label_code,b)),eq(name,c))');
    expect(extentOf([predicate])).toEqual({ tests: 3, lookups: 1, related: 0, inKinds: 0 });
  });

  it('is bound to a member in every part', () => {
    const value = { kind: city, field: city.keyField, memberId: '' };
    const test: Predicate = {
      op: 'member',
      target: { field: city.keyField, keys: [] },
      test: 'eq',
      values: [value, 'x'],
    };
    const rule: Predicate = {
      op: 'and',
      parts: [
        { op: 'present', value },
        { op: 'not', part: test },
      ],
    };
    const bound = { ...value, memberId: 'm' };
    expect(bindRule(rule, 'm')).toEqual({
      op: 'and',
      parts: [
        { op: 'present', value: bound },
        { op: 'not', part: { ...test, values: [bound, 'x'] } },
      ],
    });
  });

  it.each([
    ['eq(name,a)', false],
    ['ne(name,a)', true],
    ['isnull(name)', true],
    ['isnull(name,false)', false],
    ['in(name,a,b)', false],
    ['gt(name,a)', false],
    ['contains(name,a)', false],
  ])('tests a parameter that a kind lacks as null: %s is %s', (filter, value) => {
    const kinds = [city, kindIn(model, 'country')].map((kind) => ({ kind, visible: kind.fields }));
    const { visible, absent } = sharedNames(kinds, undefined)(kindIn(model, 'country').fields);
    const predicate = resolveFilter(parseFilter(`not(${filter})`), { kind: kindIn(model, 'country'), visible });
    expect(resolveAbsent(predicate, absent)).toEqual({ op: 'not', part: { op: 'constant', value } });
  });
});
