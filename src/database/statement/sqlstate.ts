/** Classifies PostgreSQL's error codes (PostgreSQL documentation, appendix A). */
import { FunctionError } from '../../kit/function-error.js';
import { errorText } from '../../shared/texts.js';
import { retryLater, KindError, asMayBeStored } from '../../shared/errors.js';
import { answerTooLarge } from '../../shared/response-size.js';

/** Errors after which it is unknown whether a write was stored, because the connection broke before the answer. */
const errorsWithoutAnswer = new WeakSet<Error>();

/**
 * Marks the error of a storing statement such as COMMIT, unless PostgreSQL answered (then nothing was stored) or the
 * statement was never sent. Class 08 are errors of a pooler's own connection, 57P02 a crash.
 */
export function noteLostAnswer(error: unknown): void {
  if (!(error instanceof Error)) return;
  const { severity, code = '' } = error as Error & { readonly severity?: string; readonly code?: string };
  const answered = severity !== undefined && !code.startsWith('08') && code !== '57P02';
  if (!answered && !error.message.includes('not queryable')) errorsWithoutAnswer.add(error);
}

/** Whether the failed statement may have been stored. */
export function isAnswerLost(error: unknown): boolean {
  return error instanceof Error && errorsWithoutAnswer.has(error);
}

/** The fields of a `pg` DatabaseError that are used here. */
export interface DatabaseFault extends Error {
  readonly code: string;
  readonly constraint?: string;
  readonly detail?: string;
  /** The function in PostgreSQL's source that raised the error. */
  readonly routine?: string;
}

/** A write on a read-only server (after a failover), or in a read-only transaction. */
const OUT_OF_RANGE_CODE = '22003';
const READ_ONLY_CODE = '25006';

/**
 * The connection or transaction broke for a reason unrelated to the statement. 25P03: idle in transaction for too long.
 */
const CONNECTION_LOST_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['57P01', '57P02', '57P03', '25P03', '08000', '08003', '08006', '08001', '08004', '53300', '3D000', '28P01'],
  READ_ONLY_CODE,
]);

/** The server has no disk space or memory left, or its disk fails. The statement had no effect, and the connection goes on. */
const SHORT_OF_RESOURCES_CODES = new Set(['53000', '53100', '53200', '58030']);

/** The temporary files of a statement are larger than `temp_file_limit`. */
const TEMPORARY_FILES_CODE = '53400';

/** No prepared statement of that name, or one exists already: a pooler has assigned another backend. */
const UNPREPARED_CODES = new Set(['26000', '42P05']);
/** Errors after which a transaction can be repeated. After an unprepared statement, names are no longer used. */
const RETRYABLE_CODES = new Set(['40001', '40P01', ...UNPREPARED_CODES]);
const LOCK_TIMEOUT_CODE = '55P03';
const STATEMENT_CANCELLED_CODE = '57014';
/** No such table, column, schema, object or function; changed result type; column of another type. */
const STALE_MODEL_CODES = new Set(['42P01', '42703', '3F000', '42704', '0A000', '42883', '42804']);

/** A sequence has handed out its last number. */
const SEQUENCE_USED_UP_CODE = '2200H';

const DATA_CONFLICT_CODES = new Set(['23502', '23503', '23505', '42P07']);

export function isDatabaseFault(error: unknown): error is DatabaseFault {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** Whether a sequence has no next number. */
export function isSequenceUsedUp(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === SEQUENCE_USED_UP_CODE;
}

/** Whether a statement failed because of its name, before it was executed. */
export function isUnprepared(error: unknown): error is DatabaseFault {
  return isDatabaseFault(error) && UNPREPARED_CODES.has(error.code);
}

/** A serialization failure or deadlock: the transaction can be run again. */
export function isRetryable(error: unknown): boolean {
  return isDatabaseFault(error) && RETRYABLE_CODES.has(error.code);
}

/** A lock timeout. */
/** Whether a statement took longer than it may. */
export function isCancelled(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === STATEMENT_CANCELLED_CODE;
}

export function isLockTimeout(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === LOCK_TIMEOUT_CODE;
}

/** The refusal of a query in which a number became larger than its type allows; undefined for other errors. */
export function beyondRange(error: unknown): KindError | undefined {
  if (!isDatabaseFault(error) || error.code !== OUT_OF_RANGE_CODE) return undefined;
  const text = 'a sum, average, bucket or expression is beyond the range of its type';
  return new KindError([{ code: 'query.bad_value', text }], undefined, { cause: error });
}

/** Whether a function refused one of its arguments, such as the name of a time zone. */
export function isBadArgument(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === '22023';
}

/** Whether this version of PostgreSQL does not know a form of a statement, or a parameter in it. */
export function isNotUnderstood(error: unknown): boolean {
  return isDatabaseFault(error) && (error.code === '42601' || error.code === '42P02');
}

/** Whether a table would have more columns than PostgreSQL allows, those included that were dropped. */
export function isTooManyColumns(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === '54011';
}

/** A value that a unique index has already. */
export function isUniqueViolation(error: unknown): error is DatabaseFault {
  return isDatabaseFault(error) && error.code === '23505';
}

/** A schema of that name exists. */
export function isDuplicateSchema(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === '42P06';
}

/** A limit of PostgreSQL: a value is too long for an index entry. */
export function isTooLongForIndex(error: unknown): error is DatabaseFault {
  return isDatabaseFault(error) && error.code === '54000';
}

/** A row that does not satisfy a check. */
export function isCheckViolation(error: unknown): error is DatabaseFault {
  return isDatabaseFault(error) && error.code === '23514';
}

/** Stored data does not fit a new definition: null, a dangling reference, duplicates, a view with the name of a table. */
export function isDataConflict(error: unknown): error is DatabaseFault {
  return isDatabaseFault(error) && DATA_CONFLICT_CODES.has(error.code);
}

/** A right that the role does not have. */
export function isNotAllowed(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === '42501';
}

/** A conflict with another transaction: this one can be run again. */
export function isContention(error: unknown): boolean {
  return isRetryable(error) || isLockTimeout(error);
}

/** PostgreSQL found a table or sequence by its name, and it was dropped before it was locked. */
function isDroppedMeanwhile({ code, routine }: DatabaseFault): boolean {
  return code === 'XX000' && routine === 'relation_open';
}

/** A missing table or column: the cached model is older than the schema. */
export function isStaleModel(error: unknown): boolean {
  return isDatabaseFault(error) && (STALE_MODEL_CODES.has(error.code) || isDroppedMeanwhile(error));
}

/** The connection is unusable: broken, or to a read-only server. */
export function isConnectionLost(error: unknown): boolean {
  return isDatabaseFault(error) && CONNECTION_LOST_CODES.has(error.code);
}

/**
 * Errors for a text that is too large: of PostgreSQL (`answer-size.sql.ts` prevents most of them) or of JavaScript. The
 * routine is checked because other errors have the same code, and messages are localised.
 */
const TEXT_ROUTINES = new Set(['repeat', 'enlargeStringInfo', 'MemoryContextSizeFailure']);

export function isAnswerTooLarge(error: unknown): boolean {
  if (!isDatabaseFault(error)) return false;
  return error.code === 'ERR_STRING_TOO_LONG' || TEXT_ROUTINES.has(error.routine ?? '') || isOfWorker(error);
}

/** Citus tells errors of its workers by a routine of its own, so that only their message is left. */
function isOfWorker({ routine, message }: DatabaseFault): boolean {
  return routine === 'ReportResultError' && message === 'requested length too large';
}

/** Whether two `each` of an aggregation made too many pairs (`aggregate.sql.ts`), for which it divides by zero. */
export function isTooManyPairs(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === '22012';
}

export function isReadOnly(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === READ_ONLY_CODE;
}

/** The error for conditions that any statement can meet; undefined for others. */
export function commonRefusal(error: unknown): KindError | undefined {
  // Texts of refusals may quote anything.
  if (!(error instanceof Error) || error instanceof KindError || error instanceof FunctionError) return undefined;
  if (/timeout exceeded when trying to connect/.test(error.message)) {
    return retryLater('server.busy', 'All database connections are in use', 1, error);
  }
  if (/Connection terminated|Client has encountered a connection error|Cannot use a pool after/.test(error.message)) {
    return databaseUnavailable(error);
  }
  if (!isDatabaseFault(error)) return undefined;
  if (CONNECTION_LOST_CODES.has(error.code)) return databaseUnavailable(error);
  if (SHORT_OF_RESOURCES_CODES.has(error.code)) {
    return retryLater('database.unavailable', 'The database is out of disk space or memory', 5, error);
  }
  if (isAnswerTooLarge(error)) return answerTooLarge(error);
  if (error.code === TEMPORARY_FILES_CODE) {
    const text = 'It takes more temporary files than a statement may: a filter for fewer units, or an indexed order';
    return new KindError([{ code: 'query.too_large', text }], undefined, { cause: error });
  }
  if (error.code === STATEMENT_CANCELLED_CODE) {
    const text = 'The query took longer than a statement may; narrow it, or add an index';
    return new KindError([{ code: 'query.timeout', text }], undefined, { cause: error });
  }
  if (error.code === LOCK_TIMEOUT_CODE || RETRYABLE_CODES.has(error.code)) {
    return retryLater('database.busy', 'Another change holds what this one needs', 1, error);
  }
  return undefined;
}

/**
 * PostgreSQL does not answer, which the log says once (`service.ts`). Work in the background ends without a line then, and
 * is tried again in its next round. A full disk is another thing.
 */
export function isDatabaseAway(error: unknown): boolean {
  const refused = error instanceof KindError ? error : commonRefusal(error);
  if (refused?.code !== 'database.unavailable') return false;
  const { cause } = refused;
  return !(isDatabaseFault(cause) && SHORT_OF_RESOURCES_CODES.has(cause.code));
}

/** The error of a client or of its pool, as a refusal if it is a common one. */
export function asRefusal(error: unknown): unknown {
  return commonRefusal(error) ?? error;
}

/** What an error says, for the log: the texts of a refusal without their codes. */
export function causeText(error: unknown): string {
  const refused = error instanceof KindError ? error : commonRefusal(error);
  return refused ? refused.messages.map(({ text }) => text).join('; ') : errorText(error);
}

function databaseUnavailable(cause: unknown): KindError {
  const refused = retryLater('database.unavailable', 'The database does not answer', 1, cause);
  return isAnswerLost(cause) ? asMayBeStored(refused) : refused;
}
