/** What comes between the runs of a transaction. */
import type { BeginOptions } from './begin.js';
import type { ConnectionShare } from './executor.js';
import type { TransactionRuns } from './runs.js';
import { commonRefusal, isLockTimeout, isRetryable } from '../statement/sqlstate.js';

/** Times a transaction at READ COMMITTED is tried when it meets a deadlock. */
const ATTEMPTS = 4;

/** Waits for the turn of the next run, and then for its place. What was learned while it waited is locked too. */
export async function acquirePlaces(
  runs: TransactionRuns,
  share: ConnectionShare | undefined,
): Promise<(() => void)[]> {
  for (;;) {
    runs.adoptRememberedLocks();
    const leave = await runs.waitForTurn();
    if (!share) return [leave];
    try {
      const place = await share.acquire();
      if (!runs.adoptRememberedLocks()) return [leave, place];
      place();
    } catch (error) {
      leave();
      throw error;
    }
    leave();
  }
}

/** Comes back where another run may come through. @throws what ends the transaction, in words for whoever asked for it */
export async function prepareNextRun(runs: TransactionRuns, error: unknown): Promise<void> {
  try {
    await runs.afterFailure(error);
  } catch (failure) {
    throw commonRefusal(failure) ?? failure;
  }
}

/** The same at READ COMMITTED: after a deadlock, or a lock that was not had in its time. */
export async function delayRetry(error: unknown, attempt: number, { lockTimeout }: BeginOptions): Promise<void> {
  const again = isRetryable(error) || (lockTimeout !== undefined && isLockTimeout(error));
  if (!again || attempt === ATTEMPTS) throw commonRefusal(error) ?? error;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** attempt));
}
