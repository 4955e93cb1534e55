/** examples/shop, through its client: a cart, a stock that many buy from at once, and payments with a signature. */
import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Shop, type Order, type Product, type ShopError } from '../../../examples/shop/client.js';
import { ok } from '../../support/definitions.js';
import { exampleProject, typeFaultsOf } from '../../support/examples.js';

const admin = await exampleProject('shop', { authRateLimit: false });
vi.stubEnv('STRIPE_SECRET', 'whsec_test');
afterAll(() => vi.unstubAllEnvs());

const { url } = admin.service;
const shopOf = (token = '') => new Shop(`${url}/api/lib`, admin.id, token);
const owner = shopOf(admin.token);
await ok(
  admin.post('/product/unit', [
    { sku: 'tea', title: 'Green tea', price: '4.10', stock: 1000 },
    { sku: 'cup', title: 'A cup', price: '9.95', stock: 5 },
    { sku: 'gone', title: 'Sold out tea', price: '1', stock: 0 },
  ]),
);
const visitor = shopOf();
const ann = shopOf();
await ann.signUp('ann', 'ann@example.com', 'a password of ann');
const bob = shopOf();
await bob.signUp('bob', 'bob@example.com', 'a password of bob');

const product = async (id: string) => (await ok(admin.get(`/product/unit/${id}`))) as Product;
const [tea, cup] = [await product('tea'), await product('cup')];
const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: ShopError) => `${error.status} ${error.code}`,
  );
const orderOf = async ({ id }: Order) => (await ok(admin.get(`/order/unit/${id}`))) as Order;

/** An order of so many of each. */
async function placed(shop: Shop, ...lines: readonly (readonly [Product, number])[]): Promise<Order> {
  const order = await shop.newOrder();
  for (const [each, quantity] of lines) await shop.put(order, each, quantity);
  return shop.place(order, 'Under the bridge 1');
}

let events = 0;
async function pay(order: Order, amount: number, { secret = 'whsec_test', id = `ch_${(events += 1)}` } = {}) {
  const body = JSON.stringify({
    type: 'charge.succeeded',
    data: { object: { id, amount, metadata: { order: order.id } } },
  });
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  const address = `${url}/api/lib/project/${admin.id}/hook/payment/stripe`;
  return (await fetch(address, { method: 'POST', body, headers: { 'stripe-signature': `t=${t},v1=${v1}` } })).status;
}

it('anyone sees what there is, and finds it by its words', async () => {
  expect((await visitor.products()).items.map(({ id }) => id)).toEqual(['cup', 'tea']);
  expect((await visitor.products('tea')).items).toMatchObject([{ id: 'tea', price: '4.1' }]);
  expect(await refused(visitor.newOrder())).toBe('401 token.missing');
});

it('the modules fit the kinds', { timeout: 60_000 }, async () => {
  expect(await typeFaultsOf('shop', admin)).toEqual([]);
});

it('strangers may write nothing but by the endpoint, which asks for a signature', async () => {
  const { access } = (await ok(admin.get('/kind/access'))) as {
    access: { stranger_writes: boolean; endpoint?: string }[];
  };
  expect(access.filter((each) => each.stranger_writes).map(({ endpoint }) => endpoint)).toEqual(['payment.stripe']);
});

describe('an order', () => {
  it('is a cart of one buyer until it is placed', async () => {
    const order = await ann.newOrder();
    await ann.put(order, tea, 1);
    await ann.put(order, tea, 3);
    await ann.put(order, cup, 1);
    expect((await ann.lines(order)).items).toHaveLength(2);
    expect(await refused(bob.put(order, tea, 1))).toMatch(/^(400|403|409)/);
    expect((await bob.lines(order)).count).toBe(0);
    expect(await refused(ann.place(order, ' '))).toBe('400 parameter.too_short');
  });

  it('has an address, lines and a total of their prices', async () => {
    const empty = await ann.newOrder();
    expect(await refused(ann.place(empty, 'Here'))).toBe('409 order.empty');
    const order = await ann.newOrder();
    await ann.put(order, tea, 3);
    const reply = await admin.put(`/order/unit/${order.id}`, { state: 'placed' });
    expect([reply.status, reply.body.messages[0]?.code]).toEqual([400, 'unit.check']);
    const before = (await product('tea')).stock;
    expect(await ann.place(order, 'Here')).toMatchObject({ state: 'placed', total: '12.3' });
    expect((await product('tea')).stock).toBe(before - 3);
    expect(await refused(ann.put(order, tea, 1))).toMatch(/^40[03]/);
    expect(await refused(ann.ship(order))).toBe('409 parameter.transition');
    expect(await refused(ann.place(order, 'There'))).toBe('done');
    expect((await ann.cancel(order)).state).toBe('cancelled');
    expect((await product('tea')).stock).toBe(before);
    expect((await ann.orders()).items.map(({ id }) => id)).toContain(order.id);
    expect(await refused(ann.place(order, 'Here'))).toBe('403 access.denied');
  });

  it('takes from the stock what is there, however many buy at once', async () => {
    const [{ stock }, { stock: teas }] = [await product('cup'), await product('tea')];
    const results = await Promise.all(Array.from({ length: 12 }, () => refused(placed(ann, [cup, 1], [tea, 1]))));
    expect(results.filter((each) => each === 'done')).toHaveLength(stock);
    expect(new Set(results.filter((each) => each !== 'done'))).toEqual(new Set(['400 unit.check']));
    expect((await product('cup')).stock).toBe(0);
    expect((await product('tea')).stock).toBe(teas - stock);
  });

  it('has no line that comes while it is placed', async () => {
    const order = await ann.newOrder();
    await ann.put(order, tea, 1);
    const adding = Array.from({ length: 5 }, (_, at) => refused(ann.put(order, tea, at + 2)));
    const [done] = await Promise.all([ann.place(order, 'Here'), ...adding]);
    const [line] = (await ann.lines(done)).items;
    expect(Number(done.total)).toBeCloseTo(4.1 * (line?.quantity ?? 0));
  });
});

describe('a payment', () => {
  it('of the total makes the order paid, once, and then it is shipped', async () => {
    const order = await placed(ann, [tea, 2]);
    expect(await pay(order, 820, { secret: 'guessed' })).toBe(401);
    expect((await orderOf(order)).state).toBe('placed');
    const again = { id: 'the same' };
    expect(await Promise.all([1, 2, 3].map(() => pay(order, 820, again)))).toEqual([204, 204, 204]);
    expect((await orderOf(order)).state).toBe('paid');
    expect(await refused(ann.cancel(order))).toMatch(/^40[39]/);
    expect((await owner.ship(order)).state).toBe('shipped');
    expect(await ok(admin.get('/payment/unit'))).toMatchObject({ count: 1, items: [{ amount: '8.2' }] });
  });

  it('that does not fit is kept, and the order stays as it is', async () => {
    const order = await placed(bob, [tea, 1]);
    expect(await pay(order, 1)).toBe(204);
    expect((await orderOf(order)).state).toBe('placed');
    expect(await ok(admin.get(`/payment/unit?filter=eq(of_order,${order.id})`))).toMatchObject({ count: 1 });
  });

  it('is in the revenue of its month', async () => {
    expect((await owner.revenue()).items).toMatchObject([{ orders: 1, revenue: '8.2' }]);
    expect((await owner.bestsellers()).items).toEqual([{ product: 'tea', sold: 2, revenue: '8.2' }]);
    expect(await refused(ann.revenue())).toBe('done');
    expect((await bob.revenue()).items).toEqual([]);
  });
});
