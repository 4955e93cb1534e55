import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAccount, spawnIdentity } from '../../../packages/embedded-postgres/run-program.js';
import { isRunning } from '../../../packages/embedded-postgres/process-probe.js';
import type { ConnectionOptions } from '../../../src/database/connection/connection.js';
import { freshFolder, initialisedFolder, kill, open, openInChild, postmasterPid, query, until } from './support.js';

async function startAndWrite(dataDir: string) {
  const owner = openInChild(dataDir);
  const { connection } = await owner.answer;
  await query(connection as ConnectionOptions, 'CREATE TABLE city AS SELECT 1 AS id');
  return { owner: owner.process, postmaster: await postmasterPid(dataDir) };
}

async function guardOf(postmaster: number): Promise<number> {
  for (const pid of await readdir('/proc')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.endsWith(`\0kind-postgres-guard\0${postmaster}\0`)) return Number(pid);
  }
  throw new Error(`the postmaster ${postmaster} has no guard`);
}

async function expectData(connection: ConnectionOptions): Promise<void> {
  expect(await query(connection, 'SELECT id FROM city')).toEqual([{ id: 1 }]);
}

test('after kill -9 of the service its PostgreSQL stops by itself, and the next start finds the data', async () => {
  const dataDir = await initialisedFolder();
  const { owner, postmaster } = await startAndWrite(dataDir);
  await kill(owner);
  await until(() => !isRunning(postmaster));
  await expectData((await open(dataDir)).connection);
});

test('a start right after kill -9 waits for the shutdown, or takes over', async () => {
  const dataDir = await initialisedFolder();
  const { owner } = await startAndWrite(dataDir);
  await kill(owner);
  const { connection } = await open(dataDir);
  await expectData(connection);
});

test('after kill -9 of the service and PostgreSQL the stale postmaster.pid is no hindrance', async () => {
  const dataDir = await initialisedFolder();
  const { owner, postmaster } = await startAndWrite(dataDir);
  process.kill(postmaster, 'SIGKILL');
  await kill(owner);
  await expectData((await open(dataDir)).connection);
});

test('also if its number belongs to an unrelated process of the same account', async () => {
  const dataDir = await initialisedFolder();
  const { owner, postmaster } = await startAndWrite(dataDir);
  process.kill(postmaster, 'SIGKILL');
  await kill(owner);
  await until(() => !isRunning(postmaster));
  const account = await findAccount(join(dataDir, 'postgres'));
  const stranger = spawn('sleep', ['60'], { ...spawnIdentity(account), cwd: '/', stdio: 'ignore' });
  try {
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    const [, ...rest] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, [stranger.pid, ...rest].join('\n'));
    await expectData((await open(dataDir)).connection);
    expect(isRunning(stranger.pid ?? 0)).toBe(true);
  } finally {
    stranger.kill('SIGKILL');
  }
});

// Where there is no /proc the guard can't be told from other shells.
test.runIf(process.platform === 'linux')(
  'a PostgreSQL that was left running is adopted, and stopped in the end',
  async () => {
    const dataDir = await initialisedFolder();
    const { owner, postmaster } = await startAndWrite(dataDir);
    process.kill(await guardOf(postmaster), 'SIGKILL');
    await kill(owner);
    const database = await open(dataDir);
    expect(await postmasterPid(dataDir)).toBe(postmaster);
    await expectData(database.connection);
    await database.stop();
    expect(isRunning(postmaster)).toBe(false);
  },
);

test('a service restarts PostgreSQL after it is killed', async () => {
  const dataDir = await initialisedFolder();
  const database = await open(dataDir);
  await query(database.connection, 'CREATE TABLE city AS SELECT 1 AS id');
  const first = await postmasterPid(dataDir);
  process.kill(first, 'SIGKILL');
  await until(async () => {
    try {
      return (await query(database.connection, 'SELECT id FROM city')).length === 1;
    } catch {
      return false;
    }
  });
  expect(await postmasterPid(dataDir)).not.toBe(first);
});

test('the folder of an interrupted initdb is deleted', async () => {
  const dataDir = await freshFolder();
  const half = join(dataDir, `postgres.new-${2 ** 22 + 1}-abcdef`, 'data');
  await mkdir(half, { recursive: true });
  await writeFile(join(half, 'PG_VERSION'), '18\n');
  await open(dataDir);
  expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
});
