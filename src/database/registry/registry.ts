/** Brings the registry of projects up to date. One process at a time does it; the others wait, and say for what. */
import { setTimeout as delay } from 'node:timers/promises';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import type { Statement } from '../../sql/fragment.js';
import { CREATE_REGISTRY, FIND_REGISTRY, LOCK_REGISTRY, REGISTRY_HOLDER } from '../../sql/registry.sql.js';

/** What a start may have to wait for. */
export interface Waiting {
  /** Gets a line that says what is waited for: at once, and then every ten seconds. */
  readonly log?: (line: string) => void;
  /** Ends the wait where it aborts, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds. */
const ASK_EVERY = 200;
const TELL_EVERY = 10_000;

interface Holder {
  readonly backend: number;
  /** Null for a Unix socket. */
  readonly address: string | null;
  readonly seconds: number;
}

/** Whether a service, or `project create`, has made one in the database. */
export async function hasRegistry(dataSource: DataSource): Promise<boolean> {
  const [row] = await ask<{ found: boolean }>(dataSource, FIND_REGISTRY);
  return row?.found === true;
}

/** The lock ends with the transaction, so that no pooler keeps it. @throws the reason of the signal */
export async function migrateRegistry(dataSource: DataSource, waiting: Waiting = {}): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await beginAlone(runner, waiting);
    await ask(runner, CREATE_REGISTRY);
    // On the connection that has the lock, because there may be no other.
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    await executor.executePendingMigrations();
    await runner.commitTransaction();
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

/** Begins a transaction that has the lock. Whoever waits holds none meanwhile. */
async function beginAlone(runner: QueryRunner, { log, signal }: Waiting): Promise<void> {
  for (let told = -Infinity; ;) {
    signal?.throwIfAborted();
    await runner.startTransaction();
    const [row] = await ask<{ locked: boolean }>(runner, LOCK_REGISTRY);
    if (row?.locked) return;
    const [holder] = await ask<Holder>(runner, REGISTRY_HOLDER);
    await runner.rollbackTransaction();
    if (holder && performance.now() - told > TELL_EVERY) {
      log?.(waitsFor(holder));
      told = performance.now();
    }
    await delay(ASK_EVERY, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
  }
}

function waitsFor({ backend, address, seconds }: Holder): string {
  const where = address === null ? '' : ` from ${address}`;
  return `waiting for another process that brings the registry of projects up to date (PostgreSQL's backend ${backend}${where}, busy for ${seconds} s)`;
}

function ask<Row>(runner: QueryRunner | DataSource, { text, values }: Statement): Promise<Row[]> {
  return runner.query(text, [...values]) as Promise<Row[]>;
}
