/** Aggregations count what the caller may read, name what it may read, and take the units of several kinds together. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
const { items: people } = (await ok(project.get('/person/unit?limit=1'))) as { items: { id: string }[] };
const ann = people[0]?.id ?? '';
await defineKinds(
  project,
  { id: 'vault', access: { read: 'admin' }, parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'order',
    access: { read: 'eq(owner,@member.id)' },
    parameters: [
      { id: 'total', kind_id: 'integer' },
      { id: 'state', kind_id: 'string' },
      { id: 'margin', kind_id: 'integer', read_access: 'admin' },
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'store', kind_id: 'unit', reference_kind: 'vault' },
    ],
  },
  {
    id: 'line',
    parameters: [{ id: 'of', kind_id: 'unit', reference_kind: 'order' }, 'total'],
  },
  { id: 'note', parameters: [{ id: 'code_number', kind_id: 'integer', is_primary: true }, 'state'] },
);
const store = await createdId(project.post('/vault/unit', { name: 'gold' }));
const own = await createdId(project.post('/order/unit', { total: 10, state: 'paid', margin: 3, owner: ann, store }));
const other = await createdId(project.post('/order/unit', { total: 20, state: 'open', margin: 4, store }));
await ok(
  project.post('/line/unit', [
    { of: own, total: 1 },
    { of: own, total: 2 },
    { of: other, total: 4 },
  ]),
);
await ok(project.post('/note/unit', [{ code_number: 2, state: 'paid' }, { code_number: 1 }]));
await ok(project.post('/group/unit', { id: 'papers', kind_list: ['order', 'line', 'note'] }));

const groups = async (path: string, as = member) => {
  const { items } = (await ok(as.get(path))) as { items: Record<string, unknown>[] };
  return items;
};

describe('rules', () => {
  it('count only readable units', async () => {
    const path = '/order/aggregate?select=[count(),sum(total),last(state)]';
    expect(await groups(path)).toEqual([{ count: 1, sum_total: 10, last_state: 'paid' }]);
    expect(await groups(path, project)).toEqual([{ count: 2, sum_total: 30, last_state: 'open' }]);
  });

  it('hold behind references: what is out of sight is null', async () => {
    const path = '/line/aggregate?group=of.state&select=[sum(total),n:count(eq(of.total,20))]';
    expect(await groups(path)).toEqual([
      { of_state: 'paid', sum_total: 3, n: 0 },
      { of_state: null, sum_total: 4, n: 0 },
    ]);
    expect(await groups(path, project)).toEqual([
      { of_state: 'open', sum_total: 4, n: 1 },
      { of_state: 'paid', sum_total: 3, n: 0 },
    ]);
  });

  it.each([
    ['/order/aggregate?select=sum(margin)', 400, 'parameter.unknown'],
    ['/order/aggregate?select=n:count(gt(margin,1))', 400, 'filter.unknown_parameter'],
    ['/order/aggregate?group=margin', 400, 'parameter.unknown'],
    ['/order/aggregate?group=store.name', 403, 'access.denied'],
    ['/line/aggregate?select=max(of.margin)', 403, 'access.denied'],
    ['/vault/aggregate?select=count()', 403, 'access.denied'],
    ['/nope/aggregate?select=count()', 404, 'kind.unknown'],
    ['/group/nope/aggregate?select=count()', 404, 'group.unknown'],
  ])('%s is %i %s', async (path, status, code) => {
    const { body, ...reply } = await member.get(path);
    expect([reply.status, body.messages[0]?.code]).toEqual([status, code]);
  });

  it('need a token as lists do', async () => {
    expect((await anonymous(project).get('/order/aggregate?select=count()')).status).toBe(401);
  });
});

describe('several kinds', () => {
  it('are one table, in which a parameter that a kind lacks is null', async () => {
    const path = '/group/papers/aggregate';
    expect(await groups(`${path}?group=kind_id&select=[count(),sum(total)]`, project)).toEqual([
      { kind_id: 'line', count: 3, sum_total: 7 },
      { kind_id: 'note', count: 2, sum_total: null },
      { kind_id: 'order', count: 2, sum_total: 30 },
    ]);
    expect(await groups(`${path}?group=state&select=count()&order=count;desc`, project)).toEqual([
      { state: null, count: 4 },
      { state: 'paid', count: 2 },
      { state: 'open', count: 1 },
    ]);
    expect(await groups(`${path}?group=state&filter=eq(state,paid)&select=[first(kind_id),last(kind_id)]`)).toEqual([
      { state: 'paid', first_kind_id: 'order', last_kind_id: 'note' },
    ]);
    expect(await groups(`${path}?select=[count(),n:count(eq(of.state,paid))]`)).toEqual([{ count: 6, n: 2 }]);
  });

  it('of different types of a parameter are refused', async () => {
    const { status, body } = await project.get('/group/papers/aggregate?select=min(id)');
    expect([status, body.messages[0]?.text]).toEqual([
      400,
      "select: 'id' is of different types in these kinds, at character 1",
    ]);
  });
});

it('an aggregation is one statement', async () => {
  const paths = [
    '/line/aggregate?group=of.state&select=[sum(total),first(total)]&having=gt(sum_total,1)',
    '/group/papers/aggregate?group=kind_id&select=count()',
  ];
  for (const path of paths) {
    await ok(member.get(path));
    expect(await member.statements(() => ok(member.get(path)))).toBe(1);
  }
});

it('an aggregation is explained to administrators', async () => {
  const path = '/line/aggregate?select=count()&filter=gt(total,1)&explain=true';
  const { explain, items } = (await ok(project.get(path))) as { explain: { summary: string[] }; items: unknown[] };
  expect([items, explain.summary.length > 0]).toEqual([[{ count: 2 }], true]);
  expect((await member.get(path)).status).toBe(403);
});
