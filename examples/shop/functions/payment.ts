/** Payments: the payment service tells of each, with a signature. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { FunctionError, kind } from 'kind';
const payment = kind('payment');

/** `t=1700000000,v1=5257a8…`, as Stripe signs: the time, and the HMAC of the time, a dot and the body. */
function isSigned(header: string, body: Buffer): boolean {
  const secret = process.env['STRIPE_SECRET'];
  if (!secret) throw new Error('STRIPE_SECRET is not set');
  const { t = '', v1 = '' } = Object.fromEntries(header.split(',').map((part) => part.split('='))) as Record<
    string,
    string
  >;
  const [given, expected] = [
    Buffer.from(v1, 'hex'),
    createHmac('sha256', secret).update(`${t}.`).update(body).digest(),
  ];
  const isNew = Math.abs(Date.now() / 1000 - Number(t)) < 300;
  return isNew && given.length === expected.length && timingSafeEqual(given, expected);
}

interface Event {
  readonly type: string;
  readonly data: {
    readonly object: { readonly id: string; readonly amount: number; readonly metadata: { order?: string } };
  };
}

const stripe = payment.endpoint({
  description: 'Events of the payment service',
  async run({ request: { headers, body }, system, log }) {
    if (!isSigned(headers['stripe-signature'] ?? '', body))
      throw new FunctionError(401, 'payment.unsigned', 'The signature is not that of this event');
    const { type, data } = JSON.parse(body.toString()) as Event;
    if (type !== 'charge.succeeded') return;
    const { id, amount, metadata } = data.object;
    const order = metadata.order ? await system.units('order').find(metadata.order, { lock: true }) : null;
    const [{ result } = {}] = await system
      .units('payment')
      .upsertAll([{ charge: id, amount: (amount / 100).toFixed(2), of_order: order?.id ?? null }], {
        on_conflict: 'ignore',
      });
    // An event may come more than once. Money that fits no order is kept and looked at by a person.
    if (result === 'ignored') return;
    if (order?.['state'] !== 'placed' || Math.round(Number(order['total']) * 100) !== amount)
      return void log.warn('a payment that fits no order', { charge: id });
    await system.units('order').update(order.id, { state: 'paid' });
  },
});

export default payment.module({ endpoints: { stripe } });
