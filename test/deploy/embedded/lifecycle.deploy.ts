import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning } from '../../../packages/embedded-postgres/process-probe.js';
import { freshFolder, initialisedFolder, open, openInChild, postmasterPid, query, until } from './support.js';

test('a fresh start makes a database, a second one finds its data', async () => {
  const dataDir = await freshFolder();
  const first = await open(dataDir, 'service', {});
  expect(first.embedded).toBe(true);
  await query(first.connection, 'CREATE TABLE city AS SELECT 1 AS id');
  await first.stop();
  const second = await open(dataDir);
  expect(await query(second.connection, 'SELECT id FROM city')).toEqual([{ id: 1 }]);
});

test('it is durable, in UTF-8 and UTC, and listens on no port', async () => {
  const { connection } = await open(await initialisedFolder(), 'service', {});
  const names = [
    'fsync',
    'synchronous_commit',
    'full_page_writes',
    'data_checksums',
    'listen_addresses',
    'timezone',
    'jit',
  ];
  const rows = await query(
    connection,
    `SELECT name, setting FROM pg_settings WHERE lower(name) IN (${names.map((name) => `'${name}'`).join()}) ORDER BY lower(name)`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [String(name).toLowerCase(), setting]))).toEqual({
    data_checksums: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    jit: 'off',
    listen_addresses: '',
    synchronous_commit: 'on',
    timezone: 'UTC',
  });
  const [database] = await query(
    connection,
    `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale
     FROM pg_database WHERE datname = 'kind'`,
  );
  expect(database).toEqual({ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' });
});

test('a wrong password is refused', async () => {
  const { connection } = await open(await initialisedFolder());
  await expect(query({ ...connection, password: 'wrong' }, 'SELECT 1')).rejects.toThrow(
    /password authentication failed/,
  );
});

test('the connection file is private, describes the connection, and is deleted by a clean stop', async () => {
  const dataDir = await initialisedFolder();
  const database = await open(dataDir);
  const file = join(dataDir, 'connection.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    ...database.connection,
    pid: process.pid,
    role: 'service',
  });
  const pid = await postmasterPid(dataDir);
  await database.stop();
  expect(isRunning(pid)).toBe(false);
  expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log']);
});

test('a second service on the folder is rejected and harms nothing', async () => {
  const dataDir = await initialisedFolder();
  const first = await open(dataDir);
  const second = openInChild(dataDir);
  expect(await second.answer).toEqual({
    error: `DATA_DIR ${dataDir} is in use by another kind service (pid ${process.pid})`,
  });
  await until(() => second.process.exitCode !== null);
  expect(second.process.exitCode).toBe(1);
  expect(await query(first.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('of two cold starts at once exactly one wins', async () => {
  const dataDir = await freshFolder();
  const children = [openInChild(dataDir), openInChild(dataDir)];
  const answers = await Promise.all(children.map(({ answer }) => answer));
  const winner = answers.find(({ connection }) => connection);
  expect(answers.filter(({ error }) => error?.includes('is in use by another kind service'))).toHaveLength(1);
  expect(winner?.connection && (await query(winner.connection, 'SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres.new-'))).toEqual([]);
});

test('a data folder of another version is rejected with a clear message', async () => {
  const dataDir = await initialisedFolder();
  await (await open(dataDir)).stop();
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await expect(open(dataDir)).rejects.toThrow(/was made by PostgreSQL 17, and this release brings PostgreSQL 18/);
});

test.runIf(process.platform === 'linux')('a folder that cannot be made is refused, with the variable', async () => {
  await expect(open('/proc/none')).rejects.toThrow(
    /^DATA_DIR: got \/proc\/none, wants a folder that can be made and written: ENOENT/,
  );
});

test('a start that PostgreSQL refuses says why', async () => {
  const dataDir = await initialisedFolder();
  await expect(open(dataDir, 'service', { fsync: 'off', shared_buffers: 'plenty' })).rejects.toThrow(
    /does not start:[^]*invalid value for parameter "shared_buffers": "plenty"/,
  );
});
