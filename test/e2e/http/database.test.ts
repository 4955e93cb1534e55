/** A slow, full or missing database: 503 with a reason, and the next request works once it is back. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, query } from '../../support/definitions.js';
import { expectWellFormed } from '../../support/scenario.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import type { Reply } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';
import { send } from '../../support/wire.js';

const POOL = 3;
/** What one kind of a project may have of them. */
const PLACES = 1;
const database = await ownDatabase();
const service = await startServiceOn(database, { databasePool: POOL });
const project = await service.project();
await defineKinds(project, { id: 'city', label: 'City', parameters: [{ id: 'name', kind_id: 'string' }] });
const unit = await createdId(project.post('/city/unit', { name: 'Rome' }));
const side = await sideConnection(database);
/** All connections of all services on this database. */
const END_ALL =
  "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'kind%'";

const requests: Record<string, () => Promise<Reply>> = {
  list: () => project.get('/city/unit'),
  get: () => project.get(`/city/unit/${unit}`),
  create: () => project.post('/city/unit', { name: 'Oslo' }),
  edit: () => project.put(`/city/unit/${unit}`, { name: 'Roma' }),
  delete: () => project.delete('/city/unit/0190163d-8694-739b-aea5-966c26f8ad91'),
  define: () => project.put('/kind/unit/city', { label: 'Town' }),
  'add a parameter': () =>
    project.put('/kind/unit/city', { parameters: ['name', { id: `p${Date.now()}`, kind_id: 'string' }] }),
};

function ask(name: string): Promise<Reply> {
  const request = requests[name];
  if (!request) throw new Error(name);
  return request();
}

function expectRefused(reply: Reply, code: string): void {
  expectWellFormed(reply);
  expect(reply).toMatchObject({ status: 503, body: { messages: [{ code }] } });
}

describe('a statement that takes too long', () => {
  it.each(['list', 'get', 'create', 'edit', 'delete'])('is ended by PostgreSQL and answered 503: %s', async (name) => {
    const release = await side.lock(project, 'city');
    const reply = ask(name);
    // What statement_timeout does after its time is what pg_cancel_backend does now.
    const [pid] = await side.waiting(project, 'city');
    await side.rows('SELECT pg_cancel_backend($1::int)', [pid]);
    expectRefused(await reply, 'query.timeout');
    await release();
    expect((await ask(name)).status).not.toBe(503);
  });
});

describe('a connection that breaks', () => {
  it.each(['list', 'get', 'create', 'edit', 'delete', 'add a parameter'])(
    'under a request is 503, and the next request works: %s',
    async (name) => {
      const release = await side.lock(project, 'city');
      const reply = ask(name);
      const [pid] = await side.waiting(project, 'city');
      await side.rows('SELECT pg_terminate_backend($1::int, 5000)', [pid]);
      const refused = await reply;
      expectRefused(refused, 'database.unavailable');
      // PostgreSQL told that it ended the connection: what was under way is undone.
      const advice = ['list', 'get'].includes(name) ? '; try again shortly' : ': not stored; try again shortly';
      expect(refused.body.messages[0]?.text).toBe(`The database does not answer${advice}`);
      await release();
      const again = await ask(name);
      expect([200, 404]).toContain(again.status);
      expect((await project.get('/kind/unit/city')).status).toBe(200);
    },
  );

  it('while idle is replaced: the next requests work, all of them', async () => {
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 2 * POOL }, () => ask('list')));
      await side.rows(END_ALL);
      const replies = await Promise.all(Array.from({ length: 2 * POOL }, () => ask('get')));
      expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 200));
    }
  });

  it('leaves nothing half done', async () => {
    const before = (await project.get('/city/unit?limit=0')).body.content.count as number;
    const release = await side.lock(project, 'city');
    const reply = project.post(
      '/city/unit',
      Array.from({ length: 100 }, (_, at) => ({ name: `half ${at}` })),
    );
    const [pid] = await side.waiting(project, 'city');
    await side.rows('SELECT pg_terminate_backend($1::int, 5000)', [pid]);
    expectRefused(await reply, 'database.unavailable');
    await release();
    expect((await project.get('/city/unit?limit=0')).body.content.count).toBe(before);
    expect((await project.get('/city/unit?filter=startswith(name,half)')).body.content.count).toBe(0);
  });

  it('does not lose notifications: another process is still notified of a change', async () => {
    const twin = await startServiceOn(database, { databasePool: POOL });
    const there = await twin.signIn(project.id);
    await side.rows(END_ALL);
    await defineKinds(project, { id: 'fresh', label: 'Fresh' });
    expect((await there.post('/fresh/unit', {})).status).toBe(200);
    await project.put('/kind/unit/fresh', { active: false });
    expect((await there.get('/fresh/unit')).status).toBe(403);
  });
});

describe('a server that is out of disk space or memory', () => {
  // test/campaign/disk.ts fills a disk.
  it.each(['53100', '53200', '58030'])('refuses what it cannot do, and goes on with the rest: %s', async (code) => {
    const body = `BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '${code}'; END`;
    await query(
      project,
      `CREATE FUNCTION $schema.fail() RETURNS boolean LANGUAGE plpgsql AS '${body.replaceAll("'", "''")}'`,
    );
    await query(project, 'ALTER TABLE $schema."city" ADD CONSTRAINT "fails" CHECK ($schema.fail()) NOT VALID');
    for (const name of ['create', 'edit']) {
      const reply = await ask(name);
      expectRefused(reply, 'database.unavailable');
      expect(reply.body.messages[0]?.text).toBe(
        'The database is out of disk space or memory: not stored; try again shortly',
      );
      expect(reply.headers.get('retry-after')).toBe('5');
    }
    for (const name of ['list', 'get']) expect((await ask(name)).status).toBe(200);
    await query(project, 'ALTER TABLE $schema."city" DROP CONSTRAINT "fails"');
    await query(project, 'DROP FUNCTION $schema.fail()');
    expect((await ask('create')).status).toBe(200);
  });
});

describe('a pool that is full', () => {
  it('makes requests wait, then answers 503 and continues', async () => {
    const release = await side.lock(project, 'city');
    const stuck = Array.from({ length: PLACES }, () => ask('list'));
    await side.waiting(project, 'city', PLACES);
    const late = await ask('list');
    expectRefused(late, 'server.busy');
    expect(late.headers.get('retry-after')).toMatch(/^\d+$/);
    await release();
    for (const reply of await Promise.all(stuck)) expect(reply.status).toBe(200);
    expect((await ask('list')).status).toBe(200);
    expect((await send(service.service, { path: '/health/ready' })).status).toBe(200);
  });

  it('is shared fairly by many at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? ask('create') : ask('list'))),
    );
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
  });
});
