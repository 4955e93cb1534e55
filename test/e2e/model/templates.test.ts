/** The models of `templates/`: what they make, and who may do what in it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anonymous, signUp, tokensOf } from '../../support/callers.js';
import { expectNoDrift, ok } from '../../support/definitions.js';
import { applyModel } from '../../support/model-files.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();

function apply(project: TestProject, name: string) {
  const text = readFileSync(new URL(`../../../templates/${name}.yaml`, import.meta.url), 'utf8');
  return applyModel(project, text, { allowLoss: [] });
}

async function made(name: string): Promise<TestProject> {
  const project = await service.project();
  await apply(project, name);
  await expectNoDrift(project);
  expect((await apply(project, name)).steps).toEqual([]);
  return project;
}

async function member(
  project: TestProject,
  kind: string,
  values: object = {},
): Promise<TestProject & { member: string }> {
  const username = `${kind}${Math.random().toString(36).slice(2)}`;
  const body = { username, email: `${username}@example.com`, ...values };
  const { id } = (await ok(project.post(`/${kind}/unit`, body))) as { id: string };
  const { access_token: token } = await tokensOf(project, kind, id);
  return Object.assign(project.as(token), { member: id });
}

const create = async (caller: TestProject, kind: string, body: object): Promise<string> =>
  ((await ok(caller.post(`/${kind}/unit`, body))) as { id: string }).id;

const titles = async (caller: TestProject, kind: string, name: string): Promise<unknown[]> =>
  ((await ok(caller.get(`/${kind}/unit?include=${name}`))) as { items: Record<string, unknown>[] }).items.map(
    (unit) => unit[name],
  );

describe('templates', () => {
  it('crm: salespeople change what is theirs, managers everything', async () => {
    const project = await made('crm');
    const [ann, bob] = [await member(project, 'salesperson'), await member(project, 'salesperson')];
    const boss = await member(project, 'salesperson', { role: 'manager' });
    const company = await create(ann, 'company', { name: 'Acme', industry: 'software' });
    const deal = await create(ann, 'deal', { name: 'A hundred seats', company, amount: '5000.00' });
    expect(await ok(bob.get(`/deal/unit/${deal}`))).toMatchObject({ owner: ann.member, stage: 'lead' });
    expect((await bob.put(`/deal/unit/${deal}`, { amount: '1.00' })).status).toBe(403);
    await ok(boss.put(`/deal/unit/${deal}`, { stage: 'talk' }));
    expect((await ann.put(`/deal/unit/${deal}`, { stage: 'won' })).body.messages).toMatchObject([
      { code: 'parameter.transition' },
    ]);
    await ok(ann.put(`/deal/unit/${deal}`, { stage: 'offer' }));
    expect((await ann.put(`/deal/unit/${deal}`, { stage: 'won' })).body.messages).toMatchObject([
      { code: 'unit.check', check: 'closed' },
    ]);
    await ok(ann.put(`/deal/unit/${deal}`, { stage: 'won', closed_on: '2026-11-30' }));
    expect((await ann.put(`/salesperson/unit/${ann.member}`, { role: 'manager' })).body.messages).toMatchObject([
      { code: 'parameter.read_only' },
    ]);
    const contact = await create(bob, 'contact', { name: 'Cleo', company, email: 'cleo@acme.example' });
    await ok(bob.post(`/contact/unit/${contact}/link/takes_part/deal/unit/${deal}`, { part: 'decides' }));
    expect((await anonymous(project).get('/company/unit')).status).toBe(401);
  });

  it('helpdesk: customers see their own tickets, without comments for agents', async () => {
    const project = await made('helpdesk');
    const [agent, ann, bob] = [
      await member(project, 'agent', { team: 'first_line' }),
      await member(project, 'customer'),
      await member(project, 'customer'),
    ];
    const ticket = await create(ann, 'ticket', { subject: 'It does not start', body: 'The page stays white.' });
    expect(await titles(bob, 'ticket', 'subject')).toEqual([]);
    expect((await bob.post('/ticket/unit', { subject: 'x', body: 'x', customer: ann.member })).status).toBe(403);
    await create(agent, 'comment', { ticket, body: 'Which browser?' });
    await create(agent, 'comment', { ticket, body: 'They pay late.', internal: true });
    expect(await titles(ann, 'comment', 'body')).toEqual(['Which browser?']);
    expect((await bob.post('/comment/unit', { ticket, body: 'x' })).status).toBe(400);
    expect((await ann.put(`/ticket/unit/${ticket}`, { priority: 'urgent' })).status).toBe(403);
    expect((await ann.put(`/ticket/unit/${ticket}`, { state: 'waiting' })).status).toBe(409);
    await ok(agent.put(`/ticket/unit/${ticket}`, { state: 'waiting', priority: 'high', agent: agent.member }));
    expect(await ok(ann.get(`/ticket/unit/${ticket}`))).toMatchObject({
      number: 1,
      state: 'waiting',
      priority: 'high',
    });
    expect((await titles(agent, 'reply', 'title')).length).toBeGreaterThan(0);
    expect(await titles(ann, 'reply', 'title')).toEqual([]);
  });

  it('shop: anyone looks at products, and buyers have carts of their own', async () => {
    const project = await made('shop');
    expect(await titles(anonymous(project), 'product', 'sku')).toContain('BOOK-001');
    expect((await anonymous(project).get('/order/unit')).status).toBe(401);
    const buyer = await signUp(project, 'ann', {}, 'buyer');
    const ann = project.as(buyer.accessToken);
    const bob = await member(project, 'buyer');
    const order = await create(ann, 'order', {});
    await create(ann, 'order_line', { order, product: 'BOOK-001', quantity: 2 });
    expect((await bob.post('/order_line/unit', { order, product: 'GAME-001', quantity: 1 })).status).toBe(400);
    expect(await titles(bob, 'order', 'number')).toEqual([]);
    expect((await ann.put(`/order/unit/${order}`, { state: 'placed' })).body.messages).toMatchObject([
      { code: 'unit.check', check: 'address' },
    ]);
    await ok(ann.put(`/order/unit/${order}`, { state: 'placed', address: '1 Main Street' }));
    expect((await ann.put(`/order/unit/${order}`, { state: 'paid' })).status).toBe(409);
    await ok(project.put(`/order/unit/${order}`, { state: 'paid' }));
    await create(ann, 'review', { product: 'BOOK-001', stars: 5, text: 'Short indeed.' });
    expect((await ann.put('/product/unit/BOOK-001', { price: '0.01' })).status).toBe(403);
    expect(await titles(anonymous(project), 'review', 'stars')).toEqual([5]);
  });
});
