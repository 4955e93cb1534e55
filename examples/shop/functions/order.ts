/** Orders: what is placed leaves the stock and has a total; what is cancelled comes back. */
import { filter, FunctionError, kind, type HookContext } from 'kind';

/** Changes the stock by the lines of an order. The check of products refuses what there is not. */
async function move(system: HookContext['system'], order: string, sign: 1 | -1): Promise<void> {
  const lines = await system
    .units('line')
    .list({ filter: filter`eq(order,${order})`, order: 'product;asc', limit: 1000 });
  for (const { product, quantity } of lines.items)
    await system.units('product').update(String(product), { stock: { $inc: sign * Number(quantity) } });
}

/** Keeps the prices of the present in the lines of an order. Returns their sum. */
async function price(system: HookContext['system'], order: string): Promise<string> {
  const ofOrder = filter`eq(order,${order})`;
  const lines = await system.units('line').list({ filter: ofOrder, include: ['id', 'product.price'], limit: 1000 });
  const { items, count } = lines;
  if (items.length === 0) throw new FunctionError(409, 'order.empty', 'There is nothing in this order');
  if (count > items.length) throw new FunctionError(409, 'order.too_long', `At most ${items.length} lines in an order`);
  for (const line of items)
    await system.units('line').update(String(line.id), { paid_price: String(line['product.price']) });
  const select = ['total:sum(mul(quantity,paid_price))'];
  const [sum] = (await system.units('line').aggregate({ select, filter: ofOrder })).items;
  return String(sum?.['total']);
}

export default kind('order').module({
  hooks: {
    async before_update({ unit, values: { state }, system }) {
      if (state === undefined || state === unit['state']) return;
      const now = new Date().toISOString();
      if (state === 'placed') return { placed_at: now, total: await price(system, unit.id) };
      if (state === 'paid') return { paid_at: now };
      if (state === 'shipped') return { shipped_at: now };
    },
    async after_update({ unit, before, system }) {
      if (unit['state'] === before['state']) return;
      if (unit['state'] === 'placed') await move(system, unit.id, -1);
      if (unit['state'] === 'cancelled') await move(system, unit.id, 1);
    },
  },
});
