/** examples/helpdesk, through its client: two organisations, an agent and customers of each, and mails that come in. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Desk, type DeskError } from '../../../examples/helpdesk/client.js';
import { tokensOf } from '../../support/callers.js';
import { createdId, ok, query } from '../../support/definitions.js';
import { exampleProject, typeFaultsOf } from '../../support/examples.js';
import { Mailbox, temporaryFolder } from '../../support/mailbox.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const admin = await exampleProject('helpdesk', { dataDir });
vi.stubEnv('MAIL_HOOK_SECRET', 'the secret of the mail service');
afterAll(() => vi.unstubAllEnvs());

const { url } = admin.service;
async function deskOf(kind: string, name: string, organisation: string) {
  const id = await createdId(
    admin.post(`/${kind}/unit`, { username: name, email: `${name}@example.com`, organisation }),
  );
  const { access_token } = await tokensOf(admin, kind, id);
  return Object.assign(new Desk(`${url}/api/lib`, admin.id, access_token), { id, as: admin.as(access_token) });
}
const acme = await createdId(admin.post('/organisation/unit', { name: 'Acme', inbox: 'help@acme.example' }));
const zenith = await createdId(admin.post('/organisation/unit', { name: 'Zenith', inbox: 'help@zenith.example' }));
const agent = await deskOf('agent', 'agnes', acme);
const stranger = await deskOf('agent', 'zoe', zenith);
const ann = await deskOf('customer', 'ann', acme);
const bob = await deskOf('customer', 'bob', acme);

/** The status and code with which a call is refused. */
const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: DeskError) => `${error.status} ${error.code}`,
  );

it('the modules fit the kinds', { timeout: 60_000 }, async () => {
  expect(await typeFaultsOf('helpdesk', admin)).toEqual([]);
});

it('strangers may write nothing but by the endpoint, which asks for its secret', async () => {
  const { access } = (await ok(admin.get('/kind/access'))) as {
    access: { stranger_writes: boolean; endpoint?: string }[];
  };
  expect(access.filter((each) => each.stranger_writes).map(({ endpoint }) => endpoint)).toEqual(['ticket.mail']);
});

describe('tickets', () => {
  it('have a number, a customer and a time, which nobody can choose', async () => {
    const [one, two] = [await ann.openTicket('Printer'), await ann.openTicket('Scanner')];
    expect([one.number, one.state, one.priority, one.customer]).toEqual([1, 'open', 'normal', ann.id]);
    expect(two.number).toBeGreaterThan(one.number);
    expect(Date.parse(one.opened_at)).toBeGreaterThan(Date.now() - 60_000);
    for (const forged of [
      { opened_at: '2020-01-01T00:00:00Z' },
      { solved_at: '2020-01-01T00:00:00Z' },
      { opened_by: 'x' },
    ]) {
      const reply = await ann.as.post('/ticket/unit', { subject: 'Old', ...forged });
      expect(reply.status).toBe(400);
    }
    expect((await ann.as.post('/ticket/unit', { subject: 'His', customer: bob.id })).status).toBe(400);
    expect(await refused(ann.plan(one, { priority: 'high' }))).toBe('403 access.denied');
  });

  it('are seen by their customer and by the agents of its organisation', async () => {
    const ticket = await bob.openTicket('Keyboard');
    const ids = async (desk: Desk) => (await desk.tickets('open')).items.map(({ id }) => id);
    expect(await ids(bob)).toEqual([ticket.id]);
    expect(await ids(agent)).toContain(ticket.id);
    expect(await ids(ann)).not.toContain(ticket.id);
    expect(await ids(stranger)).toEqual([]);
    expect(await refused(stranger.move(ticket, 'solved'))).toBe('404 unit.unknown');
    expect((await stranger.as.get('/customer/unit')).body.content).toMatchObject({ count: 0 });
    expect((await admin.as(undefined).get('/ticket/unit')).status).toBe(401);
  });

  it('go from state to state as the model says', async () => {
    const ticket = await ann.openTicket('Screen');
    expect(await refused(ann.move(ticket, 'pending'))).toBe('409 parameter.transition');
    expect(await refused(agent.move(ticket, 'closed'))).toBe('409 parameter.transition');
    expect((await agent.move(ticket, 'pending')).state).toBe('pending');
    const solved = await agent.move(ticket, 'solved');
    expect(Date.parse(solved.solved_at ?? '')).toBeGreaterThan(Date.parse(ticket.opened_at) - 1);
    expect((await ann.move(ticket, 'open')).state).toBe('open');
    await agent.move(ticket, 'solved');
    await query(
      admin,
      `UPDATE $schema.ticket SET opened_at = now() - '9 days'::interval, solved_at = now() - '8 days'::interval WHERE id = '${ticket.id}'`,
    );
    expect(await refused(ann.move(ticket, 'open'))).toBe('409 parameter.transition');
    await ok(admin.post('/function/run', { kind_id: 'ticket', function: 'close' }));
    await vi.waitFor(async () => expect(await agent.load()).toMatchObject({ closed: 1 }), 5000);
    expect(await refused(ann.move(ticket, 'open'))).toMatch(/^(403|409)/);
    expect(await refused(ann.say(ticket, 'Still dark'))).toBe('403 access.denied');
    expect((await agent.as.put(`/ticket/unit/${ticket.id}`, { subject: 'Other' })).status).toBe(403);
    expect(Number(await agent.daysToSolve())).toBeCloseTo(1, 1);
  });

  it('take one way where several are tried at once', async () => {
    const ticket = await ann.openTicket('Mouse');
    await agent.move(ticket, 'solved');
    const tried = Array.from({ length: 10 }, (_, at) => (at % 2 ? 'open' : 'closed'));
    const answers = await Promise.all(
      tried.map(async (state) => [state, await refused((state === 'open' ? ann : agent).move(ticket, state))] as const),
    );
    const { state } = (await ok(admin.get(`/ticket/unit/${ticket.id}`))) as { state: string };
    expect(new Set(answers.flatMap(([to, answer]) => (answer === 'done' ? [to] : [])))).toEqual(new Set([state]));
  });

  it('have dates that fit', async () => {
    const ticket = await ann.openTicket('Cable');
    expect(await refused(agent.plan(ticket, { due_at: '2020-01-01T00:00:00Z' }))).toBe('400 unit.check');
    expect((await agent.plan(ticket, { due_at: '2099-01-01T00:00:00Z', assignee: agent.id })).assignee).toBe(agent.id);
    expect(await refused(agent.plan(ticket, { assignee: stranger.id }))).toBe('400 parameter.bad_reference');
  });

  it('come in the order of their priority', async () => {
    const [low, high] = [await ann.openTicket('Some day'), await ann.openTicket('At once')];
    await agent.plan(low, { priority: 'low' });
    await agent.plan(high, { priority: 'high' });
    const ids = (await agent.tickets('open')).items.map(({ id }) => id);
    expect([ids[0], ids.at(-1)]).toEqual([high.id, low.id]);
  });
});

describe('comments', () => {
  it('of agents may be internal, and customers get the others by mail', async () => {
    const ticket = await ann.openTicket('Monitor');
    await ann.say(ticket, 'It is dark');
    await agent.say(ticket, 'She always says that', true);
    await agent.say(ticket, 'Is it on?');
    const texts = async (desk: Desk) => (await desk.comments(ticket)).items.map(({ text }) => text);
    expect(await texts(agent)).toEqual(['It is dark', 'She always says that', 'Is it on?']);
    expect(await texts(ann)).toEqual(['It is dark', 'Is it on?']);
    expect(await texts(bob)).toEqual([]);
    expect(await refused(ann.say(ticket, 'A note', true))).toBe('403 access.denied');
    expect(await refused(bob.say(ticket, 'Mine'))).toMatch(/^(400|403)/);
    const mail = await mailbox.last('ann@example.com');
    expect(mail.headers.get('subject')).toBe(`[#${ticket.number}] Monitor`);
    expect(mail.headers.get('reply-to')).toBe('help@acme.example');
    expect(mail.text).toContain('Is it on?');
    expect((await mailbox.all()).map(({ text }) => text).join()).not.toContain('always says');
  });

  it('of a customer bring a waiting ticket back', async () => {
    const ticket = await ann.openTicket('Desk');
    await agent.move(ticket, 'pending');
    await ann.say(ticket, 'Here it is');
    expect(await ok(ann.as.get(`/ticket/unit/${ticket.id}`))).toMatchObject({ state: 'open' });
  });
});

describe('mails of customers', () => {
  let sent = 0;
  const send = (mail: object, secret = 'the secret of the mail service') =>
    fetch(`${url}/api/lib/project/${admin.id}/hook/ticket/mail?secret=${encodeURIComponent(secret)}`, {
      method: 'POST',
      body: JSON.stringify({ MessageID: `m${(sent += 1)}`, To: 'help@acme.example', TextBody: 'Help', ...mail }),
    }).then(({ status }) => status);
  beforeAll(async () => {
    expect(await send({ From: 'new@example.com', Subject: 'Chair' })).toBe(204);
  });
  const ticketsOf = async (address: string) => {
    const filter = `filter=eq(customer.email,${address})&order=number;asc`;
    return (await ok(admin.get(`/ticket/unit?${filter}`))).items as { id: string; number: number; state: string }[];
  };

  it('open a ticket, and make the customer', async () => {
    const [ticket] = await ticketsOf('new@example.com');
    const found = (await agent.tickets('open')).items.find(({ id }) => id === ticket?.id);
    expect(found).toMatchObject({ subject: 'Chair', state: 'open' });
    if (found) expect((await agent.comments(found)).items).toMatchObject([{ text: 'Help', author: 'new@example.com' }]);
  });

  it('answer the ticket that their subject names, and open it again', async () => {
    const [ticket] = await ticketsOf('new@example.com');
    await ok(agent.as.put(`/ticket/unit/${ticket?.id}`, { state: 'solved' }));
    expect(await send({ From: 'new@example.com', Subject: `Re: [#${ticket?.number}] Chair` })).toBe(204);
    expect(await ticketsOf('new@example.com')).toMatchObject([{ state: 'open' }]);
    // The number of another customer's ticket opens one of one's own.
    expect(await send({ From: 'other@example.com', Subject: `Re: [#${ticket?.number}] Chair` })).toBe(204);
    expect(await ticketsOf('other@example.com')).toHaveLength(1);
  });

  it('come once, in whatever number they are sent', async () => {
    const mail = { From: 'twice@example.com', Subject: 'Twice', MessageID: 'the same' };
    const statuses = await Promise.all([1, 2, 3, 4].map(() => send(mail)));
    expect(await ticketsOf('twice@example.com')).toHaveLength(1);
    expect(statuses).toContain(204);
    expect(await send(mail)).toBe(204);
  });

  it('need the secret, and a known inbox', async () => {
    expect(await send({ From: 'eve@example.com', Subject: 'Hi' }, 'guessed')).toBe(401);
    expect(await send({ From: 'eve@example.com', Subject: 'Hi', To: 'help@nobody.example' })).toBe(204);
    expect(await ticketsOf('eve@example.com')).toEqual([]);
  });
});

it('attachments are scanned, and seen by who sees their comment', async () => {
  const scanned: string[] = [];
  const scanner = createServer((request, reply) => {
    void text(request).then((content) => {
      scanned.push(content);
      reply.writeHead(content === 'EICAR' ? 403 : 204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(scanner, 'listening');
  const { port } = scanner.address() as AddressInfo;
  vi.stubEnv('SCANNER_URL', `http://127.0.0.1:${port}`);
  try {
    const ticket = await ann.openTicket('Monitor');
    expect(await refused(ann.upload('a.txt', new Blob(['EICAR'], { type: 'text/plain' })))).toBe('422 file.infected');
    const log = await ann.upload('log.txt', new Blob(['It flickers'], { type: 'text/plain' }));
    expect(await ann.say(ticket, 'See the log', false, log)).toMatchObject({ attachment: log });
    expect(scanned).toEqual(['EICAR', 'It flickers']);
    expect(await (await fetch(await agent.addressOf(log))).text()).toBe('It flickers');
    expect(await refused(bob.addressOf(log))).toBe('404 unit.unknown');
    const page = await ann.upload('a.html', new Blob(['<p>'], { type: 'text/html' }));
    expect(await refused(ann.say(ticket, 'See the page', false, page))).toBe('400 file.type_not_allowed');
  } finally {
    vi.stubEnv('SCANNER_URL', '');
    scanner.close();
  }
});
