/** The template of creating a link: each use binds its values, and different plans have different templates. */
import { describe, expect, it } from 'vitest';
import type { KindDef } from '../../../src/model/model.js';
import type { Predicate } from '../../../src/model/predicate/predicate.js';
import { insertLinkStatement } from '../../../src/sql/link/link.sql.js';
import type { LinkPlan } from '../../../src/sql/link/link-ends.sql.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';

const RECORDS = { kinds: [kind('city', ['name']), kind('land', ['name'])], parameters: [parameter('name', 'string')] };
const model = modelWith(RECORDS);
const [city, land] = ['city', 'land'].map((id) => kindIn(model, id)) as [KindDef, KindDef];
const rule: Predicate = {
  op: 'is',
  target: { field: city.keyField, keys: [] },
  negated: false,
  value: '0198c0de-0000-7000-8000-000000000009',
};

describe('making a link', () => {
  const plan: LinkPlan = {
    schema: 'project_x',
    version: 7,
    linkId: 'road',
    shown: [],
    parent: { kind: city, key: 'a', access: undefined },
    allowed: undefined,
    child: { kind: land, key: 'b', access: undefined },
  };

  it('has one text for each combination of kinds and rules', () => {
    const one = insertLinkStatement(plan);
    const other = insertLinkStatement({ ...plan, version: 8, linkId: 'rail', parent: { ...plan.parent, key: 'c' } });
    expect(other.text).toBe(one.text);
    expect([one.values, other.values].map((values) => [...values].sort())).toEqual([
      [7, 'a', 'b', 'road'],
      [8, 'b', 'c', 'rail'],
    ]);
    const others: Partial<LinkPlan>[] = [
      { schema: 'project_y' },
      { parent: { ...plan.parent, kind: land } },
      { child: { ...plan.child, kind: city } },
      { allowed: rule },
      { parent: { ...plan.parent, access: rule } },
    ];
    const texts = [plan, ...others.map((each) => ({ ...plan, ...each }))].map((each) => insertLinkStatement(each).text);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
