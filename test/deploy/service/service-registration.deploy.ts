/** Services on one database sign tokens with one key: one with another key is refused while any is running. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { loadConfig } from '../../../src/config/config.js';
import { RELEASE } from '../../../src/config/release.js';
import { DatabaseStartError, type ConnectionOptions } from '../../../src/database/connection/connection.js';
import { BUILT_IN_VERSION } from '../../../src/model/built-in/built-in.js';
import { Database } from '../../../src/database/database.js';
import { openPool } from '../../../src/database/connection/open-pool.js';
import { ServiceRegistration, type RegistrationOptions } from '../../../src/database/registry/service-registration.js';
import { migrateRegistry } from '../../../src/database/registry/registry.js';
import { startService } from '../../../src/service.js';
import { LOCK_SERVICES } from '../../../src/sql/server/registry.sql.js';
import { ok } from '../../support/definitions.js';
import { logLines, type LogLines } from '../../support/log-lines.js';
import { ownDatabase } from '../../support/own-database.js';
import { ADMIN, TestService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const ONE = 'one secret for tests, at least thirty-two characters';
const TWO = 'another secret for tests, at least thirty-two characters';

async function start(connection: ConnectionOptions, secret: string, log: LogLines = logLines()) {
  const keys = { JWT_SECRET: secret, SECRETS_KEY: 'k'.repeat(32) };
  const config = loadConfig({ PORT: '0', DATA_DIR: tmpdir(), ...keys, FUNCTIONS_WATCH: 'off' }, tmpdir());
  const bootstrap = { ...config.bootstrap, project: 'boot', adminPassword: ADMIN.password };
  const service = await startService({ config: { ...config, bootstrap }, secret, connection, logger: log.logger });
  atEnd(() => service.stop());
  return service;
}

/** The registry of a database of its own. */
async function registry() {
  const connection = await ownDatabase();
  const limits = { pool: 3, statementTimeout: 30_000, idleTimeout: 15_000, warn: () => undefined };
  const { dataSource } = await openPool(connection, limits);
  atEnd(() => dataSource.destroy());
  await migrateRegistry(dataSource);
  return { connection, database: new Database(dataSource), side: await sideConnection(connection) };
}

async function register(database: Database, secret: string, more: Partial<RegistrationOptions> = {}) {
  const log = { info: vi.fn(), error: vi.fn() };
  const times = { heartbeatInterval: 50, silenceTimeout: 400 };
  const registration = await ServiceRegistration.register(database, {
    secret,
    origin: 'JWT_SECRET',
    log,
    times,
    ...more,
  });
  atEnd(() => registration.unregister());
  return { registration, log };
}

const REFUSED =
  /^JWT_SECRET is another than that of the service on \S+ \(process \d+\), which uses the same database\. Each refuses the tokens of the other: give all services the same JWT_SECRET\./;

it('a service with another secret is refused, and takes over when the first has stopped', async () => {
  const connection = await ownDatabase();
  const first = await start(connection, ONE);
  await start(connection, ONE);
  const log = logLines();
  const refused = start(connection, TWO, log);
  await expect(refused).rejects.toThrow(REFUSED);
  await expect(refused).rejects.not.toThrow(/\n/);
  const { token } = await new TestService(first).signIn('boot');
  expect(token).toBeDefined();
}, 60_000);

it('an older release is refused after a newer one has used the database, and one that runs goes on', async () => {
  const connection = await ownDatabase();
  const first = await start(connection, ONE);
  const side = await sideConnection(connection);
  const newest = () => side.rows('SELECT release, built_in FROM kind.release');
  expect(await newest()).toEqual([{ release: RELEASE, built_in: BUILT_IN_VERSION }]);
  await side.rows(`UPDATE kind.release SET release = '9.1.0', built_in = built_in + 1`);
  const refused = start(connection, ONE);
  await expect(refused).rejects.toThrow(
    `the database was used by release 9.1.0 (version ${BUILT_IN_VERSION + 1} of the built-in kinds), which is newer than this one, ${RELEASE} (version ${BUILT_IN_VERSION}): `,
  );
  await expect(refused).rejects.toThrow(DatabaseStartError);
  expect(await newest()).toEqual([{ release: '9.1.0', built_in: BUILT_IN_VERSION + 1 }]);
  expect((await new TestService(first).signIn('boot')).token).toBeDefined();
  await side.rows(`UPDATE kind.release SET release = '0.0.1', built_in = built_in - 2`);
  await start(connection, ONE);
  expect(await newest()).toEqual([{ release: RELEASE, built_in: BUILT_IN_VERSION }]);
}, 60_000);

it('old tokens are invalid when a secret is replaced, and the log says so', async () => {
  const connection = await ownDatabase();
  const first = await start(connection, ONE);
  const before = await new TestService(first).signIn('boot');
  await first.stop();
  const log = logLines();
  const second = new TestService(await start(connection, TWO, log));
  expect(log.of('info')).toContain('the key that signs tokens is another than before: everybody has to sign in again');
  const after = await second.signIn('boot');
  expect((await after.as(before.token).get('/kind/unit')).status).toBe(401);
  await ok(after.get('/kind/unit'));
});

it('a killed service is waited for until its record expires', async () => {
  const { database, side } = await registry();
  await register(database, ONE).then(({ registration }) => registration.unregister());
  await side.rows("INSERT INTO kind.service (id, host, pid, seen_at) VALUES ($1, 'gone.example', 4711, now())", [
    randomUUID(),
  ]);
  const { log } = await register(database, TWO);
  expect(log.info.mock.calls.flat()).toEqual([
    'JWT_SECRET is another than that of the service on gone.example (process 4711), which uses the same database: waiting to see whether that one is still there',
    'the key that signs tokens is another than before: everybody has to sign in again',
  ]);
  expect(await side.rows('SELECT host FROM kind.service')).not.toContainEqual({ host: 'gone.example' });
});

it('of two services that start at once with different secrets, one succeeds', async () => {
  const { database } = await registry();
  const both = await Promise.allSettled([register(database, ONE), register(database, TWO)]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const [{ reason } = { reason: undefined }] = both.filter((each) => each.status === 'rejected');
  expect((reason as Error).message).toMatch(REFUSED);
});

it('a service that waited for another one detects it', async () => {
  const { database, side } = await registry();
  await register(database, ONE).then(({ registration }) => registration.unregister());
  const waiting =
    "SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted";
  const reached = (count: number) =>
    vi.waitFor(async () => expect(await side.rows(waiting)).toHaveLength(count), { timeout: 10_000 });
  await side.rows('BEGIN');
  await side.rows(LOCK_SERVICES.text);
  const first = register(database, ONE);
  await reached(1);
  const second = register(database, TWO);
  const refusal = expect(second).rejects.toThrow(REFUSED);
  await reached(2);
  await side.rows('COMMIT');
  await first;
  await refusal;
});

it('a service that cannot have others beside it does not wait', async () => {
  const { database } = await registry();
  await register(database, ONE);
  const times = { heartbeatInterval: 50, silenceTimeout: 600_000 };
  await register(database, TWO, { alone: true, times });
});

it('a service that was cut off logs that another secret took effect', async () => {
  const { database } = await registry();
  const { log } = await register(database, ONE);
  await register(database, TWO, { alone: true });
  await vi.waitFor(() => expect(log.error).toHaveBeenCalled());
  expect(log.error.mock.calls).toEqual([
    [expect.stringMatching(/^JWT_SECRET is another than that of a service that has started since\. /)],
  ]);
});

it('a wait ends on a signal', async () => {
  const { database } = await registry();
  await register(database, ONE);
  const starting = new AbortController();
  const times = { heartbeatInterval: 50, silenceTimeout: 600_000 };
  const log = { info: () => starting.abort(new Error('stopped')), error: vi.fn() };
  await expect(
    ServiceRegistration.register(database, { secret: TWO, origin: 'JWT_SECRET', log, times, signal: starting.signal }),
  ).rejects.toThrow('stopped');
});

it('nothing of the secret is stored, and the same one looks different in another database', async () => {
  const stored = [];
  for (let times = 0; times < 2; times += 1) {
    const { database, side } = await registry();
    await register(database, ONE);
    const [row] = await side.rows<{ fingerprint: string }>('SELECT fingerprint FROM kind.signing');
    stored.push(row?.fingerprint);
  }
  expect(stored[0]).toMatch(/^[\w-]{32}$/);
  expect(stored[0]).not.toBe(stored[1]);
});
