import { retryLater, type KindError } from '../../shared/errors.js';

/** Seconds after which somebody may have mended it. */
const RETRY_AFTER = 10;

/** The refusal of whatever needs a module that does not load. Whose it is may be closed to the caller, as in a deletion. */
export function brokenModule(): KindError {
  const text = 'A module of functions that this needs does not load; the log of the service says which, and why';
  return retryLater('function.broken', text, RETRY_AFTER);
}
