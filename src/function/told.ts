/** What may be told of an error that came out of authored code. */
import { StaleModel } from '../catalog/stale-model.js';
import { NoPlace } from '../database/executor.js';
import { commonRefusal, isRetryable } from '../database/sqlstate.js';
import { FunctionError } from '../kit/function-error.js';
import { KindError } from '../shared/errors.js';
import { Thrown } from './authored.js';
import { isOfSystem } from './contexts.js';

/**
 * Refusals are told as they are, of the author's and of what was done as the caller; whoever begins the transaction again
 * learns why. All else is a fault, which is worded by whoever knows whose it is, with the error as its cause.
 */
export function told(error: unknown, fault: (cause: unknown) => Error): unknown {
  if (error instanceof FunctionError || (error instanceof KindError && isOpen(error))) return error;
  if (error instanceof StaleModel || error instanceof NoPlace || isRetryable(error)) return error;
  return commonRefusal(error) ?? fault(error instanceof Thrown ? error.cause : error);
}

/** What keeps everybody waiting says nothing of what the system was asked for. */
function isOpen(error: KindError): boolean {
  return error.retryAfter !== undefined || error.status === 504 || !isOfSystem(error);
}
