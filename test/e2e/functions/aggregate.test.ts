/** Aggregations in functions, and of remote kinds by their source. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';

const folder = new FunctionsFolder({
  'sale.ts': `
    import { kind } from 'kind';
    const sale = kind('sale');
    export default sale.module({
      functions: {
        totals: sale.function({
          description: 'Adds up by state',
          run: async ({ units }) => (await units('sale').aggregate({ group: 'state', select: ['count()', 'total:sum(amount)'], having: 'gt(total,1)', order: 'total;desc' })),
        }),
        costs: sale.function({
          description: 'Reads a hidden parameter',
          run: async ({ units }) => {
            const { items } = await units('sale').aggregate({ group: 'state', select: 'cost:sum(cost)', order: 'state;asc' });
            return { shown: items, read: items.map(({ cost }) => cost) };
          },
        }),
        margins: sale.function({
          description: 'Computes with a hidden parameter',
          run: async ({ units }) => {
            const select = ['n:count()', 'gain:sum(sub(amount,cost))', 'each_gain:div(gain,n)', 'twice:mul(n,2)'];
            const { items } = await units('sale').aggregate({ group: 'state', select, order: 'state;asc' });
            const [first] = items;
            const far = await units('sale').aggregate({ select: 'x:sum(sum_related(sale.part_of,cost))' });
            return { shown: items, read: [first?.gain, first?.each_gain], far: far.items, x: far.items[0]?.x };
          },
        }),
        parts: sale.function({
          description: 'Includes a sum',
          parameters: { of: { type: 'string', required: true } },
          run: async ({ units, parameters: { of } }) => units('sale').list({ include: ['state', 'x:sum_related(sale.part_of,' + of + ')'], order: 'amount' }),
        }),
        wrong: sale.function({ description: 'Asks wrongly', run: ({ units }) => units('sale').aggregate({ select: 'sum(state)' }) }),
      },
    });`,
  'zone.ts': `
    import { kind } from 'kind';
    export default kind('zone').module({
      remote: {
        list: () => ({ count: 0, items: [] }),
        aggregate: (query) => {
          const { select, group, filterText, havingText, order, limit, offset, timezone } = query;
          if (filterText === 'eq(name,bad)') return { count: 'many', items: [] } as never;
          return { count: 2, items: [{ name: 'x', n: JSON.stringify({ select, group, filterText, havingText, order, limit, offset, timezone }), more: 1 }, {}] };
        },
      },
    });`,
  'bare.ts': `
    import { kind } from 'kind';
    export default kind('bare').module({ remote: { list: () => ({ count: 0, items: [] }) } });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'sale',
    parameters: [
      { id: 'state', kind_id: 'string' },
      { id: 'amount', kind_id: 'integer' },
      { id: 'cost', kind_id: 'integer', hidden: true },
      { id: 'part_of', kind_id: 'unit', reference_kind: 'sale' },
    ],
  },
  {
    id: 'zone',
    remote: true,
    parameters: [
      { id: 'name', kind_id: 'string', search: 'simple' },
      { id: 'size', kind_id: 'integer' },
    ],
  },
  { id: 'bare', remote: true, parameters: ['name'] },
);
await ok(
  project.post('/sale/unit', [
    { state: 'paid', amount: 5, cost: 2 },
    { state: 'paid', amount: 6, cost: 3 },
  ]),
);
const { items: paid } = (await ok(project.get('/sale/unit?filter=eq(amount,5)'))) as { items: { id: string }[] };
await ok(project.post('/sale/unit', { state: 'open', amount: 1, cost: 9, part_of: paid[0]?.id }));
await reload(service);

describe('units(kind).aggregate', () => {
  it('answers a page of groups', async () => {
    expect(await ok(project.post('/sale/function/totals'))).toEqual({
      count: 1,
      items: [{ state: 'paid', count: 2, total: 11 }],
    });
  });

  it('reads hidden parameters, whose values no answer has by accident', async () => {
    const { shown, read } = (await ok(project.post('/sale/function/costs'))) as Record<string, unknown>;
    expect([shown, read]).toEqual([
      [{ state: 'open' }, { state: 'paid' }],
      [9, 5],
    ]);
  });

  it('computes with hidden parameters, and shows no more of them', async () => {
    expect(await ok(project.post('/sale/function/margins'))).toEqual({
      shown: [
        { state: 'open', n: 1, twice: 2 },
        { state: 'paid', n: 2, twice: 4 },
      ],
      read: [-8, '-8'],
      far: [{}],
      x: 9,
    });
    const parts = await project.post('/sale/function/parts', { of: 'amount' });
    expect(parts.body.content).toMatchObject({ items: [{ x: null }, { state: 'paid', x: 1 }, { x: null }] });
    expect((await project.post('/sale/function/parts', { of: 'cost' })).status).toBe(400);
    expect((await project.post('/sale/function/parts', { of: 'mul(2,cost)' })).body.messages[0]?.text).toMatch(
      /is hidden/,
    );
  });

  it('is refused as the endpoint refuses it', async () => {
    const { status, body } = await project.post('/sale/function/wrong');
    expect([status, body.messages[0]?.code, body.messages[0]?.parameter]).toEqual([400, 'query.bad_value', 'select']);
  });
});

describe('the source of a remote kind', () => {
  it('receives the parsed query, and its groups have the names of the query', async () => {
    const query =
      'group=name&select=n:max(size,eq(name,"a"))&filter=gt(size,1)&having=isnull(n)&order=n;desc&limit=5&offset=1&timezone=Asia/Tokyo';
    const { count, items } = (await ok(project.get(`/zone/aggregate?${query}`))) as {
      count: number;
      items: { name: string; n: string }[];
    };
    expect([count, items.map(({ name }) => name), items[1]]).toEqual([2, ['x', null], { name: null, n: null }]);
    expect(JSON.parse(items[0]?.n ?? '')).toMatchObject({
      select: [{ name: 'n', function: 'max', parameter: 'size', filterText: 'eq(name,"a")' }],
      group: [{ name: 'name', parameter: 'name', function: null, size: null }],
      filterText: 'gt(size,1)',
      havingText: 'isnull(n)',
      order: [{ parameter: 'n', descending: true }],
      limit: 5,
      offset: 1,
      timezone: 'Asia/Tokyo',
    });
  });

  it.each([
    ['/bare/aggregate?select=count()', 400, 'kind.no_aggregate'],
    ['/zone/aggregate?select=sum(name)', 400, 'query.bad_value'],
    ['/zone/aggregate?select=count()&search=x', 400, 'query.unknown'],
    ['/zone/aggregate?select=sum(mul(size,2))', 400, 'query.bad_value'],
    ['/zone/aggregate?select=count(),x:div(count,2)', 400, 'query.bad_value'],
    ['/zone/aggregate?select=sum(sum_related(zone.name,size))', 400, 'query.bad_value'],
    ['/zone/unit?filter=similar(name,x)', 400, 'filter.bad_operator'],
    ['/zone/unit?order=similarity(name,x)', 400, 'query.bad_value'],
    ['/sale/unit?filter=gt(sum_related(zone.name,size),1)', 400, 'filter.unknown_parameter'],
    ['/zone/aggregate?select=count()&filter=eq(name,bad)', 503, 'kind.remote_unavailable'],
  ])('%s is %i %s', async (path, status, code) => {
    const { body, ...reply } = await project.get(path);
    expect([reply.status, body.messages[0]?.code]).toEqual([status, code]);
  });
});
