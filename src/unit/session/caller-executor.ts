/** The executor and session of a request. Requests without a token have a shorter statement timeout, because anybody can send them. */
import type { TransactionOptions } from '../../database/database-options.js';
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

/** The project of a transaction, and the timeout of its caller. */
export function usedBy({ project, caller }: Pick<RequestScope, 'project' | 'caller'>): TransactionOptions {
  const statementTimeout = timeLimitOf(caller);
  return { project, ...(statementTimeout !== undefined && { statementTimeout }) };
}

/** For single statements, or those of the transaction that the request is part of. */
export function executorFor(
  database: Database,
  { project, caller, part, enclosing }: Pick<RequestScope, 'project' | 'caller' | 'part' | 'enclosing'>,
): Executor {
  return enclosing ? enclosing.executor : database.ofProject(project, { limit: timeLimitOf(caller), part });
}

/** The session of a request, without a transaction unless the request is part of one. */
export function requestSession(database: Database, scope: RequestScope, model: Model): Session {
  const { project, caller, enclosing } = scope;
  const session = { project, caller, ...requestIdOf(scope), model, executor: executorFor(database, scope) };
  return enclosing ? { ...session, ...deploymentOf(scope) } : session;
}

/**
 * The session of a request that only reads, which may come from a replica if the client allows it. Rules and masks are
 * those of the model, and so is its version, which every statement checks.
 */
export function readingSession(database: Database, scope: RequestScope, model: Model): Session {
  const session = requestSession(database, scope, model);
  if (scope.enclosing || !scope.consistency?.mayBeOlder()) return session;
  const executor = database.replica?.readsOf(scope.project, { limit: timeLimitOf(scope.caller), part: scope.part });
  return executor ? { ...session, executor } : session;
}

export function requestIdOf({ requestId }: Pick<RequestScope, 'requestId'>): Pick<Session, 'requestId'> {
  return requestId === undefined ? {} : { requestId };
}

/** The custom functions of the transaction that the request is part of. */
export function deploymentOf({ enclosing }: Pick<RequestScope, 'enclosing'>): Pick<Session, 'deployment'> {
  return enclosing?.deployment ? { deployment: enclosing.deployment } : {};
}
