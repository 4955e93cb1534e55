/** The beginning of a transaction: its settings, and at REPEATABLE READ the locks of a run that is not the first. */
import type { Statement } from '../../sql/fragment.js';
import { beginStatement, lockTimeoutStatement, ROLLBACK, type Isolation } from '../../sql/transaction.sql.js';
import type { TransactionRuns } from './runs.js';
import { isRetryable } from '../statement/sqlstate.js';

export interface BeginOptions {
  /**
   * REPEATABLE READ where it is left out: what is read and then written is as it was read, or all of it is run again (see
   * `Runs`). READ COMMITTED is for what must see that which was committed while it waited for a lock.
   */
  readonly isolation?: Isolation;
  readonly readOnly?: boolean;
  /**
   * Milliseconds to wait for a lock, at READ COMMITTED; the transaction is then tried again, and in the end refused with
   * 503.
   */
  readonly lockTimeout?: number;
  /** Milliseconds that a statement of it may take, where that differs from the pool's. */
  readonly statementTimeout?: number;
  /** Milliseconds that it may be silent between two statements, where that is more than the pool's. */
  readonly idleTimeout?: number | undefined;
}

/**
 * Milliseconds that a statement at REPEATABLE READ waits for a lock: who holds it changes the row, most often, and then
 * the run has failed. The next one waits in its turn, and holds nothing meanwhile.
 */
const LOCK_PATIENCE = 50;

/** Times that what a run locks first is tried to be had: each time somebody else was in between. */
const LOCK_ATTEMPTS = 10;

/** @param send sends one message; those that have no parameters may be of several statements */
export async function beginTransaction(
  send: (statement: Statement) => Promise<unknown>,
  { isolation = 'repeatable read', lockTimeout, ...settings }: BeginOptions,
  runs: TransactionRuns,
): Promise<void> {
  const beginWith = (timeout?: number) =>
    send(beginStatement({ isolation, ...settings, ...(timeout !== undefined && { lockTimeout: timeout }) }));
  const rest = () => Math.max(1, runs.timeLeft);
  const patience = () => (runs.waitsForLocks ? rest() : LOCK_PATIENCE);
  if (isolation === 'read committed') return void (await beginWith(lockTimeout));
  if (runs.locks.length === 0) return void (await beginWith(patience()));
  for (let attempt = 1; ; attempt++) {
    await beginWith(rest());
    try {
      for (const lock of runs.locks) await send(lock);
      return void (await send(lockTimeoutStatement(patience())));
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempt === LOCK_ATTEMPTS) {
        runs.lockTables();
        throw error;
      }
      await send(ROLLBACK);
    }
  }
}
