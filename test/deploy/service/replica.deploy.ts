/** Reads with `Kind-Consistency: eventual`, which come from a replica: a standby of PostgreSQL that streams. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { READ_WRITTEN } from '../../../src/sql/server/connection.sql.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { logLines } from '../../support/log-lines.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import type { Reply, TestProject, TestService } from '../../support/service.js';
import { startWithStandby } from '../../support/standby.js';

const EVENTUAL = { headers: { 'kind-consistency': 'eventual' } };
const MAX_LAG = 2000;

const { primary, standbyUrl, standby, caughtUp, stopStandby } = await startWithStandby();
const log = logLines();
const service = await startServiceOn(primary, { replica: { url: standbyUrl, maxLag: MAX_LAG } }, log.logger);
const { database } = service.service;
const admin = await service.project();
const member = await asMember(admin);
const { id: memberId } = (await ok(member.get('/auth/me'))) as { id: string };
await defineKinds(admin, {
  id: 'note',
  access: { read: 'eq(owner,@member.id)' },
  parameters: [
    { id: 'text', kind_id: 'string' },
    { id: 'owner', kind_id: 'unit', reference_kind: 'person', on_delete: 'set_null' },
    { id: 'secret', kind_id: 'string', read_access: 'admin' },
  ],
});
await ok(admin.post('/note/unit', [{ text: 'mine', owner: memberId, secret: 's' }, { text: 'other' }]));

const written = async (): Promise<string> => {
  const [row] = await database.run<{ position: string }>(READ_WRITTEN);
  return row?.position ?? '';
};

/** Waits until the service uses the replica, or until it no longer does. */
async function untilUsed(used: boolean, of: TestService = service): Promise<void> {
  const { replica } = of.service.database;
  const project = { id: 'any', schema: 'project_any' };
  for (let attempt = 0; attempt < 500 && (replica?.readsOf(project, {}) !== undefined) !== used; attempt += 1) {
    await delay(20);
  }
  expect(replica?.readsOf(project, {}) !== undefined).toBe(used);
}

/** The answer, and which server gave it. */
async function answered(request: () => Promise<Reply>): Promise<[Reply, 'replica' | 'primary']> {
  const before = database.replica?.reads.replica ?? 0;
  const reply = await request();
  return [reply, (database.replica?.reads.replica ?? 0) > before ? 'replica' : 'primary'];
}

const textsOf = ({ body }: Reply) => (body.content.items as { text: string }[]).map(({ text }) => text);
const list =
  (caller: TestProject, options: object = EVENTUAL) =>
  () =>
    caller.get('/note/unit', options);

test.each([
  '/note/unit',
  '/note/unit?filter=eq(text,mine)&order=text;desc',
  '/note/aggregate?select=[count()]',
  '/group/kind_auth_member/unit',
])('%s comes from the replica where the client accepts that', async (path) => {
  await caughtUp(written);
  await untilUsed(true);
  const [eventual, from] = await answered(() => admin.get(path, EVENTUAL));
  expect(from).toBe('replica');
  for (const headers of [undefined, { 'kind-consistency': 'strong' }]) {
    const [strong, by] = await answered(() => admin.get(path, headers && { headers }));
    expect(by).toBe('primary');
    expect(eventual.body).toEqual(strong.body);
  }
});

test('walks come from the replica too; gets and writes do not', async () => {
  await untilUsed(true);
  const { items } = (await ok(admin.get('/note/unit'))) as { items: { id: string }[] };
  const path = `/note/unit/${items[0]?.id}`;
  expect((await answered(() => admin.get(`${path}/link/child`, EVENTUAL)))[1]).toBe('replica');
  expect((await answered(() => admin.get(path, EVENTUAL)))[1]).toBe('primary');
  expect((await answered(() => admin.put(path, { text: 'mine' }, EVENTUAL)))[1]).toBe('primary');
});

test('rules and masks hold', async () => {
  await caughtUp(written);
  await untilUsed(true);
  const [reply, from] = await answered(list(member));
  expect(from).toBe('replica');
  expect(textsOf(reply)).toEqual(['mine']);
  expect(reply.text).not.toContain('secret');
});

test('older data is answered for a while; then the primary answers', async () => {
  await caughtUp(written);
  await untilUsed(true);
  await standby.query('SELECT pg_wal_replay_pause()');
  await createdId(admin.post('/note/unit', { text: 'new' }));
  const [old, from] = await answered(list(admin));
  expect(from).toBe('replica');
  expect(textsOf(old)).not.toContain('new');
  expect(textsOf(await list(admin, {})())).toContain('new');
  await untilUsed(false);
  const [fresh, by] = await answered(list(admin));
  expect(by).toBe('primary');
  expect(textsOf(fresh)).toContain('new');
  expect(log.text()).toContain('its data is too old');
  await standby.query('SELECT pg_wal_replay_resume()');
  await untilUsed(true);
});

test('a replica that has not seen a change of the model is not believed', async () => {
  await caughtUp(written);
  await untilUsed(true);
  await standby.query('SELECT pg_wal_replay_pause()');
  await ok(admin.post('/note/unit', { text: 'third' }));
  await ok(admin.put('/kind/unit/note', { access: { read: 'admin' } }));
  await ok(admin.put('/string/unit/text', { label: 'Text' }));
  // Right after the change, although the data of the replica is not too old.
  expect((await list(member)()).status).toBe(403);
  expect(textsOf(await list(admin)())).toContain('third');
  await standby.query('SELECT pg_wal_replay_resume()');
});

test('a session that has ended is over at once', async () => {
  await caughtUp(written);
  await untilUsed(true);
  await standby.query('SELECT pg_wal_replay_pause()');
  await ok(admin.delete(`/person/unit/${memberId}`));
  expect((await list(member)()).status).toBe(401);
  await standby.query('SELECT pg_wal_replay_resume()');
});

test('an unknown value is refused, after the rights', async () => {
  const wrong = { headers: { 'kind-consistency': 'soon' } };
  const refused = await admin.get('/note/unit', wrong);
  expect(refused.status).toBe(400);
  expect(refused.body.messages).toMatchObject([{ code: 'header.bad_value' }]);
  expect((await admin.as(undefined).get('/note/unit', wrong)).status).toBe(401);
});

const primaryAsReplica = () => {
  const own = new URL(standbyUrl);
  own.searchParams.set('host', primary.host);
  return Promise.resolve(own.href);
};

async function databaseOfAnother(): Promise<string> {
  const elsewhere = await ownDatabase();
  await startServiceOn(elsewhere);
  return urlOf(elsewhere);
}

test.each([
  ['a server that is no standby', primaryAsReplica, 'it is no standby of PostgreSQL'],
  ['a database of other services', databaseOfAnother, 'it is a replica of another database'],
])('%s is not used', async (_, replicaUrl, reason) => {
  const lines = logLines();
  const url = await replicaUrl();
  const other = await startServiceOn(primary, { replica: { url, maxLag: MAX_LAG } }, lines.logger);
  const reported = () => lines.of().filter((line) => line.includes('replica'));
  for (let attempt = 0; attempt < 200 && reported().length === 0; attempt += 1) await delay(20);
  expect(reported()).toEqual(['the replica is not used: reads go to the primary']);
  expect(lines.text()).toContain(reason);
  await untilUsed(false, other);
});

test('while the replica is away the primary answers, and that is logged once', async () => {
  await untilUsed(true);
  const before = log.of().length;
  await stopStandby();
  // Also before the service has noticed it.
  for (let request = 0; request < 3; request += 1) expect((await list(admin)()).status).toBe(200);
  await untilUsed(false);
  expect((await list(admin)()).status).toBe(200);
  expect(log.of().slice(before)).toEqual(['the replica is not used: reads go to the primary']);
});
