/**
 * Reads of units: one statement each, in which PostgreSQL builds the JSON. Each returns the version of the model too,
 * so that a process notices that the model it planned with is outdated.
 */
import type { Field, KindDef } from '../../model/model.js';
import type { Stored } from '../../model/parameter-type/parameter-type.js';
import { boundRuleOf } from '../../model/predicate/bound-rule.js';
import { hasValues, relatedHasValues, targetHasValues, type Predicate } from '../../model/predicate/predicate.js';
import { LIMITS } from '../../shared/limits.js';
import { bounded, boundedInTotal, boundedList, boundedRows, smallRows } from '../answer-size.sql.js';
import { hasConditions } from './hidden-fields.sql.js';
import { all, EMPTY_SQL, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import {
  COMMON_LIMITS,
  type KeysetRange,
  keysetRanges,
  limitOffset,
  limitSql,
  type PageRequest,
  totalCount,
} from './page.sql.js';
import { FORCE_CUSTOM_PLAN, modelVersion } from '../model-version.sql.js';
import { storedCount } from '../count.sql.js';
import type { ShownPath } from './nested-record.sql.js';
import { COUNTED_ROWS, countedPageRows, isCountedWithPage, pageRows } from './page-rows.sql.js';
import type { ShownRelated } from './related-record.sql.js';
import { type ShownRights, testsOfRights } from './unit-rights.sql.js';
import type { ShownSnippet } from '../condition/search.sql.js';
import { orderBy, sortSql, targetsOfOrder, type OrderTerm, type Sort } from './order.sql.js';
import {
  allMatchingRows,
  areOfSets,
  matchingRows,
  predicateSql,
  rowConditions,
  type MatchingRows,
} from '../condition/predicate.sql.js';
import { recordColumns, recordJson, referencedValues, CROSS_JOIN_LATERAL } from './record.sql.js';
import { hasId, hasKeyIn, kindTable } from '../table.sql.js';
import { fromTemplate, identityOf } from '../statement-template.js';
import { fieldJson, VERSION_TAG } from '../columns.sql.js';

export type { OrderTerm, ShownPath, ShownRelated };

export interface ReadPlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** The fields that are answered, in the order of the record. */
  readonly fields: readonly Field[];
  /** The dotted paths that are answered besides. */
  readonly paths?: readonly ShownPath[];
  /** The related units, or their numbers, that are answered besides. */
  readonly related?: readonly ShownRelated[];
  /** Parts of texts with the words of the search, that are answered besides. */
  readonly snippets?: readonly ShownSnippet[];
  /** What the caller may do with each unit, that is answered besides. */
  readonly can?: ShownRights;
  /** Whether the paths are objects inside one another, instead of flat keys. */
  readonly nest?: boolean;
  /** A further column of the row `t`, `expression AS "name"`: the linked units. */
  readonly also?: Fragment;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
}

export interface ListPlan extends ReadPlan, PageRequest {
  readonly filter: Predicate | undefined;
  /** The last term is the id, so that the order is total. */
  readonly order: readonly OrderTerm[];
  /** Keyset pagination: the order values of the last unit of the page before; empty on the first page. */
  readonly cursor: readonly (string | null)[] | undefined;
}

/**
 * One row `v, count, items`; with a cursor also `last`: the order values after which the next page begins, or null.
 * `items` is null if the page is so large that it has to be read with `measured`.
 */
export function listStatement(plan: ListPlan, measured = mayBeLarge(plan)): Statement {
  const found = matchingRows(plan.schema, plan.kind, [plan.access, plan.filter]);
  const version = sql`${modelVersion(plan.schema, isSamePlanForAllValues(plan) ? undefined : FORCE_CUSTOM_PLAN)} AS v`;
  const sort = sortSql(plan.schema, plan.order, found.lookups);
  if (plan.cursor) return render(keysetPage(plan, sort, found, version), true);
  const count = listCount(plan, found);
  if (plan.limit === 0) return render(sql`SELECT ${version}, ${count} AS count, '[]' AS items`, true);
  const withTotal = count === COUNTED_ROWS;
  const limits = limitOffset(plan.limit, plan.offset);
  const rows = (withTotal ? countedPageRows : pageRows)({ ...plan, where: found.where, sort, limits });
  const page = sql`
    SELECT ${recordColumns({ ...plan, related: rows.related })}
    FROM ${rows.from}${referencedValues(plan, CROSS_JOIN_LATERAL)}
  `;
  const items = (measured ? boundedRows : smallRows)((row) => recordJson(plan, row), sql`_page`);
  return render(
    sql`WITH ${rows.before}_page AS (${page}) SELECT ${version}, ${count} AS count, ${items} AS items`,
    true,
  );
}

/** Whether a page is more likely to be large: reading it twice would cost more than planning to measure it. */
function mayBeLarge({ limit, also, related = [] }: ListPlan): boolean {
  return limit > LIMITS.pageDefault || also !== undefined || related.some(({ list }) => list);
}

/** Whether the best query plan does not depend on the values. */
export function isSamePlanForAllValues({
  access,
  filter,
  cursor,
  limit,
  offset,
  order,
  related = [],
  can,
}: Pick<ListPlan, 'access' | 'filter' | 'cursor' | 'limit' | 'offset' | 'order' | 'related' | 'can'>): boolean {
  if (can && testsOfRights(can).some(hasValues)) return false;
  if (!COMMON_LIMITS.has(limit) || hasValues(access) || hasValues(filter) || cursor?.length || offset > 0) return false;
  const targets = order.flatMap(({ value }) => targetsOfOrder(value));
  return !targets.some(targetHasValues) && !related.some((each) => relatedHasValues(each.related));
}

/** The total; with `estimated` the number of rows on the page, to which the caller adds the planner's estimate. */
function listCount(plan: ListPlan, found: MatchingRows): Fragment {
  const { count, limit } = plan;
  if (count === 'none') return sql`-1`;
  if (count === 'estimated') return limit === 0 ? sql`0` : sql`(SELECT count(*) FROM _page)`;
  if (limit > 0 && isCountedWithPage(plan.kind, [plan.access, plan.filter], plan.order)) return COUNTED_ROWS;
  return totalCount(plan, countRows(plan, found));
}

/** Rows of a kind that are counted. */
export type CountedRows = Pick<ListPlan, 'kind' | 'access' | 'filter'>;

/** Whether the number of rows is stored. */
export function hasStoredCount({ kind, access, filter }: CountedRows): boolean {
  return kind.storage.counted && !access && !filter;
}

/** How many rows there are: the stored number, if no predicate selects some of them. */
export function countRows(
  { schema, ...rows }: CountedRows & { readonly schema: string },
  found: MatchingRows,
): Fragment {
  const { kind, access, filter } = rows;
  if (hasStoredCount(rows)) return storedCount(schema, kind);
  const { where, lookups } = areOfSets([access, filter]) ? allMatchingRows(schema, kind, [access, filter]) : found;
  return sql`(SELECT count(*) FROM ${kindTable(schema, kind)} AS t${lookups.joins} WHERE ${all(where)})`;
}

/** One row more than the page has is read, to know whether another page follows. */
function keysetPage(plan: ListPlan, sort: Sort, found: MatchingRows, version: Fragment): Fragment {
  const table = kindTable(plan.schema, plan.kind);
  const keys = join(sort.keys.map(({ value }) => sql`${value}::text`));
  const item = unitJson(plan);
  const read = ({ where, order }: KeysetRange, number: Fragment, more?: Fragment) =>
    sql`
      SELECT
        ${number}row_number() OVER (ORDER BY ${orderBy(order)}) AS n,
        ARRAY[${keys}] AS keys,
        ${item} AS item
      FROM ${table} AS t${sort.joins}
      WHERE ${all([...found.where, where, more])}
      ORDER BY ${orderBy(order)}
      LIMIT ${limitSql(plan.limit, 1)}
    `;
  const [first, second] = keysetRanges(sort.keys, plan.cursor ?? []);
  const limit = limitSql(plan.limit);
  const before = sql`(SELECT count(*) FROM _first)`;
  // The second range is not read where the first one fills the page.
  const pages = second
    ? sql`
        _first AS (${read(first, EMPTY_SQL)}),
        _second AS (${read(second, sql`${before} + `, sql`${before} <= ${limit}`)}),
        page AS (SELECT * FROM _first UNION ALL SELECT * FROM _second)
      `
    : sql`page AS (${read(first, EMPTY_SQL)})`;
  const totals = {
    exact: countRows(plan, found),
    estimated: sql`(SELECT least(count(*), ${limit}) FROM page)`,
    none: sql`-1`,
  };
  const total = totals[plan.count];
  const items = boundedList(sql`item`, sql`page WHERE n <= ${limit} ORDER BY n`);
  return sql`
    WITH ${pages}
    SELECT
      ${version},
      ${total} AS count,
      ${items}::text AS items,
      (
        SELECT to_json(keys)::text
        FROM page
        WHERE n = ${limit} AND EXISTS (SELECT FROM page WHERE n > ${limit})
      ) AS last
  `;
}

/** The JSON of the row `t`. */
export function unitJson(plan: ReadPlan): Fragment {
  return sql`(
    SELECT ${recordJson(plan, sql`row_to_json(_r)`)}
    FROM (SELECT ${recordColumns(plan)}${referencedValues(plan, sql` FROM`)}) AS _r
  )`;
}

/**
 * One row `v, tag, body`, or none if there is no such unit. A plan with the version as an outer join would always return
 * a row, but takes a third longer (74 instead of 57 µs).
 */
export function getStatement(plan: ReadPlan, id: unknown): Statement {
  const bound = plan.access && boundRuleOf(plan.access);
  const more = plan.paths ?? plan.related ?? plan.snippets ?? plan.can ?? plan.also;
  if (more || (plan.access && !bound) || hasConditions(plan.fields))
    return render(getSql(plan, hasId(plan.kind, param(id))), true);
  const rule = bound ? ` ${identityOf(bound.rule)}` : '';
  const sqlWith = ([key]: readonly [Fragment]) => getSql({ ...plan, access: bound?.rule }, hasId(plan.kind, key));
  return fromTemplate(plan.fields, `get ${plan.schema}${rule}`, [id], sqlWith, bound?.memberId);
}

/** A row `v, id, tag, body` for each of the units with these keys that there are. */
export function getManyStatement(plan: ReadPlan, keys: readonly string[]): Statement {
  const { schema, kind } = plan;
  const where = all([hasKeyIn(kind, keys), ...rowConditions(schema, kind, [plan.access])]);
  return render(sql`
    SELECT ${modelVersion(schema)} AS v, u.id, u.tag, ${boundedInTotal(sql`u.body`)} AS body
    FROM (
      SELECT
        ${fieldJson(kind.keyField, 't')}::text AS id,
        ${VERSION_TAG} AS tag,
        ${recordJson(plan, sql`row_to_json(_r)`)}::text AS body
      FROM ${kindTable(schema, kind)} AS t${recordOf(plan)}
      WHERE ${where}
      OFFSET 0
    ) AS u
  `);
}

/** The same for the value of a unique parameter. */
export function getByStatement(plan: ReadPlan, field: Field, value: Stored): Statement {
  const test = predicateSql(
    { op: 'is', target: { field, keys: [] }, negated: false, value },
    { schema: plan.schema, row: 't' },
  );
  return render(getSql(plan, test), true);
}

function getSql(plan: ReadPlan, isUnit: Fragment): Fragment {
  const where = all([isUnit, ...rowConditions(plan.schema, plan.kind, [plan.access])]);
  // `OFFSET 0` keeps PostgreSQL from merging the subquery into the query, which would build the JSON twice.
  return sql`
    SELECT ${modelVersion(plan.schema)} AS v, u.tag, ${bounded(sql`u.body`)} AS body
    FROM (
      SELECT ${VERSION_TAG} AS tag, ${recordJson(plan, sql`row_to_json(_r)`)}::text AS body
      FROM ${kindTable(plan.schema, plan.kind)} AS t${recordOf(plan)}
      WHERE ${where}
      OFFSET 0
    ) AS u
  `;
}

/** Joins the record of the row `t` as the row `_r`. */
function recordOf(plan: ReadPlan): Fragment {
  return sql`${CROSS_JOIN_LATERAL} (SELECT ${recordColumns(plan)}${referencedValues(plan, sql` FROM`)}) AS _r`;
}

/** The planner's estimate of how many units match, in the answer of `EXPLAIN (FORMAT JSON)`. */
export function estimateStatement(plan: ListPlan): Statement {
  return render(sql`EXPLAIN (FORMAT JSON) ${selectMatching(plan)}`);
}

/** One row for each unit that a list counts. */
export function selectMatching(
  { schema, kind, access, filter }: Pick<ListPlan, 'schema' | 'kind' | 'access' | 'filter'>,
  few?: number,
): Fragment {
  const { where, lookups } = allMatchingRows(schema, kind, [access, filter], few);
  return sql`
    SELECT 1
    FROM ${kindTable(schema, kind)} AS t${lookups.joins}
    WHERE ${all(where)}
  `;
}
