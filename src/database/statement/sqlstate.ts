/** What PostgreSQL's error codes mean to the service (PostgreSQL documentation, appendix A). */
import { retryLater, KindError, asMayBeStored } from '../../shared/errors.js';
import { answerTooLarge } from '../../shared/response-size.js';
import { isAnswerLost } from './lost-answers.js';

/** The fields of a `pg` DatabaseError that are used here. */
export interface DatabaseFault extends Error {
  readonly code: string;
  readonly constraint?: string;
  readonly detail?: string;
  /** The function of PostgreSQL's source that tells of it. */
  readonly routine?: string;
}

/** A write met a server that only reads, because the primary has moved; or a transaction that was to read only. */
const READ_ONLY = '25006';

/**
 * The service's connection, or a transaction on it, broke in a way that says nothing of the statement. 25P03: the process
 * was silent for too long inside a transaction.
 */
const CONNECTION_LOST = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['57P01', '57P02', '57P03', '25P03', '08000', '08003', '08006', '08001', '08004', '53300', '3D000', '28P01'],
  READ_ONLY,
]);

/** No statement is prepared under that name, or one is already: the connection was another backend's before. */
const UNPREPARED = new Set(['26000', '42P05']);
/** Beside these a statement that was refused for its name: none is used any more. */
const RETRY = new Set(['40001', '40P01', ...UNPREPARED]);
const LOCK_TIMEOUT = '55P03';
/** No such table, column, schema or object; another result type; a column that has become one of another type. */
const STALE_MODEL = new Set(['42P01', '42703', '3F000', '42704', '0A000', '42883', '42804']);

export function isDatabaseFault(error: unknown): error is DatabaseFault {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** A statement was refused for the name that it is prepared under, before any of it was run. */
export function isUnprepared(error: unknown): error is DatabaseFault {
  return isDatabaseFault(error) && UNPREPARED.has(error.code);
}

/** Serialization failure or deadlock: the whole transaction may be tried again. */
export function isRetryable(error: unknown): boolean {
  return isDatabaseFault(error) && RETRY.has(error.code);
}

/** A lock was not had in time. */
export function isLockTimeout(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === LOCK_TIMEOUT;
}

/** Another transaction stood in the way: the whole of this one may come through when it is run again. */
export function isContention(error: unknown): boolean {
  return isRetryable(error) || isLockTimeout(error);
}

/** A table or column that is not there (any more): the model is older than the schema. */
export function isStaleModel(error: unknown): boolean {
  return isDatabaseFault(error) && STALE_MODEL.has(error.code);
}

/** The connection is of no use any more: it broke, or leads to a server that only reads. */
export function isConnectionLost(error: unknown): boolean {
  return isDatabaseFault(error) && CONNECTION_LOST.has(error.code);
}

/**
 * What is too large for a text: of PostgreSQL, which `bounded.sql.ts` sees to long before, or of JavaScript. (Other errors
 * have the same codes, and their texts are in the language of the server.)
 */
const TEXT_ROUTINES = new Set(['repeat', 'enlargeStringInfo', 'MemoryContextSizeFailure']);

export function isAnswerTooLarge(error: unknown): boolean {
  if (!isDatabaseFault(error)) return false;
  return error.code === 'ERR_STRING_TOO_LONG' || TEXT_ROUTINES.has(error.routine ?? '');
}

export function isReadOnly(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === READ_ONLY;
}

/** The refusal for what any statement can meet, whatever it asks, with its cause; undefined for all else. */
export function commonRefusal(error: unknown): KindError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (/timeout exceeded when trying to connect/.test(error.message)) {
    return retryLater('server.busy', 'All database connections are in use', 1, error);
  }
  if (/Connection terminated|Client has encountered a connection error|Cannot use a pool after/.test(error.message)) {
    return unavailable(error);
  }
  if (!isDatabaseFault(error)) return undefined;
  if (CONNECTION_LOST.has(error.code)) return unavailable(error);
  if (isAnswerTooLarge(error)) return answerTooLarge(error);
  if (error.code === '57014') {
    const text = 'The query took longer than a statement may; narrow it, or add an index';
    return new KindError([{ code: 'query.timeout', text }], undefined, { cause: error });
  }
  if (error.code === LOCK_TIMEOUT || RETRY.has(error.code)) {
    return retryLater('database.busy', 'Another change holds what this one needs', 1, error);
  }
  return undefined;
}

function unavailable(cause: unknown): KindError {
  const refused = retryLater('database.unavailable', 'The database does not answer', 1, cause);
  return isAnswerLost(cause) ? asMayBeStored(refused) : refused;
}
