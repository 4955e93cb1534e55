/**
 * Walks along links: a page of the units that a walk reaches, in one statement; and the links that `load_links` adds.
 */
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { LIMITS } from '../../shared/limits.js';
import { boundedList } from '../answer-size.sql.js';
import { columnType } from '../columns.sql.js';
import { predicateSql, rowConditions } from '../condition/predicate.sql.js';
import { keyName } from '../condition/row-values.sql.js';
import {
  all,
  EMPTY_SQL,
  type Fragment,
  integer,
  join,
  literal,
  param,
  render,
  sql,
  type Statement,
} from '../fragment.js';
import type { LinkEnd } from '../link/link-ends.sql.js';
import type { Direction, Traversal } from '../link/traversal-plan.js';
import { hasLinkType, linkTypeParam, REACHED_UNIT } from '../link/traversal-step.sql.js';
import { byKind, idText, itemJson, unitSatisfies } from '../list/mixed-units.sql.js';
import { orderBy, type OrderTerm, type SortKey, sortSql, targetsOfOrder } from '../list/order.sql.js';
import { COMMON_LIMITS, keysetRanges, limitOffset, type PageRequest, totalCount } from '../list/page.sql.js';
import type { ReadPlan } from '../list/select.sql.js';
import { type KindPart, partSort, type SharedTerm } from '../list/union.sql.js';
import { modelVersion } from '../model-version.sql.js';
import { fromTemplate } from '../statement-template.js';
import { hasId, kindTable } from '../table.sql.js';
import { type LinkColumn, reachedLinks, withLinkRow } from './reached-links.sql.js';
import {
  NEAREST_FIRST,
  type TraversalLimits,
  type TraversalStart,
  traverse,
  type TraversedUnits,
  linkField,
} from './traversal.sql.js';

export interface WalkPlan extends WalkPagePlan {
  readonly start: LinkEnd;
  /** The kinds that the plan expects on the page; the statement returns the others that it finds. Undefined for any. */
  readonly expectedKinds: readonly string[] | undefined;
  /** The owner of the statement's template, shared by plans that differ only in the start's key and the link types. */
  readonly templateOwner?: object;
}

export const walkLimits = (): TraversalLimits => ({ units: LIMITS.walkUnits, links: LIMITS.walkLinks });

/**
 * One row `v, found, over, count, items, unmet`, with a cursor also `last`. `over`: the walk exceeds the limits; `unmet`:
 * unexpected kinds; `last`: the values after which the next page begins, or null.
 */
export function walkStatement(plan: WalkPlan): Statement {
  const { start, linkIds, limit, offset, cursor, templateOwner } = plan;
  const isCommon = offset === 0 && !cursor && COMMON_LIMITS.has(limit);
  if (!templateOwner || !isCommon) return render(walkSql(plan, param(start.key), hasLinkType(linkIds)), isCommon);
  return fromTemplate(templateOwner, '', [start.key, linkTypeParam(linkIds)], ([key, types]) =>
    walkSql(plan, key, hasLinkType(linkIds, types)),
  );
}

function walkSql(plan: WalkPlan, key: Fragment, types: Fragment | undefined): Fragment {
  const { schema, start, limit, cursor } = plan;
  const where = all([hasId(start.kind, key), ...rowConditions(schema, start.kind, [start.access])]);
  const found = sql`EXISTS (SELECT FROM ${kindTable(schema, start.kind)} AS t WHERE ${where})`;
  const startRow = sql`SELECT ${key}::${columnType(start.kind.keyField.columnType)} AS "id"`;
  const id = sql`(SELECT ${idText(start.kind)} FROM (${startRow}) AS t)`;
  const from: TraversalStart = { kind: start.kind, id, found: sql`(SELECT found FROM _s)` };
  const reached = traverse(plan, from, walkLimits(), types);
  const links = plan.linkColumns.length > 0 ? reachedLinks(plan, from, types, reached.over) : undefined;
  const chosen = chosenUnits(plan, reached, links);
  const page = walkPage(plan, reached, chosen);
  const item = itemJson(readPlans(plan.shown), REACHED_UNIT, linkField(plan, reached.hasLinks));
  const rows = cursor ? sql`_page AS n WHERE n.at <= ${integer(limit)} ORDER BY n.at` : sql`_page AS n`;
  const items = sql`${boundedList(item, rows)}::text`;
  const steps = join([
    sql`_s AS MATERIALIZED (SELECT ${found} AS found)`,
    ...reached.steps,
    sql`_page AS MATERIALIZED (${page})`,
  ]);
  const count = walkCount(plan, reached, chosen);
  return sql`
    WITH RECURSIVE ${steps}
    SELECT
      ${modelVersion(schema)} AS v,
      (SELECT found FROM _s) AS found,
      ${reached.over} AS over,
      ${count} AS count,
      ${limit > 0 ? items : sql`'[]'`} AS items,
      ${unexpectedKinds(plan)} AS unmet${cursor ? sql`, ${lastOfPage(plan)}` : EMPTY_SQL}
  `;
}

/** The kinds on the page that the plan does not expect; null for none. */
export function unexpectedKinds({ expectedKinds }: Pick<WalkPlan, 'expectedKinds'>): Fragment {
  if (!expectedKinds) return sql`NULL::text[]`;
  const others = expectedKinds.length > 0 ? sql` WHERE kind NOT IN (${join(expectedKinds.map(literal))})` : EMPTY_SQL;
  return sql`(SELECT array_agg(DISTINCT kind) FROM _page${others})`;
}

export function readPlans(shown: WalkPlan['shown']): ReadPlan[] {
  return shown.map(({ read }) => read);
}

/** What `load_links` shows. */
interface ShownLinks {
  /** The fields of linked units, for each kind. */
  readonly shown: readonly ReadPlan[];
  /** The ids of the kinds whose units are shown; undefined for all that are reached. */
  readonly only: readonly string[] | undefined;
  readonly limits: TraversalLimits;
}

/** The column `links` of the row `t`: for each traversal its direction with a list of linked units within the limits. */
export function loadedLinks(
  kind: KindDef,
  traversals: readonly Traversal[],
  { shown, only, limits }: ShownLinks,
): Fragment {
  const start: TraversalStart = { kind, id: idText(kind), found: sql`true` };
  const lists = traversals.map((traversal) => {
    const reached = traverse(traversal, start, limits, hasLinkType(traversal.linkIds));
    const ofKinds = only && sql`SELECT * FROM (${reached.rows}) AS n WHERE n.kind IN (${join(only.map(literal))})`;
    const nearest = sql`${ofKinds ?? reached.rows} ORDER BY ${NEAREST_FIRST} LIMIT ${integer(limits.units)}`;
    const page = ofKinds ? nearest : (reached.page?.(limits.units, 0) ?? nearest);
    const steps = reached.steps.length > 0 ? sql`WITH RECURSIVE ${join(reached.steps)} ` : EMPTY_SQL;
    const item = itemJson(shown, REACHED_UNIT, linkField(traversal, reached.hasLinks));
    const list = boundedList(item, sql`(${page}) AS n`);
    return sql`${literal(traversal.direction)}, (${steps}SELECT ${list})`;
  });
  return sql`json_build_object(${join(lists)}) AS "links"`;
}

/** The column `links` of units that cannot be linked. */
export function noLinks(directions: readonly Direction[]): Fragment {
  return sql`json_build_object(${join(directions.map((each) => sql`${literal(each)}, '[]'::json`))}) AS "links"`;
}

interface WalkPagePlan extends Traversal, PageRequest {
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
function chosenUnits(plan: WalkPagePlan, { rows }: TraversedUnits, links: Fragment | undefined): Fragment {
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
function walkPage(plan: WalkPagePlan, reached: TraversedUnits, chosen: Fragment): Fragment {
  const { limit, offset, order, cursor } = plan;
  if (cursor) return pageAfter(plan, chosen, cursor);
  const isWhole = !plan.excludesUnits && !plan.linkFilter;
  if (order.length === 0 && isWhole && reached.page) return reached.page(limit, offset);
  const cut = limitOffset(limit, offset);
  if (order.length === 0 && plan.linkColumns.length > 0) return sql`${chosen} ${cut}`;
  if (order.length === 0) return sql`${chosen} ORDER BY ${NEAREST_FIRST} ${cut}`;
  const by = orderBy(orderKeys(plan, keyName));
  return sql`${withKeys(plan, chosen)} ORDER BY ${by}, ${NEAREST_FIRST} ${cut}`;
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
function totalOrder(plan: WalkPagePlan): SortKey[] {
  const { depth } = plan;
  const keys = orderKeys(plan, (at) => sql`n.${keyName(at)}`);
  const placed = (value: Fragment, type: Fragment): SortKey => ({ value, type, descending: false, nullable: false });
  const [kind, id] = [placed(REACHED_UNIT.kind, sql`text`), placed(REACHED_UNIT.id, sql`text`)];
  // With a single step, the number of steps is a constant, with which PostgreSQL would not use the order of the index.
  return depth === 0 ? [...keys, kind, id] : [...keys, placed(sql`n.depth`, sql`integer`), kind, id];
}

/** The keys of the terms, whose values are in columns. */
function orderKeys({ order }: Pick<WalkPagePlan, 'order'>, column: (at: number) => Fragment): SortKey[] {
  return order.map(({ type, ids, descending, nulls }, at) => {
    return { value: column(at), type: columnType(ids ? 'text' : type), descending, nulls, nullable: true };
  });
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
function lastOfPage(plan: WalkPagePlan): Fragment {
  const limit = integer(plan.limit);
  const values = totalOrder(plan).map(({ value }) => sql`${value}::text`);
  return sql`(
    SELECT to_json(ARRAY[${join(values)}])::text
    FROM _page AS n
    WHERE n.at = ${limit} AND EXISTS (SELECT FROM _page AS o WHERE o.at > ${limit})
  ) AS last`;
}

function walkCount(plan: WalkPagePlan, { total }: TraversedUnits, chosen: Fragment): Fragment {
  const { count, excludesUnits, linkFilter, cursor } = plan;
  if (count === 'none') return sql`-1`;
  if (total && !excludesUnits && !linkFilter) return total;
  const counted = sql`(SELECT count(*) FROM (${chosen}) AS c)`;
  return cursor ? counted : totalCount(plan, counted);
}
