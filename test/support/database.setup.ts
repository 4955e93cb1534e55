/**
 * One PostgreSQL for the whole test run: an embedded one in a fresh folder, the one of TEST_DATABASE_URL, or a coordinator
 * of Citus with two workers, TEST_CITUS_URL, which runs `test/citus/` too.
 * A test file reads its connection with `inject('database')` and makes its own projects there. initdb runs once: tests
 * that start a database of their own copy `inject('initialised')`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Client } from 'pg';
import {
  clientOptions,
  type ConnectionOptions,
  type ServerConnection,
} from '../../src/database/connection/connection.js';
import { dataFolder, readPassword, SUPERUSER } from '../../packages/embedded-postgres/data-folder.js';
import { openDatabase, type OpenedDatabase } from '../../src/database/open-database.js';
import { copyInitialised, makeInitialised } from './initialised.js';

declare module 'vitest' {
  export interface ProvidedContext {
    database: ConnectionOptions;
  }
}

/** Two workers, each with a few services at once. */
const CONNECTIONS = 300;
/** Nothing here has to outlive the run, and connections are made by the thousand. */
const FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', scram_iterations: '1' };

/** Test files make databases and roles of their own, which the service's role may not. */
async function letMakeThem(connection: ServerConnection, dataDir: string): Promise<void> {
  const password = await readPassword(dataFolder(dataDir));
  const client = new Client(clientOptions({ ...connection, user: SUPERUSER, password, database: 'postgres' }));
  await client.connect();
  await client.query(['ALTER ROLE', connection.user, 'CREATEDB CREATEROLE'].join(' '));
  await client.end();
}

/** @throws Error if the tests would not run on workers */
async function checkCitus(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ workers: number; sharded: string; slow: boolean }>(
      `SELECT (SELECT count(*)::int FROM citus_get_active_worker_nodes()) AS workers,
        current_setting('citus.enable_schema_based_sharding') AS sharded,
        (SELECT bool_or(result = 'on') FROM run_command_on_workers('SHOW jit')) AS slow`,
    );
    if ((rows[0]?.workers ?? 0) < 2) throw new Error('TEST_CITUS_URL: the tests need two workers');
    if (rows[0]?.sharded !== 'on')
      throw new Error('TEST_CITUS_URL: citus.enable_schema_based_sharding must be on (docs/citus.md)');
    if (rows[0].slow) throw new Error('TEST_CITUS_URL: jit must be off on the workers (docs/citus.md)');
  } finally {
    await client.end();
  }
}

/** A database of its own stays after a run; the contents of its files do not. */
async function forgetStore(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT WHERE to_regclass('kind.file_store') IS NOT NULL`);
    if (rows.length > 0) await client.query('UPDATE kind.file_store SET marked = false');
  } finally {
    await client.end();
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const citusUrl = process.env['TEST_CITUS_URL'];
  if (citusUrl) await checkCitus(citusUrl);
  else console.warn('SKIPPED: the tests on Citus (test/citus/), because TEST_CITUS_URL is not set');
  const databaseUrl = citusUrl ?? process.env['TEST_DATABASE_URL'];
  if (databaseUrl) await forgetStore(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'kind-test-'));
  const [dataDir, initialised] = [join(folder, 'run'), join(folder, 'initialised')];
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // The guard of the database stops it where Ctrl-C ends the run before the teardown.
  process.once('exit', removeFolder);
  let database: OpenedDatabase;
  try {
    await makeInitialised(initialised);
    copyInitialised(dataDir, initialised);
    database = await openDatabase(
      { dataDir, databasePool: CONNECTIONS, workers: 1, ...(databaseUrl && { databaseUrl }) },
      { role: 'service', log: () => undefined, settings: FAST },
    );
  } catch (error) {
    removeFolder();
    throw error;
  }
  if (database.embedded) await letMakeThem(database.connection as ServerConnection, dataDir);
  project.provide('database', database.connection);
  project.provide('initialised', initialised);
  return async () => {
    await database.stop();
    removeFolder();
  };
}
