/** Expressions in aggregations, and `sum_related`: what they answer, what may be named, and what bad input gets. */
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
  {
    id: 'product',
    access: { read: 'anyone' },
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'tax', kind_id: 'decimal' },
    ],
  },
  {
    id: 'order',
    parameters: [
      { id: 'number', kind_id: 'integer' },
      { id: 'placed', kind_id: 'datetime' },
      { id: 'paid', kind_id: 'date' },
      { id: 'due', kind_id: 'date' },
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'email', kind_id: 'string' },
    ],
  },
  {
    id: 'line',
    access: { read: ['isnull(order)', 'eq(order.owner,@member.id)'] },
    parameters: [
      { id: 'order', kind_id: 'unit', reference_kind: 'order' },
      { id: 'product', kind_id: 'unit', reference_kind: 'product' },
      { id: 'quantity', kind_id: 'integer' },
      { id: 'price', kind_id: 'decimal' },
      { id: 'weight', kind_id: 'float' },
      'name',
      { id: 'tags', kind_id: 'integer', multiple: true },
      { id: 'cost', kind_id: 'decimal', read_access: 'admin' },
      { id: 'secret', kind_id: 'integer', hidden: true },
    ],
  },
  { id: 'gift', parameters: ['quantity', 'name'] },
);
const pen = await createdId(project.post('/product/unit', { name: 'Pen', tax: '1.22' }));
const first = await createdId(
  project.post('/order/unit', {
    number: 1,
    placed: '2026-01-01T12:00:00Z',
    paid: '2026-01-03',
    due: '2026-01-31',
    owner: ann,
    email: 'Ann@Example.com',
  }),
);
const second = await createdId(
  project.post('/order/unit', { number: 2, placed: '2026-02-01T00:00:00Z', email: 'ann@example.COM' }),
);
await createdId(project.post('/order/unit', { number: 3 }));
await ok(
  project.post('/line/unit', [
    { order: first, product: pen, quantity: 3, price: '0.1', weight: 0.5, cost: '0.05', secret: 7 },
    { order: first, quantity: 2, price: '10.25', weight: 1.5, cost: '8' },
    { order: second, product: pen, quantity: 0, price: '7', cost: '1' },
    { quantity: null, price: '100' },
  ]),
);
await ok(project.post('/gift/unit', [{ quantity: 5 }, { quantity: 6 }]));
await ok(project.post('/group/unit', { id: 'sold', kind_list: ['line', 'gift'] }));

interface Groups {
  readonly count: number;
  readonly items: Record<string, unknown>[];
}
const aggregate = async (path: string, as = project) => (await ok(as.get(path))) as Groups;
const one = async (select: string, kind = 'line', as = project) =>
  (await aggregate(`/${kind}/aggregate?select=${encodeURIComponent(select)}`, as)).items[0];

describe('inside sum, avg, min and max', () => {
  it.each<[string, Record<string, unknown>]>([
    ['sum(mul(quantity,price))', { sum_mul_quantity_price: '20.8' }],
    ['x:sum(add(quantity,1))', { x: 8 }],
    ['x:sum(sub(price,0.05))', { x: '117.15' }],
    ['x:max(mul(quantity,quantity))', { x: 9 }],
    ['x:min(sub(quantity,10))', { x: -10 }],
    ['x:avg(mul(quantity,2))', { x: '3.3333333333333333' }],
    ['x:max(div(quantity,7))', { x: '0.42857142857142857143' }],
    ['x:max(div(price,quantity))', { x: '5.125' }],
    ['x:max(mul(quantity,weight))', { x: 3 }],
    ['x:sum(div(weight,0.1))', { x: 20 }],
    ['x:sum(mul(mul(quantity,price),product.tax))', { x: '0.366' }],
    ['x:sum(mul(quantity,price),gt(price,1))', { x: '20.5' }],
    ['x:max(add(add(add(add(add(1,1),1),1),1),quantity))', { x: 8 }],
    ['x:max(mul(-1.5,+2))', { x: '-3' }],
    ['x:max(mul(.5,2))', { x: '1' }],
    ['x:sum( add( quantity , -1 ) )', { x: 2 }],
    ['x:max(mul(9007199254740991,9007199254740991))', { x: '81129638414606663681390495662081' }],
    ['x:max(mul("quantity",2))', { x: 6 }],
  ])('%s', async (select, expected) => {
    expect(await one(select)).toEqual(expected);
  });

  it('days are whole between dates, and have a fraction between instants', async () => {
    const select =
      'a:max(days(paid,due)),b:max(days(placed,paid)),c:max(days(due,placed)),d:sum(div(days(paid,due),7))';
    expect(await one(select, 'order')).toEqual({ a: 28, b: '1.5', c: '-29.5', d: '4' });
  });

  it('null with null and by zero', async () => {
    const select = 'a:count(),b:sum(div(price,quantity),eq(quantity,0)),c:max(add(quantity,price),isnull(quantity))';
    expect(await one(select)).toEqual({ a: 4, b: null, c: null });
  });

  it('numbers of related units, and sums of them', async () => {
    expect(await one('x:max(mul(count_related(line.order),10))', 'order')).toEqual({ x: 20 });
    expect(await one('x:sum(sum_related(line.order,mul(quantity,price)))', 'order')).toEqual({ x: '20.8' });
    expect(await one('x:sum(sum_related(line.order,quantity))', 'order')).toEqual({ x: 5 });
    expect(await one('x:max(div(sum_related(line.order,quantity),count_related(line.order)))', 'order')).toEqual({
      x: '2.5',
    });
    expect(await one('sum(sum_related(line.order,quantity))', 'order')).toEqual({
      sum_sum_related_line_order_quantity: 5,
    });
  });

  it('take several kinds together, where one lacks a parameter', async () => {
    const select = 'select=[a:sum(add(quantity,1)),b:sum(mul(quantity,price))]';
    expect((await aggregate(`/group/sold/aggregate?${select}`)).items).toEqual([{ a: 21, b: '20.8' }]);
    expect((await aggregate(`/group/sold/aggregate?${select}&group=kind_id`)).items).toEqual([
      { kind_id: 'gift', a: 13, b: null },
      { kind_id: 'line', a: 8, b: '20.8' },
    ]);
  });
});

describe('outside', () => {
  it('take fields of the answer that stand before them', async () => {
    const select =
      '[total:sum(mul(quantity,price)),count(),mean:div(total,count),half:div(mean,2),rest:sub(total,mul(2,mean))]';
    expect(await one(select)).toEqual({ total: '20.8', count: 4, mean: '5.2', half: '2.6', rest: '10.4' });
    expect(await one('count(),div(count,3)')).toEqual({ count: 4, div_count_3: '1.3333333333333333' });
    expect(await one('count(),x:add(count,count)')).toEqual({ count: 4, x: 8 });
    expect(await one('w:sum(weight),count(),x:div(w,count)')).toEqual({ w: 2, count: 4, x: 0.5 });
    expect(await one('a:min(placed),b:max(placed),span:days(a,b)', 'order')).toMatchObject({ span: '30.5' });
    expect(await one('x:mul(2,3.5)')).toEqual({ x: '7' });
  });

  it('of each group, for having, order and pages', async () => {
    const query = 'group=order.number&select=[total:sum(quantity),n:count(),each_of:div(total,n)]';
    expect((await aggregate(`/line/aggregate?${query}`)).items).toEqual([
      { order_number: 1, total: 5, n: 2, each_of: '2.5' },
      { order_number: 2, total: 0, n: 1, each_of: '0' },
      { order_number: null, total: null, n: 1, each_of: null },
    ]);
    expect(await aggregate(`/line/aggregate?${query}&having=gte(each_of,0)&order=each_of&limit=1`)).toEqual({
      count: 2,
      items: [{ order_number: 2, total: 0, n: 1, each_of: '0' }],
    });
    expect((await aggregate(`/line/aggregate?group=order.number&select=[x:add(order_number,1)]`)).items).toEqual([
      { order_number: 1, x: 2 },
      { order_number: 2, x: 3 },
      { order_number: null, x: null },
    ]);
  });

  it('that double one another twenty times take no more than their number', async () => {
    const doubled = Array.from({ length: 19 }, (_, at) => `x${at + 1}:add(x${at},x${at})`).join();
    expect(await one(`x0:count(),${doubled}`)).toMatchObject({ x19: 4 * 2 ** 19 });
  });
});

describe('lower', () => {
  it('groups texts without regard to case', async () => {
    expect((await aggregate('/order/aggregate?group=lower(email)&select=count()')).items).toEqual([
      { lower_email: 'ann@example.com', count: 2 },
      { lower_email: null, count: 1 },
    ]);
    expect((await aggregate('/group/sold/aggregate?group=n:lower(name)&select=count()')).items).toEqual([
      { n: null, count: 6 },
    ]);
  });
});

describe('sum_related', () => {
  const numbers = async (query: string, as = project) => {
    const { items } = (await ok(as.get(`/order/unit?${query}`))) as { items: Record<string, unknown>[] };
    return items;
  };

  it('in include, null without units', async () => {
    const include =
      'include=[number,total:sum_related(line.order,mul(quantity,price)),n:sum_related(line.order,quantity)]';
    expect(await numbers(include)).toEqual([
      { number: 1, total: '20.8', n: 5 },
      { number: 2, total: '0', n: 0 },
      { number: 3, total: null, n: null },
    ]);
    const filtered = 'include=[number,total:sum_related(line.order,mul(quantity,product.tax),gt(quantity,0))]';
    expect((await numbers(filtered)).map(({ total }) => total)).toEqual(['3.66', null, null]);
    const floats = 'include=x:sum_related(line.order,weight)';
    expect((await numbers(floats)).map(({ x }) => x)).toEqual([2, null, null]);
  });

  it('in the answer of a write', async () => {
    const include = 'include=number,n:sum_related(line.order,quantity)';
    expect(await ok(project.put(`/order/unit/${first}?${include}`, { number: 1 }))).toMatchObject({ number: 1, n: 5 });
  });

  it('in filter and order, with a cursor too', async () => {
    const total = 'sum_related(line.order,mul(quantity,price))';
    expect(await numbers(`filter=gt(${total},20.5)&include=number`)).toEqual([{ number: 1 }]);
    expect(await numbers(`filter=isnull(${total})&include=number`)).toEqual([{ number: 3 }]);
    expect(await numbers(`order=-${total}&include=[number,t:${total}]`)).toEqual([
      { number: 3, t: null },
      { number: 1, t: '20.8' },
      { number: 2, t: '0' },
    ]);
    const page = (await ok(project.get(`/order/unit?order=${total}&include=number&limit=1&cursor=`))) as {
      items: unknown[];
      next: string;
    };
    expect(page.items).toEqual([{ number: 2 }]);
    const next = await ok(project.get(`/order/unit?order=${total}&include=number&limit=2&cursor=${page.next}`));
    expect(next).toMatchObject({ items: [{ number: 1 }, { number: 3 }] });
  });

  it('groups, and is of the units that the caller may read', async () => {
    const path = '/order/aggregate?group=n:sum_related(line.order,quantity)&select=count()';
    expect((await aggregate(path)).items).toEqual([
      { n: 0, count: 1 },
      { n: 5, count: 1 },
      { n: null, count: 1 },
    ]);
    expect((await aggregate(path, member)).items).toEqual([
      { n: 5, count: 1 },
      { n: null, count: 2 },
    ]);
  });

  it('in a rule, whose operation turns to nobody where the parameter goes', async () => {
    await defineKinds(
      project,
      { id: 'basket', parameters: [{ id: 'code', kind_id: 'string' }] },
      {
        id: 'piece',
        parameters: [
          { id: 'basket', kind_id: 'unit', reference_kind: 'basket' },
          'number',
          { id: 'worth', kind_id: 'integer' },
        ],
      },
    );
    const read = 'gt(sum_related(piece.basket,mul(number,worth)),10)';
    await ok(project.put('/kind/unit/basket', { access: { read } }));
    const full = await createdId(project.post('/basket/unit', { code: 'full' }));
    await createdId(project.post('/basket/unit', { code: 'empty' }));
    await ok(project.post('/piece/unit', { basket: full, number: 3, worth: 4 }));
    expect(await ok(member.get('/basket/unit?include=code'))).toMatchObject({ items: [{ code: 'full' }] });
    await ok(project.delete('/integer/unit/worth?cascade=true'));
    expect((await member.get('/basket/unit')).status).toBe(403);
  });
});

describe('rights', () => {
  it.each([
    ['/line/aggregate?select=sum(mul(quantity,cost))', 400, 'parameter.unknown'],
    ['/line/aggregate?select=x:sum(add(1,secret))', 400, 'parameter.unknown'],
    ['/order/aggregate?select=sum(sum_related(line.order,cost))', 403, 'access.denied'],
    ['/order/unit?include=x:sum_related(line.order,mul(cost,2))', 403, 'access.denied'],
    ['/order/unit?filter=gt(sum_related(line.order,secret),1)', 400, 'filter.unknown_parameter'],
  ])('%s is %i %s', async (path, status, code) => {
    const { body, ...reply } = await member.get(path);
    expect([reply.status, body.messages[0]?.code]).toEqual([status, code]);
  });

  it('of units are those of reading', async () => {
    expect(await one('sum(mul(quantity,price))', 'line', member)).toEqual({ sum_mul_quantity_price: '20.8' });
    expect(await one('count(),x:sum(mul(quantity,price))', 'line', project)).toEqual({ count: 4, x: '20.8' });
    expect((await anonymous(project).get('/line/aggregate?select=x:sum(add(quantity,1))')).status).toBe(401);
  });
});

describe('bad input', () => {
  const deep = (levels: number): string => (levels === 0 ? 'quantity' : `add(${deep(levels - 1)},1)`);
  const many = (number: number) => Array.from({ length: number }, (_, at) => `x${at}:sum(add(quantity,${at}))`).join();
  it.each<[string, string, RegExp]>([
    ['select=sum(mul(quantity,name))', 'query.bad_value', /mul wants numbers, and 'name' is string, at character 18/],
    ['select=sum(div(quantity,tags))', 'query.bad_value', /div wants numbers, and 'tags' is a list of integer/],
    ['select=sum(days(quantity,1))', 'query.bad_value', /days wants dates or datetimes, and 'quantity' is integer/],
    ['select=sum(days(1,quantity))', 'query.bad_value', /days wants dates or datetimes, got 1, at character 10/],
    ['select=sum(div(quantity,"x"))', 'parameter.unknown', /no parameter 'x'/],
    ['select=sum(mul(quantity,1e5))', 'filter.syntax', /a number such as 1.5 at character 18/],
    ['select=sum(mul(quantity))', 'filter.syntax', /expected ',' at character 17/],
    ['select=sum(mul(quantity,2,3))', 'filter.syntax', /expected '\)'/],
    ['select=sum(mul(,2))', 'filter.syntax', /a parameter, or a function such as mul/],
    ['select=sum(mult(quantity,2))', 'filter.unknown_operator', /unknown function 'mult'.*did you mean 'mul'/],
    ['select=count(add(quantity,2))', 'filter.unknown_operator', /unknown operator 'add'/],
    ['select=first(add(quantity,2))', 'filter.bad_operator', /add stands inside sum, avg, min, max and sum_related/],
    ['filter=gt(mul(quantity,2),5)&select=count()', 'filter.bad_operator', /mul stands inside .*, at character 4/],
    ['group=name&order=-div(quantity,2)', 'query.bad_value', /groups are ordered by the names of their columns, which/],
    ['group=add(quantity,2)', 'filter.unknown_operator', /unknown function 'add'/],
    ['group=lower(quantity)', 'query.bad_value', /lower wants a text, and 'quantity' is integer/],
    [`select=sum(${deep(6)})`, 'filter.too_large', /at most 5 functions inside one another/],
    [`select=${many(21)}`, 'query.too_large', /at most 20 expressions/],
    ['select=x:div(total,count),total:sum(quantity),count()', 'parameter.unknown', /'total' in the answer before it/],
    ['select=count(),x:div(count,x)', 'parameter.unknown', /no parameter 'x' in the answer before it/],
    ['select=a:max(name),x:div(a,2)', 'query.bad_value', /div wants numbers, and 'a' is string/],
    ['select=count(),x:div(count,count_related(line.order))', 'query.bad_value', /can't be tested here/],
    ['select=sum(nope),x:div(sum_nope,2)', 'parameter.unknown', /no parameter 'nope'/],
  ])('%s', async (query, code, text) => {
    const { status, body } = await project.get(`/line/aggregate?${query}`);
    expect([status, body.messages[0]?.code, body.messages[0]?.text]).toEqual([400, code, expect.stringMatching(text)]);
    expect(body.messages).toHaveLength(1);
  });

  it.each<[string, string, RegExp]>([
    ['filter=gt(sum_related(line.order,email),1)', 'filter.unknown_parameter', /no parameter 'email' in 'line'/],
    ['filter=gt(sum_related(line.order,name),1)', 'filter.bad_operator', /sum_related wants numbers, and 'name'/],
    ['filter=gt(sum_related(line.order),1)', 'filter.syntax', /expected ',' and what is summed at character 26/],
    ['filter=gt(sum_related(line.order,eq(name,x)),1)', 'filter.unknown_operator', /unknown function 'eq'/],
    ['filter=sum_related(line.order,quantity)', 'filter.unknown_operator', /it is a number, to be compared/],
    [`filter=gt(sum_related(line.order,${deep(6)}),1)`, 'filter.too_large', /at most 5/],
    ['include=x:sum_linked(line.order,quantity)', 'filter.syntax', /sum_related/],
  ])('%s', async (query, code, text) => {
    const { status, body } = await project.get(`/order/unit?${query}`);
    expect([status, body.messages[0]?.code, body.messages[0]?.text]).toEqual([400, code, expect.stringMatching(text)]);
  });

  it('what is beyond the range of a float is 400', async () => {
    const order = await createdId(project.post('/order/unit', { number: 4 }));
    await ok(project.post('/line/unit', { order, weight: 1e200 }));
    const total = 'sum_related(line.order,mul(weight,weight))';
    for (const path of [
      `/order/unit?include=x:${total}`,
      `/order/unit?order=${total}`,
      `/order/unit?order=${total}&cursor=`,
      `/order/unit?filter=gt(${total},1)`,
      `/order/unit/${order}?include=x:${total}`,
      `/order/export?filter=gt(${total},1)`,
      `/order/aggregate?select=max(${total})`,
      '/line/aggregate?select=sum(mul(weight,weight))',
      '/line/aggregate?select=w:max(weight),x:mul(w,w)',
    ]) {
      const { status, body } = await project.get(path);
      const [message] = body.messages;
      expect([path, status, message?.code, message?.text]).toEqual([
        path,
        400,
        'query.bad_value',
        'a sum, average, bucket or expression is beyond the range of its type',
      ]);
    }
    expect((await project.delete(`/order/unit?filter=gt(${total},1)`)).status).toBe(400);
    const written = await project.put(`/order/unit/${order}?include=number,x:${total}`, { number: 5 });
    expect([written.status, written.body.messages[0]?.code]).toEqual([400, 'query.bad_value']);
    expect(await ok(project.get(`/order/unit/${order}?include=number`))).toMatchObject({ number: 4 });
  });
});
