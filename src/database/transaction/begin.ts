/** Begins a transaction: its settings, and at REPEATABLE READ the locks of repeated runs. */
import type { Statement } from '../../sql/fragment.js';
import { beginStatement, lockTimeoutStatement, ROLLBACK, type Isolation } from '../../sql/server/transaction.sql.js';
import { LOCK_TIMEOUTS } from '../connection/session-settings.js';
import type { TransactionRuns } from './conflict-retries.js';
import { isRetryable } from '../statement/sqlstate.js';

export interface BeginOptions {
  /**
   * REPEATABLE READ by default: if data that was read has changed, the transaction is run again (see
   * `TransactionRuns`). READ COMMITTED is for transactions that must see what was committed while they waited for a
   * lock.
   */
  readonly isolation?: Isolation;
  readonly readOnly?: boolean;
  /**
   * Lock timeout in milliseconds at READ COMMITTED; the transaction is then repeated, and finally refused with 503.
   * Without one it is refused at once, after `LOCK_TIMEOUTS.transaction`.
   */
  readonly lockTimeout?: number;
  /** Statement timeout in milliseconds, if it differs from that of the pool. */
  readonly statementTimeout?: number;
  /** Idle timeout in milliseconds, if it is longer than that of the pool. */
  readonly idleTimeout?: number | undefined;
}

/**
 * Lock timeout in milliseconds at REPEATABLE READ: the holder of the lock usually changes the row, and then the run
 * fails anyway. The next run waits in the queue without a connection.
 */
const SHORT_LOCK_TIMEOUT = 50;

/** Attempts to take the initial locks of a run; each can fail because another transaction changed a row in between. */
const LOCK_ATTEMPTS = 10;

/** @param send sends one message; without parameters it can contain several statements */
export async function beginTransaction(
  send: (statement: Statement) => Promise<unknown>,
  { isolation = 'repeatable read', lockTimeout, ...settings }: BeginOptions,
  runs: TransactionRuns,
): Promise<void> {
  const beginWith = (timeout?: number) =>
    send(beginStatement({ isolation, ...settings, ...(timeout !== undefined && { lockTimeout: timeout }) }));
  const timeLeft = () => Math.max(1, runs.timeLeft);
  const lockTimeoutOfRun = () => (runs.waitsForLocks ? timeLeft() : SHORT_LOCK_TIMEOUT);
  if (isolation === 'read committed') return void (await beginWith(lockTimeout ?? LOCK_TIMEOUTS.transaction));
  if (runs.locks.length === 0) return void (await beginWith(lockTimeoutOfRun()));
  for (let attempt = 1; ; attempt++) {
    await beginWith(timeLeft());
    try {
      for (const lock of runs.locks) await send(lock);
      return void (await send(lockTimeoutStatement(lockTimeoutOfRun())));
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
