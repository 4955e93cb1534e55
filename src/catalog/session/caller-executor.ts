/** The executor and session of a request. Requests without a token have a shorter statement timeout, because anybody can send them. */
import type { TransactionOptions } from '../../database/database-options.js';
import type { Database, Executor } from '../../database/database.js';
import { LIMITS } from '../../shared/limits.js';
import type { Caller } from '../../tenancy/caller.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import type { Session } from './session.js';

/** The statement timeout of a caller in milliseconds; undefined for the general one. */
export function timeLimitOf(caller: Caller): number | undefined {
  return caller.type === 'anonymous' ? LIMITS.anonymousSeconds * 1000 : undefined;
}

/** The project of a transaction, and the timeout of its caller. */
export function usedBy({ project, caller }: Pick<RequestScope, 'project' | 'caller'>): TransactionOptions {
  const statementTimeout = timeLimitOf(caller);
  return { project, ...(statementTimeout !== undefined && { statementTimeout }) };
}

/** For single statements. */
export function executorFor(
  database: Database,
  { project, caller, part }: Pick<RequestScope, 'project' | 'caller' | 'part'>,
): Executor {
  return database.ofProject(project, { limit: timeLimitOf(caller), part });
}

/**
 * The replica for a request that only reads; undefined if the client does not allow older data, or none can be used. Rules
 * and masks are those of the model, and so is its version, which every statement checks.
 */
export function replicaFor(database: Database, scope: RequestScope): Executor | undefined {
  if (!scope.consistency?.mayBeOlder()) return undefined;
  return database.replica?.readsOf(scope.project, { limit: timeLimitOf(scope.caller), part: scope.part });
}

export function requestIdOf({ requestId }: Pick<RequestScope, 'requestId'>): Pick<Session, 'requestId'> {
  return requestId === undefined ? {} : { requestId };
}
