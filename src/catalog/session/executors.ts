/**
 * Where the statements of a session run: alone, on a replica, in the transaction of the session, or in one of its own, and
 * what comes before that.
 */
import { idleTimeoutFor } from '../../database/connection/session-settings.js';
import type { Database, Transaction, Executor } from '../../database/database.js';
import type { ReceivedBody } from '../../http/body/read-body.js';
import { KindError, refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Isolation } from '../../sql/server/transaction.sql.js';
import type { Ahead, Session } from './session.js';
import type { TransactionOptions } from '../../database/database-options.js';
import { agentOf, type Caller } from '../../tenancy/caller.js';
import type { RequestScope } from '../../tenancy/request-scope.js';

/** What work needs of a transaction of its own. */
export interface TransactionNeeds {
  /** REPEATABLE READ if left out. */
  readonly isolation?: Isolation;
  /** Whether it may hold its connection long, because code of the project runs in it. */
  readonly long?: boolean;
  /** A key of similar work, which writes the same units. */
  readonly about?: () => string | undefined;
  /** When it must have ended, with all its runs, as `performance.now()` tells it. */
  readonly until?: number;
  /** Set if all of it is undone at its end. */
  readonly undo?: boolean;
}

type SessionInTransaction = Session & { readonly executor: Transaction };

/** Until when all operations of a request that shares one transaction must have ended. */
export function endOfBatch(): number {
  return performance.now() + LIMITS.batchSeconds * 1000;
}

/** Work that conflicts with another transaction is run again from its start. @throws KindError 503 when time is over */
export async function inTransaction<T>(
  database: Database,
  session: Session,
  { isolation = 'repeatable read', long = false, about, until, undo = false }: TransactionNeeds,
  work: (within: SessionInTransaction) => Promise<T>,
): Promise<T> {
  const { tx } = session.executor;
  if (tx) return work({ ...session, executor: tx });
  const workKey = (): string | undefined => {
    const key = about?.();
    return key === undefined ? undefined : `${session.project.id} ${key}`;
  };
  const options = { ...usedBy(session), isolation, long, undo, workKey };
  if (until === undefined) return database.transaction((executor) => work({ ...session, executor }), options);
  const limit = Math.max(1, until - performance.now());
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(tookTooLong()), limit);
  const times = { timeout: limit, statementTimeout: limit, idleTimeout: idleTimeoutFor(limit) };
  try {
    return await database.transaction(
      (executor) => {
        executor.abortOn(abort.signal);
        return work({ ...session, executor });
      },
      { ...times, ...options },
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Work that may have something before its transaction. */
interface Work<T> {
  readonly ahead?: Ahead;
  readonly run: (session: Session, body: ReceivedBody) => Promise<T>;
}

export function runAlone<T>(work: Work<T>, session: Session, body: ReceivedBody): Promise<T> {
  return withAhead(work, session, body, (given) => work.run(session, given));
}

/**
 * Does first what comes before a transaction, unless there is one. @param work gets the body as it is then, and begins the
 * transaction
 */
export async function withAhead<T>(
  { ahead }: Pick<Work<T>, 'ahead'>,
  session: Session,
  body: ReceivedBody,
  work: (body: ReceivedBody) => Promise<T>,
): Promise<T> {
  if (!ahead || session.executor.tx) return work(body);
  const ends: (() => void)[] = [];
  const onEnd = (end: () => void): void => void ends.push(end);
  try {
    return await work(await ahead(session, body, { hasEnded: false, onEnd }));
  } finally {
    for (const end of ends) end();
  }
}

/**
 * Reads what a write answers, in its transaction: others may wait for what it has locked, so that this takes less time
 * than a read alone may. After that the transaction fails, with 503.
 */
export async function whileLocked<T>(
  { executor: { tx } }: Pick<Session, 'executor'>,
  read: () => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const seconds = LIMITS.writtenSeconds;
  const text = `What the write answers took longer than ${seconds} seconds: include less, or read it afterwards`;
  const timer = setTimeout(() => abort.abort(refusal('query.timeout', text)), seconds * 1000);
  tx?.abortOn(abort.signal);
  try {
    return await read();
  } finally {
    clearTimeout(timer);
  }
}

function tookTooLong(): KindError {
  const text = `All operations together took longer than ${LIMITS.batchSeconds} seconds; send fewer of them`;
  return new KindError([{ code: 'query.timeout', text }]);
}

/**
 * The statement timeout of a caller in milliseconds; undefined for the general one. Requests without a token have a shorter
 * one, because anybody can send them.
 */
export function timeLimitOf(caller: Caller): number | undefined {
  if (agentOf(caller)) return LIMITS.agentSeconds * 1000;
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
