/** The values in aggregations on which the best query plan depends. */
import { hasValues, targetHasValues } from '../model/predicate/predicate-values.js';
import type { Predicate, Target } from '../model/predicate/predicate.js';

/** The parts of an aggregation that may have values. */
interface PartsWithValues {
  readonly sources: readonly {
    readonly access: Predicate | undefined;
    readonly filter: Predicate | undefined;
    readonly inputs: readonly {
      readonly target: Target | undefined;
      readonly condition: Predicate | undefined;
    }[];
  }[];
  readonly having: Predicate | undefined;
  readonly offset: number;
}

/** Whether the best query plan does not depend on the values. */
export function isSamePlanForAllValues({ sources, having, offset }: PartsWithValues): boolean {
  if (hasValues(having) || offset > 0) return false;
  return sources.every(({ access, filter, inputs }) => {
    if (hasValues(access) || hasValues(filter)) return false;
    return inputs.every(({ target, condition }) => !hasValues(condition) && !(target && targetHasValues(target)));
  });
}
