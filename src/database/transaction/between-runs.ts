/** What happens between the runs of a transaction. */
import type { BeginOptions } from './begin.js';
import { READ_COMMITTED_ATTEMPTS, type TransactionRuns } from './conflict-retries.js';
import { commonRefusal, isLockTimeout, isRetryable } from '../statement/sqlstate.js';

/**
 * Waits for the turn on the units to lock, then for its places. If remembered locks appear during that wait, both are
 * repeated.
 */
export async function acquirePlaces(
  runs: TransactionRuns,
  acquire: (() => Promise<() => void>) | undefined,
): Promise<(() => void)[]> {
  for (;;) {
    runs.adoptRememberedLocks();
    const endTurn = await runs.waitForTurn();
    if (!acquire) return [endTurn];
    try {
      const releasePlace = await acquire();
      if (!runs.adoptRememberedLocks()) return [endTurn, releasePlace];
      releasePlace();
    } catch (error) {
      endTurn();
      throw error;
    }
    endTurn();
  }
}

/** Resolves if the transaction can be run again. @throws the error to report otherwise */
export async function prepareNextRun(runs: TransactionRuns, error: unknown): Promise<void> {
  try {
    await runs.afterFailure(error);
  } catch (failure) {
    throw commonRefusal(failure) ?? failure;
  }
}

/** The same at READ COMMITTED: waits a random time after a deadlock or lock timeout. */
export async function delayRetry(error: unknown, attempt: number, { lockTimeout }: BeginOptions): Promise<void> {
  const isTemporary = isRetryable(error) || (lockTimeout !== undefined && isLockTimeout(error));
  if (!isTemporary || attempt === READ_COMMITTED_ATTEMPTS) throw commonRefusal(error) ?? error;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
}
