/** Deliveries: what is sent, in which order, and what becomes of failures. Two services on one database. */
import { Webhook } from 'standardwebhooks';
import { expect, it, vi } from 'vitest';
import { Followers } from '../../../src/changes/follow/followers.js';
import { forgetTasksStatement } from '../../../src/sql/changes/follow.sql.js';
import { pruneDeliveriesStatement } from '../../../src/sql/webhook/delivery.sql.js';
import { Payloads } from '../../../src/webhook/payload.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { Receiver } from '../../support/receiver.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import type { TestProject } from '../../support/service.js';

const settings = {
  webhooks: { allow: [], allowPrivate: true, allowHttp: true },
  databasePool: 10,
  shutdownGrace: 200,
  shutdownIdle: 0,
};
lowerLimit('deliveries', 20);
// Other services on the same database, which deliver too, would have other settings.
const connection = await ownDatabase();
const [one, two] = [await startServiceOn(connection, settings), await startServiceOn(connection, settings)];
const receiver = await Receiver.start();
const project = await one.project();
const ann = await asMember(project);
const me = (await ok(ann.get('/auth/me'))) as { id: string };
const open = { create: 'member', update: 'member', read: 'member', delete: 'member', link: 'member' };
await defineKinds(
  project,
  {
    id: 'task',
    changes: 'feed',
    access: open,
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'text', kind_id: 'text' },
      { id: 'secret', kind_id: 'string', hidden: true },
      { id: 'internal', kind_id: 'string', read_access: 'admin' },
    ],
  },
  {
    id: 'note',
    changes: 'feed',
    access: { ...open, read: 'eq(owner,@member.id)' },
    parameters: [{ id: 'owner', kind_id: 'string' }],
  },
);

interface Hook {
  readonly id: string;
  readonly secret: string;
  readonly path: string;
}
const MICROSECONDS = expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{6}Z$/) as string;
let made = 0;
const hook = async (body: object = {}, of: TestProject = project): Promise<Hook> => {
  const id = `hook_${(made += 1)}`;
  const path = `/${of.id}/${id}`;
  const { secret } = (await ok(of.post('/webhook/unit', { id, url: receiver.url(path), ...body }))) as Hook;
  return { id, secret, path };
};
const create = async (body: object, kind = 'task', caller = project) =>
  (await ok(caller.post(`/${kind}/unit`, body))) as { id: string };
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 8000, interval: 20 });
interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly attempts: readonly { readonly code: string | null; readonly status: number | null }[];
  readonly [more: string]: unknown;
}
const deliveries = async ({ id }: Hook, of = project) =>
  ((await ok(of.get(`/webhook/unit/${id}/delivery`))) as { items: Delivery[] }).items;
const end = ({ id }: Hook) => project.delete(`/webhook/unit/${id}`);
/** The next attempts are due now. */
const hurry = async (of = project) => {
  await query(of, `UPDATE $schema._task SET next_at = now() WHERE next_at IS NOT NULL`);
  await one.service.app.get(Followers).begin(of.id);
};

it('sends creates, edits and deletions, signed, in the form of the feed', async () => {
  receiver.succeed();
  await create({ title: 'before' });
  const the = await hook({ kinds: ['task'], headers: { authorization: 'Bearer canary', 'x-a': 'b c' } });
  const { id } = await create({ title: 'ü 😀', secret: 'hidden', internal: 'i' }, 'task', ann);
  await ok(ann.put(`/task/unit/${id}`, { title: 'two' }));
  await ok(project.delete(`/task/unit/${id}`));
  await until(() => expect(receiver.to(the.path)).toHaveLength(3));
  const messages = receiver.messages(the.path);
  expect(messages.map(({ type }) => type)).toEqual(['task.create', 'task.update', 'task.delete']);
  const data = { project: project.id, kind_id: 'task', unit_id: id, via: 'api', member: me.id };
  expect(messages[0]?.data).toMatchObject({ ...data, operation: 'create' });
  expect(messages[1]?.data).toMatchObject({ operation: 'update', changes: { title: ['ü 😀', 'two'] } });
  expect(messages.every(({ timestamp, data: { at } }) => timestamp === at)).toBe(true);
  expect(JSON.stringify(messages)).not.toContain('hidden');
  for (const { headers, body } of receiver.to(the.path)) {
    expect(new Webhook(the.secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'kind-webhook',
      authorization: 'Bearer canary',
      'x-a': 'b c',
    });
  }
  // Its cursor is one of the feed.
  const since = encodeURIComponent(messages[1]?.data['cursor'] ?? '');
  const rest = (await ok(project.get(`/changes?kinds=task&since=${since}`))) as { items: object[] };
  expect(rest.items).toMatchObject([{ operation: 'delete', unit_id: id }]);
  const ids = receiver.to(the.path).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(3);
  await until(async () =>
    expect((await deliveries(the)).map(({ state }) => state)).toEqual(Array(3).fill('delivered')),
  );
  const listed = await deliveries(the);
  expect(listed.map(({ webhook_id: each }) => each)).toEqual(ids.toReversed());
  expect(listed[2]).toMatchObject({ type: 'task.create', kind_id: 'task', unit_id: id, next_at: null });
  expect(listed[2]?.attempts).toMatchObject([{ at: MICROSECONDS, status: 204, code: null }]);
  const whole = (await ok(project.get(`/webhook/unit/${the.id}/delivery/${listed[2]?.id}`))) as { body: string };
  expect(whole.body).toBe(receiver.to(the.path)[0]?.body);
  await until(async () => {
    const unit = (await ok(project.get(`/webhook/unit/${the.id}`))) as Record<string, unknown>;
    expect(unit).toMatchObject({ state: 'ok', waiting: 0, delivered_at: expect.any(String) as string });
  });
  await end(the);
});

it('sends what its member may see, and nothing else', async () => {
  receiver.succeed();
  const the = await hook({
    kinds: ['task', 'note'],
    member: me.id,
    operations: ['create', 'enter', 'leave', 'delete'],
  });
  const filtered = await hook({ kinds: ['task'], filter: 'eq(title,wanted)', operations: ['enter'] });
  await create({ owner: 'another' }, 'note');
  const own = await create({ owner: me.id }, 'note');
  const task = await create({ title: 'a', internal: 'canary' });
  // Each is judged when it is sent: a note that has another owner by then is none to send.
  await until(() => expect(receiver.to(the.path)).toHaveLength(2));
  await ok(project.put(`/task/unit/${task.id}`, { title: 'wanted' }));
  await ok(project.put(`/note/unit/${own.id}`, { owner: 'another' }));
  await until(() => expect(receiver.to(the.path)).toHaveLength(3));
  await until(() => expect(receiver.to(filtered.path)).toHaveLength(1));
  const messages = receiver.messages(the.path);
  expect(new Set(messages.map(({ type }) => type))).toEqual(new Set(['note.create', 'task.create', 'note.leave']));
  expect(JSON.stringify(messages)).not.toMatch(/canary|"changes"|"via"/);
  expect(receiver.messages(filtered.path)[0]).toMatchObject({ type: 'task.enter', data: { unit_id: task.id } });
  await until(async () => expect(await deliveries(filtered)).toHaveLength(1));
  await end(the);
  await end(filtered);
});

it('sends a failed event again, byte for byte, before the later ones of its unit', async () => {
  receiver.fail(503);
  const the = await hook({ kinds: ['task'] });
  const task = await create({ title: 'one' });
  await ok(project.put(`/task/unit/${task.id}`, { title: 'two' }));
  const other = await create({ title: 'other' });
  await until(() => expect(receiver.to(the.path).length).toBeGreaterThanOrEqual(2));
  const seen = () => receiver.messages(the.path).map(({ type, data }) => `${type} ${data.unit_id}`);
  expect(new Set(seen())).toEqual(new Set([`task.create ${task.id}`, `task.create ${other.id}`]));
  await until(async () => {
    const states = (await deliveries(the)).map(({ state, type }) => `${String(type)} ${state}`);
    expect(states).toEqual(['task.create waiting', 'task.update held', 'task.create waiting']);
  });
  // What was made stays, whatever becomes of the unit.
  await ok(project.put(`/task/unit/${task.id}`, { title: 'three' }));
  receiver.succeed();
  await hurry();
  await until(() =>
    expect(
      seen()
        .filter((each) => each.endsWith(task.id))
        .slice(-2),
    ).toEqual([`task.update ${task.id}`, `task.update ${task.id}`]),
  );
  const first = receiver.to(the.path).filter(({ body }) => body.includes('task.create') && body.includes(task.id));
  expect(first.length).toBeGreaterThanOrEqual(2);
  expect(new Set(first.map(({ body }) => body)).size).toBe(1);
  expect(new Set(first.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(JSON.parse(first[0]?.body ?? '')).toMatchObject({ data: { changes: { title: [null, 'one'] } } });
  expect(first[0]?.body).not.toContain('three');
  await until(async () => {
    const [created] = (await deliveries(the)).toReversed();
    expect(created?.attempts.map(({ status }) => status).at(-1)).toBe(204);
    expect(created?.attempts[0]).toMatchObject({ status: 503, code: 'status' });
  });
  await end(the);
});

it('an edit holds for what has not been sent once', async () => {
  receiver.fail();
  const the = await hook({ kinds: ['task'], headers: { 'x-a': 'old' } });
  const path = `${the.path}/new`;
  const { id } = await create({ title: 'one' });
  await ok(project.put(`/task/unit/${id}`, { title: 'two' }));
  await until(async () => expect((await deliveries(the)).map(({ attempts }) => attempts.length)).toEqual([0, 1]));
  await ok(project.put(`/webhook/unit/${the.id}`, { url: receiver.url(path), headers: { 'x-a': 'new' } }));
  receiver.succeed();
  await hurry();
  const sent = (to: string) => receiver.to(to).map(({ headers, body }) => [headers['x-a'], JSON.parse(body).type]);
  await until(() => expect(sent(path)).toEqual([['new', 'task.update']]));
  expect(sent(the.path)).toEqual(Array(2).fill(['old', 'task.create']));
  const [, created] = await deliveries(the);
  await ok(project.post(`/webhook/unit/${the.id}/delivery/${created?.id}/retry`));
  await until(() => expect(sent(path).at(-1)).toEqual(['new', 'task.create']));
  await end(the);
});

it('pauses after ten that failed for good in a row, and goes on where it stopped', async () => {
  receiver.fail();
  const the = await hook({ kinds: ['task'] });
  const tasks = await Promise.all(Array.from({ length: 11 }, (_, at) => create({ title: `t${at}` })));
  await until(async () => expect(await deliveries(the)).toHaveLength(11));
  await until(async () => {
    expect((await deliveries(the)).every(({ attempts }) => attempts.length > 0)).toBe(true);
  });
  await query(project, `UPDATE $schema._task SET attempts = 9 WHERE follower = 'webhook ${the.id}'`);
  const state = async () => (await ok(project.get(`/webhook/unit/${the.id}`))) as Record<string, unknown>;
  await until(async () => {
    await hurry();
    expect(await state()).toMatchObject({ active: false, state: 'paused' });
  });
  expect((await state())['reason']).toMatch(/1[0-9] events in a row have failed for good/);
  const later = await create({ title: 'later' });
  receiver.succeed();
  await hurry();
  expect(await ok(project.put(`/webhook/unit/${the.id}`, { active: true }))).toMatchObject({
    state: 'ok',
    reason: null,
  });
  await until(() => expect(receiver.messages(the.path).some(({ data }) => data.unit_id === later.id)).toBe(true));
  expect(new Set((await deliveries(the)).map(({ state: each }) => each))).toContain('failed');
  // One that has failed is sent again by hand.
  const failed = (await deliveries(the)).find(({ state: each }) => each === 'failed');
  const before = receiver.to(the.path).length;
  await ok(project.post(`/webhook/unit/${the.id}/delivery/${failed?.id}/retry`));
  await until(() => expect(receiver.to(the.path).length).toBeGreaterThan(before));
  await until(async () => {
    expect((await deliveries(the)).find(({ id }) => id === failed?.id)?.state).toBe('delivered');
  });
  expect(tasks).toHaveLength(11);
  await end(the);
});

it('a receiver that answers 410 is not sent to again', async () => {
  receiver.fail(410);
  const the = await hook({ kinds: ['task'] });
  await create({ title: 'one' });
  await until(async () => {
    expect(await ok(project.get(`/webhook/unit/${the.id}`))).toMatchObject({ active: false, state: 'paused' });
  });
  await create({ title: 'two' });
  await hurry();
  expect(receiver.to(the.path)).toHaveLength(1);
  await end(the);
});

it('pauses for a member that is gone, a kind that is not recorded, and a secret that cannot be read', async () => {
  receiver.succeed();
  const fresh = await one.project();
  const member = await asMember(fresh);
  const { id: memberId } = (await ok(member.get('/auth/me'))) as { id: string };
  await defineKinds(
    fresh,
    { id: 'task', changes: 'feed', access: open, parameters: [{ id: 'title', kind_id: 'string' }] },
    { id: 'other', changes: 'feed', access: open, parameters: [{ id: 'name', kind_id: 'string' }] },
  );
  const [gone, off, sealed, dropped] = [
    await hook({ member: memberId, kinds: ['task'] }, fresh),
    await hook({ kinds: ['task', 'other'] }, fresh),
    await hook({ kinds: ['task'] }, fresh),
    await hook({ kinds: ['other'], filter: 'eq(name,a)' }, fresh),
  ];
  await ok(fresh.delete(`/person/unit/${memberId}`));
  await query(fresh, `UPDATE $schema.webhook SET sealed_secrets = 'AAAA' WHERE id = '${sealed.id}'`);
  await ok(fresh.put('/kind/unit/other', { parameters: [] }));
  await create({}, 'other', fresh);
  const state = async ({ id }: Hook) => (await ok(fresh.get(`/webhook/unit/${id}`))) as Record<string, unknown>;
  await until(async () => expect(await state(dropped)).toMatchObject({ state: 'paused' }));
  expect((await state(dropped))['reason']).toContain("'name'");
  await ok(fresh.put('/kind/unit/other', { changes: 'none' }));
  await create({ title: 'x' }, 'task', fresh);
  await until(async () => {
    expect(await state(gone)).toMatchObject({ state: 'paused', active: false, reason: 'its member is gone' });
    expect(await state(off)).toMatchObject({ state: 'paused', reason: 'not recorded any more: other' });
    expect((await state(sealed))['reason']).toMatch(/^its secret/);
  });
  await ok(fresh.put(`/webhook/unit/${off.id}`, { label: 'Off', active: false }));
  expect((await fresh.put(`/webhook/unit/${off.id}`, { active: true })).status).toBe(400);
  const ping = await fresh.post(`/webhook/unit/${sealed.id}/ping`);
  expect([ping.status, ping.body.messages[0]?.code]).toEqual([409, 'webhook.secret_unreadable']);
  const { secret } = (await ok(fresh.post(`/webhook/unit/${sealed.id}/rotate`))) as { secret: string };
  await ok(fresh.put(`/webhook/unit/${sealed.id}`, { active: true }));
  await until(() => expect(receiver.to(sealed.path)).toHaveLength(1));
  const [received] = receiver.to(sealed.path);
  new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>);
});

it('signs with both secrets after a rotation, and with the two newest after another', async () => {
  receiver.succeed();
  const the = await hook({ kinds: ['task'] });
  const rotate = async () => ((await ok(project.post(`/webhook/unit/${the.id}/rotate`))) as { secret: string }).secret;
  const second = await rotate();
  const verified = (at: number, secret: string) => {
    const received = receiver.to(the.path)[at];
    try {
      new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  await create({ title: 'a' });
  await until(() => expect(receiver.to(the.path)).toHaveLength(1));
  expect([verified(0, the.secret), verified(0, second)]).toEqual([true, true]);
  const third = await rotate();
  await create({ title: 'b' });
  await until(() => expect(receiver.to(the.path)).toHaveLength(2));
  expect([verified(1, the.secret), verified(1, second), verified(1, third)]).toEqual([false, true, true]);
  expect(await ok(project.get(`/webhook/unit/${the.id}`))).toMatchObject({ hint: third.slice(-4) });
  await end(the);
});

it('goes on from now, or from a time, with the same ids', async () => {
  receiver.succeed();
  const the = await hook({ kinds: ['task'] });
  await create({ title: 'a' });
  await until(() => expect(receiver.to(the.path)).toHaveLength(1));
  const time = new Date().toISOString();
  await create({ title: 'b' });
  await until(() => expect(receiver.to(the.path)).toHaveLength(2));
  await ok(project.put(`/webhook/unit/${the.id}`, { active: false }));
  await create({ title: 'c' });
  const resume = (from: string) => project.post(`/webhook/unit/${the.id}/resume`, { from });
  expect((await resume('yesterday')).body.messages[0]).toMatchObject({
    code: 'parameter.bad_value',
    parameter: 'from',
  });
  await ok(resume('now'));
  await create({ title: 'd' });
  const titles = () => receiver.messages(the.path).map(({ data }) => data.unit['title']);
  await until(() => expect(titles()).toEqual(['a', 'b', 'd']));
  await ok(resume(time));
  await until(() => expect(titles().slice(3).toSorted()).toEqual(['b', 'c', 'd']));
  const received = receiver.to(the.path);
  const of = (title: string) => received.filter(({ body }) => body.includes(`"title":"${title}"`));
  for (const title of ['b', 'd']) {
    expect(new Set(of(title).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(of(title).map(({ body }) => body)).size).toBe(1);
  }
  await end(the);
});

it('sends all that is recorded where it names no kinds, but not its own creation', async () => {
  receiver.succeed();
  const fresh = await one.project();
  const the = await hook({}, fresh);
  await ok(fresh.put(`/webhook/unit/${the.id}`, { label: 'x' }));
  await defineKinds(fresh, { id: 'task', changes: 'feed' });
  await until(() =>
    // Those of different units come in any order.
    expect(
      receiver
        .messages(the.path)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['kind.create', 'webhook.update']),
  );
  expect(JSON.stringify(receiver.to(the.path))).not.toMatch(/sealed|whsec_/);
});

it('sends an erased event without its values, and keeps none that were read before', async () => {
  receiver.fail(503);
  const the = await hook({ kinds: ['task'] });
  const { id } = await create({ title: 'canary-a' });
  await ok(project.put(`/task/unit/${id}`, { title: 'now' }));
  await until(() => expect(receiver.to(the.path)).toHaveLength(1));
  await until(async () => expect((await deliveries(the)).at(-1)?.attempts.length).toBeGreaterThan(0));
  await ok(project.delete(`/task/unit/${id}/history`));
  receiver.succeed();
  await hurry();
  const sent = () => receiver.messages(the.path).slice(1);
  await until(() => expect(sent().filter(({ type }) => type === 'task.update')).toHaveLength(1));
  for (const { type, data } of sent()) expect([type, data], type).toMatchObject([type, { unit_id: id, erased: true }]);
  expect(JSON.stringify(sent())).not.toContain('canary');
  // Erased between the making of a body and its keeping.
  const payloads = one.service.app.get(Payloads);
  const make = payloads.make.bind(payloads);
  let erasures = 0;
  const making = vi.spyOn(Payloads.prototype, 'make').mockImplementation(async (...given) => {
    const body = await make(...given);
    if (given[1].id === the.id && (erasures += 1) === 1) {
      await ok(project.delete(`/task/unit/${JSON.parse(body?.body ?? '').data.unit_id}/history`));
    }
    return body;
  });
  const other = await create({ title: 'canary-b' });
  await until(() => expect(sent().filter(({ data }) => data.unit_id === other.id)).toHaveLength(1));
  making.mockRestore();
  expect(erasures).toBe(2);
  expect(sent().at(-1)?.data).toMatchObject({ operation: 'create', erased: true, changes: { title: [null, null] } });
  await until(async () => expect((await deliveries(the))[0]?.state).toBe('delivered'));
  const { body } = (await ok(project.get(`/webhook/unit/${the.id}/delivery/${(await deliveries(the))[0]?.id}`))) as {
    body: string;
  };
  expect(body).toContain('"erased":true');
  await end(the);
});

it('leaves out the unit where it would be too large', async () => {
  receiver.succeed();
  const the = await hook({ kinds: ['task'] });
  const { id } = await create({ title: 'a', text: 'x'.repeat(300_000) });
  await until(() => expect(receiver.to(the.path)).toHaveLength(1));
  const [message] = receiver.messages(the.path);
  expect(message?.data).toMatchObject({ unit_id: id, operation: 'create', truncated: true });
  expect(Object.keys(message?.data ?? {})).not.toContain('unit');
  expect(Object.keys(message?.data ?? {})).not.toContain('changes');
  await end(the);
});

it('sends links where it asks for them', async () => {
  receiver.succeed();
  await ok(project.post('/link/unit', { id: 'about' }));
  const the = await hook({ kinds: ['task'], operations: ['link', 'unlink'] });
  const [a, b] = [await create({ title: 'a' }), await create({ title: 'b' })];
  await ok(project.post(`/task/unit/${a.id}/link/about/task/unit/${b.id}`));
  await until(() => expect(receiver.to(the.path)).toHaveLength(1));
  expect(receiver.messages(the.path)[0]).toMatchObject({
    type: 'task.link',
    data: { unit_id: a.id, link_id: 'about', child_id: b.id },
  });
  await end(the);
});

it('sends at most four at once of a webhook, each unit in its order', async () => {
  receiver.mostOpen = 0;
  receiver.answer = (_, response) => void setTimeout(() => response.writeHead(200).end(), 30);
  const the = await hook({ kinds: ['task'] });
  const tasks = await Promise.all(Array.from({ length: 12 }, (_, at) => create({ title: `${at}` })));
  for (let n = 0; n < 5; n += 1) {
    await Promise.all(
      tasks.map(({ id }) =>
        ok((n % 2 ? project : project.as(project.token)).put(`/task/unit/${id}`, { title: `v${n}` })),
      ),
    );
  }
  await until(() => expect(receiver.to(the.path).length).toBeGreaterThanOrEqual(72));
  await until(() => expect(receiver.to(the.path)).toHaveLength(72));
  expect(receiver.mostOpen).toBeLessThanOrEqual(4);
  expect(receiver.mostOpen).toBeGreaterThan(1);
  const versions = new Map<string, number[]>();
  for (const { data } of receiver.messages(the.path)) {
    versions.set(data.unit_id, [...(versions.get(data.unit_id) ?? []), Number(data['version'])]);
  }
  for (const each of versions.values()) expect(each).toEqual(each.toSorted((a, b) => a - b));
  await end(the);
});

it('keeps what was delivered for three days, what has failed for thirty, and so many of a webhook', async () => {
  receiver.succeed();
  const the = await hook({ kinds: ['task'] });
  for (const title of ['a', 'b', 'c', 'd']) await create({ title });
  await until(async () => {
    expect((await deliveries(the)).map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => 'delivered'));
  });
  const ids = (await deliveries(the)).map(({ id }) => id);
  const ended = [
    ['done', 2.9],
    ['failed', 29],
    ['done', 3.1],
    ['failed', 31],
  ] as const;
  for (const [at, [state, days]] of ended.entries()) {
    const ago = `now() - ${days} * interval '1 day'`;
    await query(project, `UPDATE $schema._task SET state = $2, ended_at = ${ago} WHERE id = $1`, [ids[at], state]);
  }
  const kept = async () => (await deliveries(the)).map(({ id }) => id);
  const { database } = one.service;
  const schema = `project_${project.id}`;
  await database.run(forgetTasksStatement(schema));
  expect(await kept()).toEqual(ids.slice(0, 2));
  lowerLimit('deliveriesKept', 1);
  await database.run(pruneDeliveriesStatement(schema, the.id));
  expect(await kept()).toEqual(ids.slice(0, 1));
  await end(the);
});

it('tells how many events are lost that are no longer kept, and goes on with the oldest', async () => {
  receiver.succeed();
  const the = await hook({ kinds: ['task'] });
  await ok(project.put(`/webhook/unit/${the.id}`, { active: false }));
  for (const title of ['lost', 'lost too']) await create({ title });
  await ok(project.get('/changes?kinds=task&since='));
  await query(project, `WITH gone AS (DELETE FROM $schema._change) UPDATE $schema._feed SET kept = last`);
  const { id } = await create({ title: 'kept' });
  await ok(project.put(`/webhook/unit/${the.id}`, { active: true }));
  await until(() => expect(receiver.messages(the.path)).toMatchObject([{ data: { unit_id: id } }]));
  await until(async () => {
    // With its own creation and pause, which are no events of a task, if its position was not beyond them.
    const reason = expect.stringMatching(/^up to [234] events were no longer kept, and are lost$/) as string;
    expect(await ok(project.get(`/webhook/unit/${the.id}`))).toMatchObject({ state: 'ok', active: true, reason });
  });
  await end(the);
});

it('a receiver that does not answer keeps no other webhook waiting', async () => {
  const [slow, quick] = [await hook({ kinds: ['task'] }), await hook({ kinds: ['task'] })];
  let isHeld = true;
  receiver.answer = ({ path }, response) => {
    if (path !== slow.path || !isHeld) response.writeHead(204).end();
  };
  for (let sent = 1; sent <= 3; sent += 1) {
    await create({ title: `n${sent}` });
    await until(() => expect(receiver.to(quick.path)).toHaveLength(sent));
  }
  // Nothing has ended there yet, and each unit has a place.
  await until(() => expect(receiver.to(slow.path)).toHaveLength(3));
  isHeld = false;
  await Promise.all([end(slow), end(quick)]);
  receiver.succeed();
  receiver.release();
});

it('pings, whatever the state, six times a minute', async () => {
  const fresh = await two.project();
  const the = await hook({ active: false }, fresh);
  receiver.succeed();
  const ping = () => fresh.post(`/webhook/unit/${the.id}/ping`);
  expect(await ok(ping())).toMatchObject({ delivered: true, status: 204, code: null });
  const [received] = receiver.to(the.path);
  new Webhook(the.secret).verify(received?.body ?? '', received?.headers as Record<string, string>);
  expect(JSON.parse(received?.body ?? '')).toMatchObject({
    type: 'ping',
    timestamp: MICROSECONDS,
    data: { project: fresh.id },
  });
  receiver.fail(302);
  expect(await ok(ping())).toMatchObject({ delivered: false, status: 302, code: 'redirect' });
  receiver.fail(404);
  expect(await ok(ping())).toMatchObject({ delivered: false, status: 404, code: 'status' });
  receiver.answer = (_, response) => void response.destroy();
  expect(await ok(ping())).toMatchObject({ delivered: false, status: null, code: 'lost' });
  receiver.answer = (_, response) => {
    response.writeHead(200);
    const more = (): void => void (response.destroyed || response.write('x'.repeat(1024 * 1024), more));
    more();
  };
  const began = performance.now();
  expect(await ok(ping())).toMatchObject({ delivered: true, status: 200 });
  expect(performance.now() - began).toBeLessThan(3000);
  await ok(ping());
  const refused = await ping();
  expect([refused.status, refused.body.messages[0]?.code]).toEqual([429, 'request.throttled']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('nothing is sent in a project whose background is off', async () => {
  receiver.succeed();
  const fresh = await one.project();
  await defineKinds(fresh, {
    id: 'task',
    changes: 'feed',
    access: open,
    parameters: [{ id: 'title', kind_id: 'string' }],
  });
  const the = await hook({ kinds: ['task'] }, fresh);
  const set = (on: boolean) =>
    one.service.database.run({
      text: `UPDATE kind.project SET settings = jsonb_set(settings, '{background}', '${on}') WHERE id = $1`,
      values: [fresh.id],
    });
  await set(false);
  await create({ title: 'a' }, 'task', fresh);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(receiver.to(the.path)).toHaveLength(0);
  await set(true);
  await one.service.app.get(Followers).begin(fresh.id);
  await until(() => expect(receiver.to(the.path)).toHaveLength(1));
});

it('members and strangers get nothing of deliveries', async () => {
  const the = await hook({ active: false });
  for (const [method, path] of [
    ['POST', 'ping'],
    ['POST', 'rotate'],
    ['POST', 'resume'],
    ['GET', 'delivery'],
    ['GET', 'delivery/00000000-0000-4000-8000-000000000000'],
    ['POST', 'delivery/00000000-0000-4000-8000-000000000000/retry'],
  ] as const) {
    expect((await ann.call(method, `/webhook/unit/${the.id}/${path}`)).status).toBe(403);
    expect((await project.as(undefined).call(method, `/webhook/unit/${the.id}/${path}`)).status).toBe(401);
    const body = method === 'POST' && path === 'resume' ? { from: 'now' } : undefined;
    expect((await project.call(method, `/webhook/unit/nowhere/${path}`, body)).status).toBe(404);
  }
  const own = await project.get('/task/unit', { headers: { 'user-agent': 'kind-webhook' } });
  expect([own.status, own.body.messages[0]?.code]).toEqual([403, 'webhook.loop']);
});

it('sends at most 16 at once of a project, and what is left of a process to others', async () => {
  // All by one process.
  await two.service.app.get(Followers).stop(0);
  const other = await one.project();
  await defineKinds(other, { id: 'task', changes: 'feed', parameters: [{ id: 'title', kind_id: 'string' }] });
  const hooks = await Promise.all(Array.from({ length: 5 }, () => hook({ kinds: ['task'] })));
  const others = await Promise.all(Array.from({ length: 2 }, () => hook({ kinds: ['task'] }, other)));
  receiver.answer = () => undefined;
  receiver.mostOpen = 0;
  const createFour = (of: TestProject) => Promise.all([1, 2, 3, 4].map((n) => create({ title: `${n}` }, 'task', of)));
  await createFour(project);
  await until(() => expect(receiver.open).toBe(16));
  await createFour(other);
  await until(() => expect(receiver.open).toBe(20));
  const sent = (to: readonly Hook[]) => to.map(({ path }) => receiver.to(path).length).reduce((a, b) => a + b);
  expect([sent(hooks), sent(others)]).toEqual([16, 4]);
  receiver.succeed();
  receiver.release();
  await until(() => expect([sent(hooks), sent(others)]).toEqual([20, 8]));
  expect(receiver.mostOpen).toBe(20);
});
