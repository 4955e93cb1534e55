/** The result of an access check. */
import type { Predicate } from '../model/predicate/predicate.js';

/** The units on which an operation is allowed: those that match the predicate, or all units if it is undefined. */
export interface Grant {
  readonly predicate: Predicate | undefined;
}

export const FULL_GRANT: Grant = { predicate: undefined };
