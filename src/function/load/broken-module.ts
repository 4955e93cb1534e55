import { retryLater, type KindError } from '../../shared/errors.js';

/** Seconds; the module may be fixed by then. */
const RETRY_AFTER = 10;

/**
 * The error of operations that need a module that does not load. It does not name the kind, which the caller may not be
 * allowed to see, as in a deletion that deletes units of other kinds too.
 */
export function brokenModule(): KindError {
  const text = 'A module of functions that this needs does not load; the log of the service says which, and why';
  return retryLater('function.broken', text, RETRY_AFTER);
}
