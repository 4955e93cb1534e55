/** What may be told of an error that came out of authored code. */
import { Outdated } from '../database/contended.js';
import { StartOver } from '../database/start-over.js';
import { commonRefusal, isContention, isStaleModel } from '../database/sqlstate.js';
import { FunctionError } from '../kit/function-error.js';
import { comeBack, ERRORS, KindError, perhapsStored } from '../shared/errors.js';
import { Thrown } from './authored.js';
import { isOfSystem } from './contexts.js';

/**
 * Refusals are told as they are, of the author's and of what was done as the caller; whoever begins the transaction again
 * learns why. All else is a fault, which is worded by whoever knows whose it is, with the error as its cause.
 */
export function told(error: unknown, fault: (cause: unknown) => Error): unknown {
  if (error instanceof FunctionError || (error instanceof KindError && !isOfSystem(error))) return error;
  if (error instanceof KindError && error.status === 504) return error;
  if (error instanceof KindError && error.retryAfter !== undefined) return unnamed(error, error.retryAfter);
  if (error instanceof StartOver || error instanceof Outdated) return error;
  // What authored code throws is `Thrown`, whatever code it has.
  if (isContention(error) || isStaleModel(error)) return error;
  return commonRefusal(error) ?? fault(error instanceof Thrown ? error.cause : error);
}

/** What keeps the system waiting keeps everybody: that is told, and not what it was asked for. The log has its words. */
function unnamed(error: KindError, seconds: number): KindError {
  const cause = error.cause instanceof KindError ? error.cause : error;
  const meant = comeBack(error.code, ERRORS[error.code].meaning.replace(/\.$/, ''), seconds, cause);
  return error.mayBeStored ? perhapsStored(meant) : meant;
}
