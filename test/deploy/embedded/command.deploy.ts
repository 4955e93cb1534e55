import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { ConnectionOptions } from '../../../src/database/connection/connection.js';
import { isRunning } from '../../../packages/embedded-postgres/process-probe.js';
import { freshFolder, initialisedFolder, open, openInChild, postmasterPid, query, until } from './support.js';

const ONE = [{ one: 1 }];

/** How often somebody has asked for the database, whatever came of it. */
async function attempts(connection: ConnectionOptions): Promise<number> {
  const [row] = await query(connection, "SELECT sessions::int FROM pg_stat_database WHERE datname = 'postgres'");
  return Number(row?.['sessions']);
}

test('a command uses the database of a running service and leaves it alone', async () => {
  const dataDir = await initialisedFolder();
  const service = await open(dataDir);
  const command = await open(dataDir, 'command');
  expect(command.connection).toEqual(service.connection);
  await command.stop();
  expect(await query(service.connection, 'SELECT 1 AS one')).toEqual(ONE);
  expect(existsSync(join(dataDir, 'connection.json'))).toBe(true);
});

test('a command alone starts the database for the time it needs', async () => {
  const dataDir = await initialisedFolder();
  const command = await open(dataDir, 'command');
  expect(await query(command.connection, 'SELECT 1 AS one')).toEqual(ONE);
  const pid = await postmasterPid(dataDir);
  await command.stop();
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(join(dataDir, 'connection.json'))).toBe(false);
});

test('a service that starts meanwhile waits for the command to finish', async () => {
  const dataDir = await initialisedFolder();
  const command = await open(dataDir, 'command');
  const before = await attempts(command.connection);
  const service = openInChild(dataDir);
  const answered = vi.fn();
  void service.answer.then(answered);
  await until(async () => (await attempts(command.connection)) > before + 2);
  expect(answered).not.toHaveBeenCalled();
  await command.stop();
  const { connection } = await service.answer;
  expect(connection && (await query(connection, 'SELECT 1 AS one'))).toEqual(ONE);
});

test('a command that started the database leaves it to the others that use it, and the last one stops it', async () => {
  const dataDir = await initialisedFolder();
  const first = await open(dataDir, 'command');
  const second = await open(dataDir, 'command');
  await first.stop();
  expect(await query(second.connection, 'SELECT 1 AS one')).toEqual(ONE);
  const third = await open(dataDir, 'command');
  const pid = await postmasterPid(dataDir);
  await Promise.all([second.stop(), third.stop()]);
  expect(isRunning(pid)).toBe(false);
});

test('two commands at once on a fresh folder both get the database', async () => {
  const dataDir = await freshFolder();
  const [one, two] = await Promise.all([open(dataDir, 'command'), open(dataDir, 'command')]);
  expect(one.connection).toEqual(two.connection);
  expect(await query(two.connection, 'SELECT 1 AS one')).toEqual(ONE);
});
