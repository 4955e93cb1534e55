/** The executor and session of a request. Requests without a token have a shorter statement timeout, because anybody can send them. */
import type { Database, Executor } from '../../database/database.js';
import { LIMITS } from '../../shared/limits.js';
import type { Model } from '../../model/model.js';
import type { Caller } from '../../tenancy/caller.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import type { Session } from './session.js';

/** The statement timeout of a caller in milliseconds; undefined for the general one. */
export function timeLimitOf(caller: Caller): number | undefined {
  return caller.type === 'anonymous' ? LIMITS.anonymousSeconds * 1000 : undefined;
}

/** The timeouts of a caller's transaction. */
export function timesOf(caller: Caller): { readonly statementTimeout?: number } {
  const limit = timeLimitOf(caller);
  return limit === undefined ? {} : { statementTimeout: limit };
}

/** For statements without a transaction. */
export function executorFor(database: Database, caller: Caller): Executor {
  const limit = timeLimitOf(caller);
  return limit === undefined ? database : database.withTimeout(limit);
}

/** The session of a request without a transaction. */
export function requestSession(database: Database, { project, caller }: RequestScope, model: Model): Session {
  return { project, caller, model, executor: executorFor(database, caller) };
}
