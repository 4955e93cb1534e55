/** By what the statements of a request are run: those of who has no token have less time, for anybody can ask them. */
import type { Database, Executor } from '../../database/database.js';
import { LIMITS } from '../../shared/limits.js';
import type { Caller } from '../../tenancy/caller.js';

/** Milliseconds that a statement of a caller may take; undefined where the limit of all statements holds. */
export function timeLimitOf(caller: Caller): number | undefined {
  return caller.type === 'anonymous' ? LIMITS.anonymousSeconds * 1000 : undefined;
}

/** For a transaction of a caller. */
export function timesOf(caller: Caller): { readonly statementTimeout?: number } {
  const limit = timeLimitOf(caller);
  return limit === undefined ? {} : { statementTimeout: limit };
}

/** For statements that are transactions by themselves. */
export function executorFor(database: Database, caller: Caller): Executor {
  const limit = timeLimitOf(caller);
  return limit === undefined ? database : database.withTimeout(limit);
}
