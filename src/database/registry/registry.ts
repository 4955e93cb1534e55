/** Migrates the registry of projects, unless a newer release has. One process at a time does it; the others wait and log for whom. */
import { setTimeout as delay } from 'node:timers/promises';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { RELEASE } from '../../config/release.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import type { Statement } from '../../sql/fragment.js';
import { errorText } from '../../shared/texts.js';
import { rollbackToSavepointStatement, savepointStatement } from '../../sql/server/transaction.sql.js';
import { CREATE_TRIGRAMS, FIND_MISSING_TRIGRAMS } from '../../sql/definition/index.sql.js';
import {
  CREATE_REGISTRY,
  FIND_REGISTRY,
  KEEP_OFF_WORKERS,
  LOCK_REGISTRY,
  READ_RELEASE,
  recordReleaseStatement,
  REGISTRY_HOLDER,
} from '../../sql/server/registry.sql.js';
import { DatabaseStartError } from '../connection/connection.js';
import { isConnectionLost, isNotAllowed } from '../statement/sqlstate.js';

/** Options of the wait for another process. */
interface MigrationWait {
  /** Logs what it waits for: immediately, then every ten seconds. */
  readonly log?: (line: string) => void;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds. */
const LOCK_INTERVAL = 200;
const LOG_INTERVAL = 10_000;

interface NewestRelease {
  readonly release: string;
  readonly built_in: number;
}

interface Holder {
  readonly backend: number;
  /** Null for a Unix socket. */
  readonly address: string | null;
  readonly seconds: number;
}

/** Whether the database has a registry; a service or `project create` makes one. */
export async function hasRegistry(dataSource: DataSource): Promise<boolean> {
  const [row] = await runRegistry<{ found: boolean }>(dataSource, FIND_REGISTRY);
  return row?.found === true;
}

/**
 * The lock ends with the transaction, so it works through a pooler.
 * @throws DatabaseStartError for what the operator of the database has to change, or if a newer release has used it; the
 *   reason of the signal
 */
export async function migrateRegistry(dataSource: DataSource, waiting: MigrationWait = {}): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await beginLocked(runner, waiting);
    await runRegistry(runner, KEEP_OFF_WORKERS);
    await runRegistry(runner, CREATE_REGISTRY);
    await createTrigrams(runner, waiting);
    // On the connection with the lock, because there may be no other.
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    await executor.executePendingMigrations();
    await refuseOlder(runner);
    await runner.commitTransaction();
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw isNotAllowed(error) || isConnectionLost(error) ? refusedBy(error) : error;
  } finally {
    await runner.release();
  }
}

/** An older release does not keep what a newer one has added to the tables, such as numbers of units. */
async function refuseOlder(runner: QueryRunner): Promise<void> {
  const [newest] = await runRegistry<NewestRelease>(runner, READ_RELEASE);
  // Nothing is written without need, as the disk may be full.
  if (newest?.built_in === BUILT_IN_VERSION) return;
  if (!newest || newest.built_in < BUILT_IN_VERSION) {
    await runRegistry(runner, recordReleaseStatement(RELEASE, BUILT_IN_VERSION));
    return;
  }
  throw new DatabaseStartError(
    `the database was used by release ${newest.release} (version ${newest.built_in} of the built-in kinds), which is newer than this one, ${RELEASE} (version ${BUILT_IN_VERSION}): start that release or a later one, or go back to a copy or backup from before it`,
  );
}

/** Rights that the role lacks, or, on Citus, a worker to which the coordinator cannot connect. */
function refusedBy(error: unknown): DatabaseStartError {
  return new DatabaseStartError(
    `DATABASE_URL: the registry of projects cannot be made or brought up to date: ${errorText(error)}`,
  );
}

/** Creates the extension pg_trgm if the server has it and this role may. */
async function createTrigrams(runner: QueryRunner, { log }: MigrationWait): Promise<void> {
  const [row] = await runRegistry<{ missing: boolean }>(runner, FIND_MISSING_TRIGRAMS);
  if (!row?.missing) return;
  await runRegistry(runner, savepointStatement(0));
  try {
    await runRegistry(runner, CREATE_TRIGRAMS);
  } catch (error) {
    await runRegistry(runner, rollbackToSavepointStatement(0));
    log?.(`no indexes for parts of texts: the extension pg_trgm cannot be created: ${(error as Error).message}`);
  }
}

/** Begins a transaction that holds the lock. A waiting process holds no transaction. */
async function beginLocked(runner: QueryRunner, { log, signal }: MigrationWait): Promise<void> {
  for (let loggedAt = -Infinity; ;) {
    signal?.throwIfAborted();
    await runner.startTransaction();
    const [row] = await runRegistry<{ locked: boolean }>(runner, LOCK_REGISTRY);
    if (row?.locked) return;
    const [holder] = await runRegistry<Holder>(runner, REGISTRY_HOLDER);
    await runner.rollbackTransaction();
    if (holder && performance.now() - loggedAt > LOG_INTERVAL) {
      log?.(waitMessage(holder));
      loggedAt = performance.now();
    }
    await delay(LOCK_INTERVAL, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
}

function waitMessage({ backend, address, seconds }: Holder): string {
  const where = address === null ? '' : ` from ${address}`;
  return `waiting for another process that brings the registry of projects up to date (PostgreSQL's backend ${backend}${where}, busy for ${seconds} s)`;
}

function runRegistry<Row>(runner: QueryRunner | DataSource, { text, values }: Statement): Promise<Row[]> {
  return runner.query(text, [...values]) as Promise<Row[]>;
}
