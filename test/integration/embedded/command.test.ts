import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isRunning } from '../../../src/database/embedded/process-probe.js';
import { freshFolder, open, openInChild, postmasterPid, query } from './support.js';

const ONE = [{ one: 1 }];

test('a command uses the database of a running service and leaves it alone', async () => {
  const dataDir = await freshFolder();
  const service = await open(dataDir);
  const command = await open(dataDir, 'command');
  expect(command.connection).toEqual(service.connection);
  await command.stop();
  expect(await query(service.connection, 'SELECT 1 AS one')).toEqual(ONE);
  expect(existsSync(join(dataDir, 'connection.json'))).toBe(true);
});

test('a command alone starts the database for the time it needs', async () => {
  const dataDir = await freshFolder();
  const command = await open(dataDir, 'command');
  expect(await query(command.connection, 'SELECT 1 AS one')).toEqual(ONE);
  const pid = await postmasterPid(dataDir);
  await command.stop();
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(join(dataDir, 'connection.json'))).toBe(false);
});

test('a service that starts meanwhile waits for the command to finish', async () => {
  const dataDir = await freshFolder();
  const command = await open(dataDir, 'command');
  const service = openInChild(dataDir);
  const first = await Promise.race([service.answer.then(() => 'service'), delay(700, 'command')]);
  expect(first).toBe('command');
  await command.stop();
  const { connection } = await service.answer;
  expect(connection && (await query(connection, 'SELECT 1 AS one'))).toEqual(ONE);
});

test('a command that started the database stops it only when the other commands are done', async () => {
  const dataDir = await freshFolder();
  const first = await open(dataDir, 'command');
  const second = await open(dataDir, 'command');
  const stopped = first.stop();
  await delay(200);
  expect(await query(second.connection, 'SELECT 1 AS one')).toEqual(ONE);
  const pid = await postmasterPid(dataDir);
  await second.stop();
  await stopped;
  expect(isRunning(pid)).toBe(false);
});

test('two commands at once on a fresh folder both get the database', async () => {
  const dataDir = await freshFolder();
  const [one, two] = await Promise.all([open(dataDir, 'command'), open(dataDir, 'command')]);
  expect(one.connection).toEqual(two.connection);
  expect(await query(two.connection, 'SELECT 1 AS one')).toEqual(ONE);
});
