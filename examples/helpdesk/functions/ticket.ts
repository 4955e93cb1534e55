/** Tickets: the time of a solution, what is closed a week later, and mails of customers, which open or answer tickets. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { filter, FunctionError, kind, type Context } from 'kind';
const ticket = kind('ticket');

/** A mail as Postmark sends it, as far as it is used here. */
interface Mail {
  readonly MessageID: string;
  readonly From: string;
  readonly To: string;
  readonly Subject: string;
  readonly TextBody: string;
}

const hash = (text: string) => createHash('sha256').update(text).digest();

/** The customer who writes, who is made with the first mail; undefined where nobody has that inbox. */
async function senderOf(system: Context['system'], { From, To }: Mail) {
  const [organisation] = (await system.units('organisation').list({ filter: filter`eq(inbox,${To})` })).items;
  if (!organisation) return undefined;
  const known = await system.units('customer').list({ filter: filter`eq(email,${From})` });
  const [
    customer = await system.units('customer').create({ username: From, email: From, organisation: organisation.id }),
  ] = known.items;
  return customer['organisation'] === organisation.id ? customer : undefined;
}

/** The ticket that the subject names (`Re: [#12] Printer`), if it is the customer's and not closed; else a new one. */
async function ticketOf(system: Context['system'], customer: { readonly id: string }, { Subject }: Mail) {
  const number = /\[#(\d+)\]/.exec(Subject)?.[1] ?? '0';
  const own = filter`and(eq(number,${Number(number)}),eq(customer,${customer.id}),ne(state,closed))`;
  const [found] = (await system.units('ticket').list({ filter: own })).items;
  if (!found)
    return system.units('ticket').create({ subject: Subject.slice(0, 200) || 'No subject', customer: customer.id });
  return system.units('ticket').update(found.id, { state: 'open' });
}

const mail = ticket.endpoint({
  description: 'Mails of customers, from the mail service',
  async run({ request: { query, body }, system, log }) {
    const secret = process.env['MAIL_HOOK_SECRET'];
    if (!secret) throw new Error('MAIL_HOOK_SECRET is not set');
    if (!timingSafeEqual(hash(String(query['secret'])), hash(secret)))
      throw new FunctionError(401, 'mail.secret', 'The secret is not that of this address');
    const received = JSON.parse(body.toString()) as Mail;
    // The mail service sends a mail again until it hears that it arrived.
    const before = await system.units('comment').list({ filter: filter`eq(message,${received.MessageID})`, limit: 0 });
    if (before.count > 0) return;
    const customer = await senderOf(system, received);
    if (!customer) return void log.warn('a mail that is for nobody', { to: received.To });
    const { id } = await ticketOf(system, customer, received);
    const text = received.TextBody.trim() || '(empty)';
    await system.units('comment').create({ ticket: id, text, author: received.From, message: received.MessageID });
  },
});

const close = ticket.function({
  description: 'Closes what was solved a week ago',
  schedule: '15 * * * *',
  async run({ system }) {
    const old = 'and(eq(state,solved),lt(solved_at,@now-7d))';
    return system.units('ticket').updateAll(old, { state: 'closed' }, { max_affected: 100_000 });
  },
});

export default ticket.module({
  functions: { close },
  endpoints: { mail },
  hooks: {
    // Once for a thousand tickets, so that all that are due are closed at once.
    before_update_many: ({ changes }) =>
      changes.map(({ unit, values: { state } }) => {
        if (state === undefined || state === unit['state']) return undefined;
        return state === 'solved' ? { solved_at: new Date().toISOString() } : undefined;
      }),
  },
});
