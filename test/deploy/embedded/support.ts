/** What the tests of the embedded PostgreSQL share: folders, sessions, and processes that can be killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { clientOptions, type ConnectionOptions } from '../../../src/database/connection/connection.js';
import { openDatabase, type OpenedDatabase } from '../../../src/database/open-database.js';
import { atEnd } from '../../support/at-end.js';
import { copyInitialised } from '../../support/initialised.js';

const root = join(import.meta.dirname, '../../..');

/** A folder that is removed after the test; `name` may hold slashes. */
export async function freshFolder(name = 'data'): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'kind-embedded-'));
  atEnd(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }));
  return join(parent, name);
}

/** The same on which initdb has run. */
export async function initialisedFolder(): Promise<string> {
  const dataDir = await freshFolder();
  copyInitialised(dataDir);
  return dataDir;
}

export async function open(
  dataDir: string,
  role: 'service' | 'command' = 'service',
  settings: Record<string, string> = { fsync: 'off' },
): Promise<OpenedDatabase> {
  const database = await openDatabase(
    { dataDir, databasePool: 10, workers: 1 },
    { role, log: () => undefined, settings },
  );
  atEnd(() => database.stop());
  return database;
}

export interface Child {
  readonly process: ChildProcess;
  /** What it says once it has the database or was refused. */
  readonly answer: Promise<{ connection?: ConnectionOptions; error?: string }>;
}

/** Another process that opens the database and keeps it. */
export function openInChild(dataDir: string, role: 'service' | 'command' = 'service'): Child {
  const child = spawn(process.execPath, ['test/support/database.child.mjs', dataDir, role], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const answer = once(createInterface(child.stdout), 'line').then(
    ([line]) => JSON.parse(String(line)) as { connection?: ConnectionOptions; error?: string },
  );
  return { process: child, answer };
}

export async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

export async function query(connection: ConnectionOptions, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client(clientOptions(connection));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

export async function postmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await condition()) return;
    await delay(20);
  }
  throw new Error('the condition was not met within 10 seconds');
}
