/** The transaction of a write of several statements: that of its session, or one of its own. */
import { usedBy } from '../../../catalog/session/executors.js';
import { originalCallerOf, type Session } from '../../../catalog/session/session.js';
import type { Database } from '../../../database/database.js';
import { rewordRefusal, withFaults } from '../../../database/transaction/complete-refusal.js';
import { KindError, type Faults } from '../../../shared/errors.js';

/** Whether the session has no transaction, so that several statements would not be atomic. */
export function hasNoTransaction({ executor }: Session): boolean {
  return !executor.tx;
}

/** Runs the work in a new transaction. */
export function inOwnTransaction<T>(
  database: Database,
  session: Session,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return database.transaction(
    (executor) => work({ ...session, executor }),
    usedBy({ ...session, caller: originalCallerOf(session) }),
  );
}

/**
 * Runs a write. If `deferred` has faults, it fails at the end and is undone, unless it is refused for missing rights
 * before: that refusal takes precedence.
 */
export function withDeferredFaults<T>(
  database: Database,
  session: Session,
  deferred: Faults,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (!deferred.any) return work(session);
  const working = hasNoTransaction(session) ? inOwnTransaction(database, session, work) : work(session);
  return working.catch((error: unknown) => {
    if (!(error instanceof KindError) || ![400, 409].includes(error.status)) throw error;
    throw rewordRefusal(error, (refused) => withFaults(refused, deferred.messages));
  });
}
