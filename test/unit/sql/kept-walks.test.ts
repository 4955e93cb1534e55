/** The texts of plain walks and links are kept: each use brings its values, and nothing that matters is taken for another. */
import { describe, expect, it } from 'vitest';
import type { KindDef } from '../../../src/model/model.js';
import type { Predicate } from '../../../src/model/predicate.js';
import { insertLinkStatement, type LinkPlan } from '../../../src/sql/link.sql.js';
import { walkStatement, type WalkPlan } from '../../../src/sql/walk.sql.js';
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

function shown(kinds: readonly KindDef[]): WalkPlan['shown'] {
  return kinds.map((each) => {
    const read = { schema: 'project_x', kind: each, access: undefined, fields: fieldsOf(each) };
    return { kind: each, access: undefined, read, filter: undefined, order: [] };
  });
}

const lists = new Map<KindDef, WalkPlan['shown'][number]['read']['fields']>();
function fieldsOf(each: KindDef) {
  const known = lists.get(each) ?? [...each.fields.values()];
  lists.set(each, known);
  return known;
}

const walk: WalkPlan = {
  schema: 'project_x',
  direction: 'child',
  depth: 0,
  linkIds: undefined,
  passed: [city, land].map((each) => ({ kind: each, access: undefined })),
  passesAll: true,
  start: { kind: city, key: 'a', access: undefined },
  shown: shown([city, land]),
  met: undefined,
  selects: false,
  order: [],
  limit: 100,
  offset: 0,
  count: 'exact',
};

/** Everything by which two walks differ in their text. */
const OTHERS: Partial<WalkPlan>[] = [
  { schema: 'project_y' },
  { direction: 'parent' },
  { depth: 1 },
  { depth: 2 },
  { linkIds: ['road'] },
  { linkIds: ['road', 'rail'] },
  { passesAll: false },
  { passesAll: false, passed: [{ kind: city, access: undefined }] },
  { passed: [{ kind: city, access: rule }, ...walk.passed.slice(1)] },
  { start: { kind: land, key: 'a', access: undefined } },
  { start: { kind: city, key: 'a', access: rule } },
  { shown: shown([city]), selects: true },
  { shown: shown([land]), selects: true },
  { shown: walk.shown.map(({ read, ...part }) => ({ ...part, read: { ...read, fields: read.fields.slice(0, 2) } })) },
  { met: [] },
  { met: ['city'] },
  { limit: 50 },
  { limit: 51 },
  { count: 'none' },
  { offset: 5 },
];

describe('a walk', () => {
  it('has one text for all starts, which is made once', () => {
    const [one, other] = ['a', 'b'].map((key) => walkStatement({ ...walk, start: { ...walk.start, key } }));
    expect(other?.text).toBe(one?.text);
    expect([one?.values, other?.values]).toEqual([['a'], ['b']]);
    const typed = (linkIds: string[]) => walkStatement({ ...walk, linkIds });
    expect(typed(['rail'])).toEqual({ ...typed(['road']), values: ['a', 'rail'] });
    expect(typed(['rail', 'x'])).toEqual({ ...typed(['road', 'y']), values: ['a', ['rail', 'x']] });
  });

  it('has a text of its own by all else', () => {
    const plans = [walk, ...OTHERS.map((other) => ({ ...walk, ...other }))];
    const texts = () => plans.map((plan) => walkStatement(plan).text);
    const first = texts();
    expect(new Set(first).size).toBe(plans.length);
    expect(texts()).toEqual(first);
  });

  it('has that of its kinds as they are now', () => {
    const changed = kindIn(modelWith({ ...RECORDS, kinds: [kind('city', []), kind('land', ['name'])] }), 'city');
    const text = walkStatement({ ...walk, shown: shown([changed, land]) }).text;
    expect(text).not.toBe(walkStatement(walk).text);
    expect(text.match(/"name"/g)).toHaveLength(2);
  });
});

describe('making a link', () => {
  const plan: LinkPlan = {
    schema: 'project_x',
    version: 7,
    linkId: 'road',
    parent: { kind: city, key: 'a', access: undefined },
    allowed: undefined,
    child: { kind: land, key: 'b', access: undefined },
  };

  it('has one text, and one of its own by kinds and rules', () => {
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
