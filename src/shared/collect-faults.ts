/** Reports the faults of all parts of a query together. Pure. */
import { KindError, type Faults } from './errors.js';

/** Returns the result of `work`. If it throws faults of the query, adds them to `faults` and returns `otherwise`. */
export function collectFaults<T>(faults: Faults, work: () => T, otherwise: T): T {
  try {
    return work();
  } catch (error) {
    // Missing rights take precedence over faults.
    if (!(error instanceof KindError) || error.status !== 400) throw error;
    faults.addAll(error);
    return otherwise;
  }
}
