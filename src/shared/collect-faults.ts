/** Collects the faults of checks. Pure. */
import { Faults, KindError } from './errors.js';

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

/** The texts of the faults that a check adds or throws. */
export function faultTexts(check: (faults: Faults) => void): string[] {
  const faults = new Faults();
  try {
    check(faults);
    faults.throwIfAny();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    return error.messages.map(({ text }) => text);
  }
  return [];
}
