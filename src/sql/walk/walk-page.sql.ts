/** The page of a walk: which of the reached units it has, in which order, and where the next page begins. */
import type { Predicate } from '../../model/predicate/predicate.js';
import { columnType } from '../columns.sql.js';
import { all, EMPTY_SQL, integer, join, sql, type Fragment } from '../fragment.js';
import { keysetRanges } from '../list/keyset.sql.js';
import { byKind, unitSatisfies } from '../list/mixed-units.sql.js';
import { orderBy, sortSql, targetsOfOrder, type OrderTerm, type SortKey } from '../list/order.sql.js';
import { limitOffset, totalCount, type PageRequest } from '../list/page.sql.js';
import { predicateSql } from '../condition/predicate.sql.js';
import { withLinkRow, type LinkColumn } from './reached-links.sql.js';
import { keyName } from '../condition/row-values.sql.js';
import { hasId, kindTable } from '../table.sql.js';
import type { Traversal } from '../link/traversal-plan.js';
import { REACHED_UNIT } from '../link/traversal-step.sql.js';
import { NEAREST_FIRST, type TraversedUnits } from './traversal.sql.js';
import { partSort, type KindPart, type SharedTerm } from '../list/union-order.sql.js';

export interface WalkPagePlan extends Traversal, PageRequest {
  /** The kinds whose units are answered. */
  readonly shown: readonly KindPart[];
  /** Whether the walk passes through units that are not answered: those of other kinds, or that the filter excludes. */
  readonly excludesUnits: boolean;
  /** The links of the last step to a unit of which one has to match, and is shown; undefined for any. */
  readonly linkFilter: Predicate | undefined;
  /** The values of links that filter and order name. */
  readonly linkColumns: readonly LinkColumn[];
  /** Units that are equal in these terms are ordered by nearness. */
  readonly order: readonly SharedTerm[];
  /** Keyset pagination: the order values and the place of the last unit of the page before; empty for the first page. */
  readonly cursor: readonly (string | null)[] | undefined;
}

/** How many values a cursor has after those of the order. */
export function placeLength(depth: number): number {
  return depth === 0 ? 2 : 3;
}

/**
 * The reached units that are answered, a row each; nearest first, if the query names values of links.
 * @param links all links to these units, if the query names values of links
 */
export function chosenUnits(plan: WalkPagePlan, { rows }: TraversedUnits, links: Fragment | undefined): Fragment {
  const { schema, excludesUnits, linkFilter, depth, oneType } = plan;
  const selected = excludesUnits ? isSelected(plan) : undefined;
  if (!links) return selected ? sql`SELECT * FROM (${rows}) AS n WHERE ${selected}` : rows;
  const ofLink = linkFilter && predicateSql(linkFilter, { schema, row: 't' });
  // Of the links that match, the first one is shown.
  const once = depth === 0 && oneType ? EMPTY_SQL : sql` DISTINCT ON (n.depth, n.kind, n.id)`;
  return sql`
    SELECT${once} n.*
    FROM ${withLinkRow(plan.linkColumns, links)}
    WHERE ${all([ofLink, selected])}
    ORDER BY n.depth, n.kind, n.id, n.link_id, n.near, n.near_kind
  `;
}

/** Whether the unit `n` is answered. */
function isSelected({ schema, shown }: WalkPagePlan): Fragment {
  const test = byKind(shown, REACHED_UNIT, ({ kind, filter }) =>
    filter ? unitSatisfies(schema, kind, REACHED_UNIT, [filter]) : sql`true`,
  );
  return sql`(${test}) IS TRUE`;
}

/** The rows of the page, in its order; with a cursor one more, and `at`, their number from 1. */
export function walkPage(plan: WalkPagePlan, reached: TraversedUnits, chosen: Fragment): Fragment {
  const { limit, offset, order, cursor } = plan;
  if (cursor) return pageAfter(plan, chosen, cursor);
  const isWhole = !plan.excludesUnits && !plan.linkFilter;
  if (order.length === 0 && isWhole && reached.page) return reached.page(limit, offset);
  const cut = limitOffset(limit, offset);
  if (order.length === 0 && plan.linkColumns.length > 0) return sql`${chosen} ${cut}`;
  if (order.length === 0) return sql`${chosen} ORDER BY ${NEAREST_FIRST} ${cut}`;
  const by = order.map(({ descending }, at) => (descending ? sql`${keyName(at)} DESC` : keyName(at)));
  return sql`${withKeys(plan, chosen)} ORDER BY ${join([...by, NEAREST_FIRST])} ${cut}`;
}

/** The units `n` with the values that they are ordered by. */
function withKeys(plan: WalkPagePlan, chosen: Fragment): Fragment {
  const keys = plan.order.map((_, at) => sql`${orderKey(plan, at)} AS ${keyName(at)}`);
  return sql`SELECT n.*, ${join(keys)} FROM ${withLinkRow(plan.linkColumns, chosen)}`;
}

/** The value of a term of the order for the unit `n`; null where its kind lacks the parameter. */
function orderKey({ schema, shown, order }: WalkPagePlan, at: number): Fragment {
  const ofLink = shown[0]?.order[at];
  if (ofLink && readsLinkAlone(ofLink)) return sortSql(schema, [ofLink]).keys[0]?.value ?? sql`NULL`;
  return byKind(shown, REACHED_UNIT, (part) => {
    const { keys, joins } = partSort(schema, part, order);
    const where = hasId(part.kind, REACHED_UNIT.id);
    return sql`(
      SELECT ${keys[at]?.value ?? sql`NULL`}
      FROM ${kindTable(schema, part.kind)} AS t${joins}
      WHERE ${where}
    )`;
  });
}

function readsLinkAlone({ value }: OrderTerm): boolean {
  const targets = targetsOfOrder(value);
  return targets.length > 0 && targets.every(({ ofLink }) => ofLink);
}

/** The order of a page with a cursor: total, because each unit is reached once. */
function totalOrder({ order, depth }: WalkPagePlan): SortKey[] {
  const keys = order.map(({ type, ids, descending }, at): SortKey => {
    return { value: sql`n.${keyName(at)}`, type: columnType(ids ? 'text' : type), descending, nullable: true };
  });
  const placed = (value: Fragment, type: Fragment): SortKey => ({ value, type, descending: false, nullable: false });
  const [kind, id] = [placed(REACHED_UNIT.kind, sql`text`), placed(REACHED_UNIT.id, sql`text`)];
  // With a single step, the number of steps is a constant, with which PostgreSQL would not use the order of the index.
  return depth === 0 ? [...keys, kind, id] : [...keys, placed(sql`n.depth`, sql`integer`), kind, id];
}

function pageAfter(plan: WalkPagePlan, chosen: Fragment, cursor: readonly (string | null)[]): Fragment {
  const order = totalOrder(plan);
  const by = orderBy(order);
  const ranges = keysetRanges(order, cursor).flatMap((range) => (range?.where ? [sql`(${range.where})`] : []));
  const where = ranges.length > 0 ? sql` WHERE ${join(ranges, ' OR ')}` : EMPTY_SQL;
  return sql`
    SELECT n.*, row_number() OVER (ORDER BY ${by}) AS at
    FROM (${plan.order.length > 0 ? withKeys(plan, chosen) : chosen}) AS n${where}
    ORDER BY ${by}
    LIMIT ${integer(plan.limit + 1)}
  `;
}

/** The column `last`: the values after which the next page begins, as a JSON list; null on the last page. */
export function lastOfPage(plan: WalkPagePlan): Fragment {
  const limit = integer(plan.limit);
  const values = totalOrder(plan).map(({ value }) => sql`${value}::text`);
  return sql`(
    SELECT to_json(ARRAY[${join(values)}])::text
    FROM _page AS n
    WHERE n.at = ${limit} AND EXISTS (SELECT FROM _page AS o WHERE o.at > ${limit})
  ) AS last`;
}

export function walkCount(plan: WalkPagePlan, { total }: TraversedUnits, chosen: Fragment): Fragment {
  const { count, excludesUnits, linkFilter, cursor } = plan;
  if (count === 'none') return sql`-1`;
  if (total && !excludesUnits && !linkFilter) return total;
  const counted = sql`(SELECT count(*) FROM (${chosen}) AS c)`;
  return cursor ? counted : totalCount(plan, counted);
}
