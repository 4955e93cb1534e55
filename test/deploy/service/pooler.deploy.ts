/** The service on a database that it reaches through a pooler. */
import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { IndexBuilder } from '../../../src/catalog/indexes/index-builder.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { clientOptions, type ConnectionOptions } from '../../../src/database/connection/connection.js';
import { Database, type Transaction } from '../../../src/database/database.js';
import { openPool } from '../../../src/database/connection/open-pool.js';
import { LIMITS } from '../../../src/shared/limits.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { follow } from '../../support/live.js';
import { logLines } from '../../support/log-lines.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import { startPooler, type PoolerOptions } from '../../support/pooler.js';
import { Receiver } from '../../support/receiver.js';
import { alterRole, giveSettings, LIMITED, refusalThrough } from '../../support/role-settings.js';
import { ADMIN } from '../../support/service.js';
import { sideConnection, type SideConnection } from '../../support/side-connection.js';

const statement = (text: string, ...values: unknown[]): Statement => ({ text, values });
const prepared = (text: string, ...values: unknown[]): Statement => ({ text, values, prepare: true });

/** A database whose role has the settings that the service asks for, and a pooler before it. */
async function pooled(options: PoolerOptions = {}) {
  const direct = await ownDatabase();
  await giveSettings(direct, (await startPooler(direct, { startup: 'dropped' })).connection);
  const pooler = await startPooler(direct, options);
  return { direct, pooler, connection: pooler.connection, side: await sideConnection(direct) };
}

const refusalOf = async (direct: ConnectionOptions, options: PoolerOptions): Promise<string> =>
  refusalThrough((await startPooler(direct, options)).connection);

const advisoryLocks = async (side: SideConnection) =>
  side.rows(
    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
  );

describe('settings', () => {
  it.each([{ startup: 'refused' }, { startup: 'dropped' }] as const)(
    'that a pooler does not hand on are told in one line, with what gives them: %o',
    async (options) => {
      const direct = await ownDatabase();
      const side = await sideConnection(direct);
      const [{ role = '', name = '' } = {}] = await side.rows<{ role: string; name: string }>(
        'SELECT current_user AS role, current_database() AS name',
      );
      await side.rows(`ALTER ROLE "${role}" IN DATABASE "${name}" SET extra_float_digits = 0`.replaceAll('`', ''));
      const refusal = await refusalOf(direct, options);
      expect(refusal).not.toContain('\n');
      expect(refusal).toMatch(/^DATABASE_URL: leads through a pooler at 127\.0\.0\.1:\d+\/\w+, which does not hand on/);
      expect(refusal).toContain('statement_timeout is 0, wants 30000ms');
      expect(refusal).toContain('extra_float_digits is 0, wants 1');
      for (const text of alterRole(refusal)) await side.rows(text);
      expect(await refusalOf(direct, options)).toBe('none');
    },
  );

  it('hold for each statement and transaction', async () => {
    const { connection } = await pooled();
    const { dataSource, reachability: reach } = await openPool(connection, LIMITED);
    atEnd(() => dataSource.destroy());
    expect(reach).toMatchObject({ pooled: true });
    const database = new Database(dataSource, reach);
    const asked = statement(
      "SELECT current_setting('statement_timeout') AS s, current_setting('idle_in_transaction_session_timeout') AS i, current_setting('timezone') AS z",
    );
    const wanted = [{ s: '30s', i: '15s', z: expect.stringMatching(/^(?:Etc\/)?UTC$/) as string }];
    for (let times = 0; times < 3; times += 1) expect(await database.run(asked)).toEqual(wanted);
    expect(await database.transaction((tx) => tx.run(asked), { statementTimeout: 1000 })).toEqual([
      { ...wanted[0], s: '1s' },
    ]);
    expect(await database.run(asked)).toEqual(wanted);
  });

  it('that a pooler stops to forward are reported, once', async () => {
    const { connection, direct, side, pooler } = await pooled();
    const warn = vi.fn();
    const { dataSource, reachability: reach } = await openPool(connection, { ...LIMITED, warn });
    atEnd(() => dataSource.destroy());
    const database = new Database(dataSource, reach);
    const name = new URL(urlOf(direct)).pathname.slice(1);
    await side.rows(['ALTER ROLE CURRENT_USER IN DATABASE', name, 'RESET ALL'].join(' '));
    await side.rows('SELECT pg_terminate_backend(pid, 5000) FROM unnest($1::int[]) AS pid', [pooler.backends()]);
    await vi.waitFor(() => expect(pooler.backends()).toHaveLength(2));
    const held = () => database.transaction((tx) => tx.run(statement('SELECT pg_sleep(0.05)')));
    await Promise.all([held(), held(), held()]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('statement_timeout is 0, wants 30000ms'));
  });

  it('are sent as startup parameters without a pooler, after those of the address', async () => {
    const direct = await ownDatabase();
    const url = new URL(urlOf(direct));
    url.searchParams.set('options', '-c extra_float_digits=0 -c work_mem=5MB');
    const { dataSource, reachability: reach } = await openPool({ url: url.href }, LIMITED);
    atEnd(() => dataSource.destroy());
    expect(reach).toMatchObject({ pooled: false, options: expect.stringContaining('-c statement_timeout=30000ms') });
    const [row] = await new Database(dataSource, reach).run(
      statement(
        "SELECT current_setting('work_mem') AS w, current_setting('extra_float_digits') AS e, current_setting('jit') AS j",
      ),
    );
    expect(row).toEqual({ w: '5MB', e: '1', j: 'off' });
  });
});

it('projects whose statements wait for locks leave connections for another behind a pooler too', async () => {
  const { connection, direct } = await pooled({ servers: 8 });
  const { dataSource, reachability: reach } = await openPool(connection, { ...LIMITED, pool: 8 });
  atEnd(() => dataSource.destroy());
  const database = new Database(dataSource, reach);
  await database.run(statement('CREATE TABLE held ()'));
  const holder = new Client(clientOptions(direct));
  await holder.connect();
  atEnd(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE held');
  const of = (id: string) => database.ofProject({ id, schema: id });
  const waiting = Array.from({ length: 60 }, (_, at) =>
    of(`noisy${at % 10}`)
      .run(statement('SELECT FROM held'))
      .catch(() => undefined),
  );
  const begun = performance.now();
  for (let times = 0; times < 5; times += 1)
    expect(await of('quiet').run(statement('SELECT 1 AS one'))).toHaveLength(1);
  expect(performance.now() - begun).toBeLessThan(3000);
  await holder.query('COMMIT');
  await Promise.all(waiting);
});

it('a statement with a shorter time limit is ended behind a pooler too', async () => {
  const { connection, side } = await pooled();
  const { dataSource, reachability: reach } = await openPool(connection, LIMITED);
  atEnd(() => dataSource.destroy());
  const database = new Database(dataSource, reach);
  const work = database.withTimeout(100).run(statement('SELECT pg_sleep(20)'));
  await expect(work).rejects.toMatchObject({ code: 'query.timeout' });
  const running = () => side.rows("SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(20)' AND state = 'active'");
  await expect.poll(running).toEqual([]);
  expect(await database.run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
});

describe('prepared statements', () => {
  /** Two databases as two processes are, on one pooler. */
  async function two(options: PoolerOptions, prepares = true) {
    const { connection } = await pooled(options);
    const made: Database[] = [];
    const onUnprepared = vi.fn();
    for (let at = 0; at < 2; at += 1) {
      const { dataSource, reachability: reach } = await openPool(connection, { ...LIMITED, pool: 1 });
      atEnd(() => dataSource.destroy());
      made.push(new Database(dataSource, { ...reach, prepares, onUnprepared }));
    }
    return { made: made as [Database, Database], onUnprepared };
  }

  it.each([{ servers: 1 }, { servers: 2 }, { servers: 3 }])(
    'run as what was meant, and without a name once that is refused: %o',
    async (options) => {
      const { made, onUnprepared } = await two(options);
      for (let times = 0; times < 6; times += 1) {
        for (const [at, database] of made.entries()) {
          const mine = prepared(`SELECT ${at} AS mine, $1::int AS time`, times);
          expect(await database.run(mine)).toEqual([{ mine: at, time: times }]);
          for (let uses = at; uses < 2; uses += 1) {
            expect(await database.run(prepared('SELECT $1::int AS of_both', times))).toEqual([{ of_both: times }]);
          }
        }
      }
      expect(onUnprepared.mock.calls.length).toBeGreaterThan(0);
      expect(onUnprepared.mock.calls.length).toBeLessThanOrEqual(2);
    },
  );

  it('that fail in a transaction restart it once', async () => {
    const { made } = await two({ servers: 2 });
    const [database] = made;
    await database.run(statement('CREATE TABLE public.once (n int)'));
    const insert = prepared('INSERT INTO public.once VALUES ($1)', 1);
    for (let times = 0; times < 6; times += 1) await database.transaction((tx: Transaction) => tx.run(insert));
    expect(await database.run(statement('SELECT count(*)::int AS n FROM public.once'))).toEqual([{ n: 6 }]);
  });

  it('are not used in a transaction that reads and cannot be repeated, such as a backup', async () => {
    const { made, onUnprepared } = await two({ servers: 1 });
    const read = prepared('SELECT $1::int AS n', 1);
    for (let times = 0; times < 3; times += 1) await made[0].run(read);
    const readOften = async (tx: Transaction) => {
      for (let times = 0; times < 3; times += 1) await tx.run(read);
    };
    await made[1].transaction(readOften, { readOnly: true, once: true });
    expect(onUnprepared).not.toHaveBeenCalled();
  });

  it('are not used if switched off', async () => {
    const { made, onUnprepared } = await two({ servers: 2 }, false);
    for (let times = 0; times < 6; times += 1) await made[0].run(prepared('SELECT $1::int AS n', times));
    expect(onUnprepared).not.toHaveBeenCalled();
  });
});

const FOLLOWED = `
  import { kind } from 'kind';
  export default kind('task').module({
    hooks: { after_commit: async ({ event, system }) => void await system.units('note').create({ title: event.unit.title }) },
  });`;

describe('a service', () => {
  it('behind a transaction pooler logs that notifications do not arrive, and polls urgent settings', async () => {
    const { connection, direct } = await pooled();
    const log = logLines();
    const behind = await startServiceOn(connection, {}, log.logger);
    const beside = await startServiceOn(direct);
    expect(log.of().filter((line) => line.includes('are not heard'))).toEqual([
      'announcements of other processes are not heard: DATABASE_URL leads through a transaction pooler; settings of projects are asked for every second, unless DATABASE_DIRECT_URL leads past it',
    ]);
    const here = await behind.project();
    const there = await beside.signIn(here.id);
    await ok(there.post('/kind/unit', { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] }));
    await ok(here.post('/city/unit', { name: 'Rome' }));
    await ok(there.put('/kind/unit/city', { public: true }));
    expect((await here.as(undefined).get('/city/unit')).body.content.count).toBe(1);
    await beside.service.app.get(Provisioning).set(here.id, { settings: { otp: true } });
    const { username, password } = ADMIN;
    const signIn = () => here.as(undefined).post('/auth/signin', { username, password, otp: null });
    // Within a second.
    await vi.waitFor(async () => expect((await signIn()).body.content).toBeNull(), { timeout: 5000, interval: 100 });
    // A session that ends there is over here, too.
    await ok(there.post('/auth/signout'));
    await vi.waitFor(async () => expect((await here.as(there.token).get('/city/struct')).status).toBe(401), {
      timeout: 5000,
      interval: 100,
    });
  });

  it('tells what another process has written within 1.5 s where no notification arrives, and does what follows it', async () => {
    const { connection } = await pooled();
    const functions = new FunctionsFolder({ 'task.ts': FOLLOWED });
    const webhooks = { allow: [], allowPrivate: true, allowHttp: true };
    const settings = { functionsDir: functions.path, webhooks };
    const [writing, reading] = [await startServiceOn(connection, settings), await startServiceOn(connection, settings)];
    const project = await writing.project();
    const there = await reading.signIn(project.id);
    await defineKinds(project, { id: 'note', parameters: [{ id: 'title', kind_id: 'string' }] });
    await defineKinds(project, { id: 'task', changes: 'feed', parameters: ['title'] });
    const receiver = await Receiver.start();
    await ok(project.post('/webhook/unit', { id: 'hook', url: receiver.url(), kinds: ['task'] }));
    const live = await follow(there, { tasks: '/task/unit' });
    await live.next('page');
    let { next } = (await ok(there.get('/changes?kinds=task'))) as { next: string };
    for (const title of ['a', 'b', 'c']) {
      const waiting = ok(there.get(`/changes?kinds=task&wait=25&since=${next}`));
      // It waits before the write, most likely; after it, it answers at once.
      const { id } = (await ok(project.post('/task/unit', { title }))) as { id: string };
      const wrote = performance.now();
      const page = (await waiting) as { items: object[]; next: string };
      expect(page.items).toMatchObject([{ unit_id: id, operation: 'create' }]);
      await live.until(() => live.lists.get('tasks')?.has(id) === true);
      expect(performance.now() - wrote).toBeLessThan(1500);
      ({ next } = page);
    }
    const wanted = { timeout: 10_000, interval: 50 };
    await vi.waitFor(() => expect(receiver.to('/hook')).toHaveLength(3), wanted);
    await vi.waitFor(async () => expect(await ok(there.get('/note/unit'))).toMatchObject({ count: 3 }), wanted);
    live.close();
  });

  it.each([{ mode: 'session' as const }, {}])(
    'receives notifications if its connection is a session: %o',
    async (options) => {
      const { connection, direct } = await pooled({ servers: 12, ...options });
      const log = logLines();
      const given = options.mode ? connection : { url: urlOf(connection), directUrl: urlOf(direct) };
      await startServiceOn(given, { databasePool: 2 }, log.logger);
      expect(log.of().filter((line) => /heard|prepared/.test(line))).toEqual([]);
    },
  );

  it('starts concurrently with others, and leaves no lock behind', async () => {
    const { connection, side } = await pooled();
    const started = await Promise.all([0, 1, 2, 3].map(() => startServiceOn(connection, { databasePool: 2 })));
    await Promise.all(started.map((each) => each.service.stop()));
    await startServiceOn(connection, { databasePool: 2 });
    expect(await advisoryLocks(side)).toEqual([]);
  });
});

describe('work that needs a session', () => {
  /** A project with an index that is still to be built. */
  async function unindexed(connection: ConnectionOptions, log = logLines()) {
    const service = await startServiceOn(connection, {}, log.logger);
    const project = await service.project();
    await ok(project.post('/kind/unit', { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] }));
    const { database, app } = service.service;
    const schema = `project_${project.id}`;
    await database.run(
      statement(
        `INSERT INTO "${schema}".city (id, name, metadata, inserted_at, updated_at) SELECT gen_random_uuid(), 'name ' || n, '{}', now(), now() FROM generate_series(0, ${LIMITS.indexedInTransaction}) AS n`,
      ),
    );
    await ok(project.put('/string/unit/name', { indexed: true }));
    await app.get(IndexBuilder).finish();
    const valid = await database.run(
      statement(
        `SELECT FROM pg_index WHERE indrelid = '"${schema}".city'::regclass AND NOT indisprimary AND indisvalid`,
      ),
    );
    return { valid: valid.length, lines: log.of() };
  }

  it('is refused in one line that names the setting, and leaves nothing behind', async () => {
    const { connection, side } = await pooled();
    const { valid, lines } = await unindexed(connection);
    expect(valid).toBe(0);
    expect(lines.filter((line) => /index/.test(line))).toEqual([
      expect.stringMatching(/transaction pooler.*DATABASE_DIRECT_URL/),
    ]);
    expect(await advisoryLocks(side)).toEqual([]);
  });

  it('bypasses the pooler if so configured', async () => {
    const { connection, direct } = await pooled();
    // One for values, one for parts of texts.
    expect((await unindexed({ url: urlOf(connection), directUrl: urlOf(direct) })).valid).toBe(2);
  });
});

it('a transaction that is aborted by a signal is ended on the server', async () => {
  const { connection, side } = await pooled();
  const { dataSource, reachability: reach } = await openPool(connection, LIMITED);
  atEnd(() => dataSource.destroy());
  const database = new Database(dataSource, reach);
  const limit = new AbortController();
  const work = database.transaction(async (tx) => {
    tx.abortOn(limit.signal);
    await tx.run(statement('SELECT pg_sleep(25)'));
  });
  const sleeping = () =>
    side.rows("SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(25)%' AND state = 'active'");
  await vi.waitFor(async () => expect(await sleeping()).toHaveLength(1), { timeout: 5000 });
  limit.abort(new Error('too late'));
  await expect(work).rejects.toThrow('too late');
  await vi.waitFor(async () => expect(await sleeping()).toEqual([]), { timeout: 5000 });
});
