/** Limits the lookups over references, and the tests of related units, in one query. Pure. */
import type { Filter, RelatedUnits } from '../../filter/filter.ast.js';
import { countRelated, relatedOf } from '../../filter/filter.walk.js';
import { extentOf, lookupsOf, targetsOf } from '../../model/predicate/predicate-cost.js';
import { relatedIn } from '../../model/predicate/related.js';
import type { Predicate, Target } from '../../model/predicate/predicate.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { targetsOfOrder, type OrderTerm } from '../../sql/order.sql.js';
import type { ReadPlan } from '../../sql/select.sql.js';

/** @throws KindError 400 if filter, order and include need more lookups than one query may have */
export function checkLookups(filter: Predicate | undefined, others: readonly Target[]): void {
  const own = lookupsOf([...(filter ? targetsOf(filter) : []), ...others]);
  const found = own + (filter ? lookupsOfRelated(filter) : 0);
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

/** The lookups in the filters of related units. */
function lookupsOfRelated(filter: Predicate): number {
  const inner = relatedIn(filter).flatMap(({ kinds }) => kinds.flatMap((each) => each.filter ?? []));
  return inner.reduce((sum, each) => sum + extentOf([each]).lookups, 0);
}

/**
 * @param filters all filters of the query
 * @param others further functions over related units
 * @throws KindError 400 if a query has more functions over related units than it may have
 */
export function checkRelated(filters: readonly (Filter | undefined)[], others: readonly RelatedUnits[] = []): void {
  const found = countRelated([...filters.flatMap((filter) => (filter ? relatedOf(filter) : [])), ...others]);
  if (found <= LIMITS.relatedUnits) return;
  throw refusal(
    'query.too_large',
    `a query has at most ${LIMITS.relatedUnits} functions over related units, such as exists and count_related; this has ${found}`,
  );
}
