/** Limits the lookups over references in one query. Pure. */
import { lookupsOf, targetsOf } from '../../model/predicate/predicate-cost.js';
import type { Predicate, Target } from '../../model/predicate/predicate.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { targetsOfOrder, type OrderTerm } from '../../sql/order.sql.js';
import type { ReadPlan } from '../../sql/select.sql.js';

/** @throws KindError 400 if filter, order and include need more lookups than one query may have */
export function checkLookups(filter: Predicate | undefined, others: readonly Target[]): void {
  const found = lookupsOf([...(filter ? targetsOf(filter) : []), ...others]);
  if (found <= LIMITS.queryLookups) return;
  throw refusal(
    'query.too_large',
    `filter, order and include look up ${found} units over references, the same way counted once; ${LIMITS.queryLookups} is the most`,
  );
}

export function orderTargets(order: readonly OrderTerm[]): Target[] {
  return order.flatMap(({ value }) => targetsOfOrder(value));
}

/** The targets of the dotted paths of an answer. */
export function shownTargets({ paths = [] }: Pick<ReadPlan, 'paths'>): Target[] {
  return paths.map(({ target }) => target);
}
