/** Limits the lookups over references, the tests of related units, and the size of the statement of one query. Pure. */
import type { GroupTerm, SelectTerm } from '../../filter/aggregate.ast.js';
import type { Filter, Path, RelatedUnits } from '../../filter/filter.ast.js';
import { relatedOfTerms } from '../../filter/include.parser.js';
import type { ListQuery } from '../../filter/queries.js';
import { type OrderBy, relatedOfOrder } from '../../filter/order.js';
import { allRelated, relatedOf, relatedOfOperand } from '../../filter/filter.walk.js';
import { extentOf, lookupsOf, targetsOf } from '../../model/predicate/predicate-cost.js';
import { relatedIn } from '../../model/predicate/related.js';
import { type Predicate, type Related, sourcesOf, type Target, testsOf } from '../../model/predicate/predicate.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { type OrderTerm, targetsOfOrder } from '../../sql/list/order.sql.js';
import type { ReadPlan, ShownRelated } from '../../sql/list/select.sql.js';
import { checkStatementSize } from '../../sql/fragment.js';

/**
 * @param others the targets of order and include
 * @param shown the related units of the answer
 * @throws KindError 400 if filter, order and include need more lookups than one query may have
 */
export function checkLookups(
  filter: Predicate | undefined,
  others: readonly Target[],
  shown: readonly ShownRelated[] = [],
): void {
  const own = lookupsOf([...(filter ? targetsOf(filter) : []), ...others]);
  const related = [
    ...(filter ? relatedIn(filter) : []),
    ...others.flatMap(({ counted }) => counted ?? []),
    ...shown.map((each) => each.related),
  ];
  const orders = shown.map(({ list }) => lookupsOf(orderTargets(list?.order ?? [])));
  const found = [own, ...related.map(lookupsOfRelated), ...orders].reduce((sum, each) => sum + each, 0);
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

/** The lookups in the filters of related units, and for what is summed of them. */
function lookupsOfRelated({ kinds, summed }: Related): number {
  const ofSum = summed ? sourcesOf(summed) : [];
  const inSum = ofSum.reduce((sum, { counted }) => sum + (counted ? lookupsOfRelated(counted) : 0), lookupsOf(ofSum));
  return kinds.reduce((sum, { filter }) => sum + (filter ? extentOf([filter]).lookups : 0), inSum);
}

/** Everything in a query that can name related units. */
export interface RelatingQuery {
  readonly filter?: Filter | undefined;
  readonly order?: readonly OrderBy[];
  readonly include?: readonly string[] | undefined;
  readonly select?: readonly SelectTerm[];
  readonly group?: readonly GroupTerm[];
}

/** The functions over related units of a query, without those in their filters. */
export function relatedInQuery(query: RelatingQuery): RelatedUnits[] {
  const { filter, order = [], include, select = [], group = [] } = query;
  const filters = [filter, ...filtersOfTerms(select)].flatMap((each) => each ?? []);
  return [
    ...filters.flatMap(relatedOf),
    ...relatedOfOrder(order),
    ...[...pathsOfTerms(select), ...group.map(({ path }) => path)].flatMap(relatedOfOperand),
    ...relatedOfTerms(include),
  ];
}

/** The paths and expressions of terms of `select` over units. */
export function pathsOfTerms(select: readonly SelectTerm[]): Path[] {
  return select.flatMap((term) => ('computed' in term ? [] : (term.path ?? [])));
}

export function filtersOfTerms(select: readonly SelectTerm[]): Filter[] {
  return select.flatMap((term) => ('computed' in term ? [] : (term.filter ?? [])));
}

/** @throws KindError 400 if a query has more functions over related units, or expressions, than it may have */
export function checkRelated(query: RelatingQuery): void {
  const related = allRelated(relatedInQuery(query));
  if (related.length > LIMITS.relatedUnits) {
    const text = `a query has at most ${LIMITS.relatedUnits} functions over related units, such as exists and count_related; this has ${related.length}`;
    throw refusal('query.too_large', text);
  }
  const { select = [] } = query;
  const sums = related.filter(({ summed }) => summed?.computed);
  const found = select.filter(hasExpression).length + sums.length;
  if (found <= LIMITS.expressions) return;
  throw refusal(
    'query.too_large',
    `a query has at most ${LIMITS.expressions} expressions, such as mul(quantity,price), those inside others not counted; this has ${found}`,
  );
}

function hasExpression(term: SelectTerm): boolean {
  return 'computed' in term || term.path?.computed !== undefined;
}

/** @throws KindError 400 if the units of a page could have more related units in lists than a page may have */
export function checkRelatedPage(
  { limit }: Pick<ListQuery, 'limit'>,
  { related = [] }: Pick<ReadPlan, 'related'>,
): void {
  const each = related.reduce((sum, { list }) => sum + (list?.limit ?? 0), 0);
  if (each * limit <= LIMITS.relatedPerPage) return;
  throw refusal(
    'query.too_large',
    `include: ${limit} units with up to ${each} related ones each are more than ${LIMITS.relatedPerPage}; ask for fewer at once`,
    { parameter: 'include' },
  );
}

/** Characters of SQL at least: of a test, of one with the same result for all units, and of a value. */
const CHARACTERS = { test: 14, constant: 4, value: 8 } as const;

/** The part of a statement that reads one kind. */
interface KindSize {
  readonly predicates: readonly (Predicate | undefined)[];
  /** The number of values that are read. */
  readonly values: number;
}

/**
 * Adds up the kinds of a query while they are planned, so that a query whose statement would be refused is not planned as
 * a whole: that would hold up other requests.
 */
export class LeastSize {
  #kinds = 0;
  #characters = 0;

  /** @throws KindError 400 `query.too_large` */
  add({ predicates, values }: KindSize): void {
    this.#kinds += 1;
    this.#characters += values * CHARACTERS.value;
    for (const test of predicates.flatMap((each) => (each ? testsOf(each) : []))) {
      this.#characters += test.op === 'constant' ? CHARACTERS.constant : CHARACTERS.test;
    }
    checkStatementSize(this.#kinds, this.#characters);
  }
}
