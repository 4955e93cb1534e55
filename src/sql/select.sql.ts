/** Reads: one statement each, whose JSON PostgreSQL builds. Every one tells the model's version, so that a stale model shows. */
import type { Field, KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { bounded, boundedList, boundedRows } from './bounded.sql.js';
import { VERSION_TAG } from './columns.sql.js';
import { all, EMPTY_SQL, ident, integer, join, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { keysetRanges, type KeysetRange } from './keyset.sql.js';
import { orderBy, sortSql, type OrderTerm, type Sort } from './order.sql.js';
import { matchingRows, rowConditions, type MatchingRows } from './predicate.sql.js';
import { recordColumns, withLongNames, referencedValues, CROSS_JOIN_LATERAL, type ShownPath } from './record.sql.js';
import { hasId, kindTable } from './table.sql.js';
import { fromTemplate } from './template.js';

export type { OrderTerm, ShownPath };

/** The table with one row that holds the version of the project's model. */
export const MODEL_TABLE = '_model';

export interface ReadPlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** What the caller gets to see, in the order of the record. */
  readonly fields: readonly Field[];
  /** What it asked for beside these, by dotted paths. */
  readonly paths?: readonly ShownPath[];
  /** What is shown beside both, as a column of the row `t`: the units that it is linked with. */
  readonly also?: Fragment;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
}

export interface ListPlan extends ReadPlan {
  readonly filter: Predicate | undefined;
  /** Total: the last term is the id. */
  readonly order: readonly OrderTerm[];
  readonly limit: number;
  readonly offset: number;
  readonly count: 'exact' | 'none' | 'estimated';
  /** Keyset pagination: the order values of the last unit of the page before; empty on the first page. */
  readonly cursor: readonly (string | null)[] | undefined;
}

export function versionOf(schema: string, where?: Fragment): Fragment {
  return sql`(SELECT "version" FROM ${ident(schema, MODEL_TABLE)}${where ? sql` WHERE ${where}` : EMPTY_SQL})`;
}

/** One row `v, count, items`; with a cursor also `more` (whether a page follows) and `last` (its order values). */
export function listStatement(plan: ListPlan): Statement {
  const found = matchingRows(plan.schema, plan.kind, [plan.access, plan.filter]);
  const table = kindTable(plan.schema, plan.kind);
  const version = sql`${versionOf(plan.schema, isSamePlanForAllValues(plan) ? undefined : FORCE_CUSTOM_PLAN)} AS v`;
  const prepare = PREPARED_LIMITS.has(plan.limit);
  const sort = sortSql(plan.schema, plan.order, found.lookups);
  if (plan.cursor) return render(keysetPage(plan, sort, found, version), prepare);
  const count = listCount(plan, found);
  if (plan.limit === 0) return render(sql`SELECT ${version}, ${count} AS count, '[]' AS items`, prepare);
  const offset = plan.offset > 0 ? sql` OFFSET ${param(plan.offset)}::bigint` : EMPTY_SQL;
  const rows = sql`
    FROM ${table} AS t${sort.joins}
    WHERE ${all(found.where)}
    ORDER BY ${orderBy(sort.keys)}
    LIMIT ${integer(plan.limit)}${offset}
  `;
  const page = sql`
    SELECT ${recordColumns(plan)}
    FROM ${pageRows(plan.kind, rows)}${referencedValues(plan, CROSS_JOIN_LATERAL)}
  `;
  const items = boundedRows((row) => withLongNames(plan, row), sql`_page`);
  return render(sql`WITH _page AS (${page}) SELECT ${version}, ${count} AS count, ${items} AS items`, prepare);
}

/**
 * The rows of a page as `t`. PostgreSQL works out what is selected before it sorts; where no index gives the order that
 * would be the JSON of all rows that match, so the page is cut from the bare columns (measured with 135,000 units by a
 * parameter without an index: 111 ms, so 14). Nor are links loaded for the rows before it.
 */
function pageRows(kind: KindDef, rows: Fragment): Fragment {
  return sql`(SELECT ${storedColumns(kind)} ${rows}) AS t`;
}

function storedColumns({ fields }: KindDef): Fragment {
  const stored = [...fields.values()].filter((field) => field.column !== undefined);
  return join([...new Set(stored.map((field) => field.column ?? ''))].map((name) => ident('t', name)));
}

/** Whether the best plan is the same whatever the values are. */
function isSamePlanForAllValues({ access, filter, cursor, offset, order }: ListPlan): boolean {
  if (access || filter || cursor?.length || offset > 0) return false;
  return order.every(({ target }) => target.through?.every((step) => !step.access) ?? true);
}

/**
 * From its sixth use on PostgreSQL may keep one plan for all values of a named statement, if that seems to cost no more
 * than planning anew: a rare value is then sought as if it were common, or a common one as if it were rare. This makes
 * such a plan cost more than any, and is gone from one that is made for its values (`true OR …`, folded before planning).
 * So the statement is parsed once and planned each time; there is a setting for that, `plan_cache_mode`, but it holds for
 * all statements of a connection, and a get by id is better off with one plan.
 */
const FORCE_CUSTOM_PLAN = sql`(
  ${param(true)}::boolean
  OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL
)`;

/** A limit is text of its statement, because the plan depends on it: these alone are prepared, so that few texts are. */
export const PREPARED_LIMITS: ReadonlySet<number> = new Set([0, 1, 10, 20, 25, 50, 100, 1000]);

/** The total; for an estimate how many the page has. A first page that is not full tells the total without counting. */
function listCount(plan: ListPlan, found: MatchingRows): Fragment {
  const { count, limit } = plan;
  if (count === 'none') return sql`-1`;
  if (count === 'estimated') return limit === 0 ? sql`0` : sql`(SELECT count(*) FROM _page)`;
  return totalCount(plan, countRows(plan, found));
}

/** How many rows there are. */
export function countRows(
  { schema, kind }: Pick<ReadPlan, 'schema' | 'kind'>,
  { where, lookups }: MatchingRows,
): Fragment {
  return sql`(SELECT count(*) FROM ${kindTable(schema, kind)} AS t${lookups.joins} WHERE ${all(where)})`;
}

/** The total that `counted` works out; a first page, `_page`, that is not full tells it without counting. */
export function totalCount({ limit, offset }: Pick<ListPlan, 'limit' | 'offset'>, counted: Fragment): Fragment {
  if (offset > 0 || limit === 0) return counted;
  const onPage = sql`(SELECT count(*) FROM _page)`;
  return sql`CASE WHEN ${onPage} < ${integer(limit)} THEN ${onPage} ELSE ${counted} END`;
}

/** One row more than the page is read, to know whether another page follows. */
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
      LIMIT ${integer(plan.limit + 1)}
    `;
  const [first, second] = keysetRanges(sort.keys, plan.cursor ?? []);
  const limit = integer(plan.limit);
  const before = sql`(SELECT count(*) FROM _first)`;
  // The second stretch is not entered where the first one fills the page.
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
    SELECT ${withLongNames(plan, sql`row_to_json(_r)`)}
    FROM (SELECT ${recordColumns(plan)}${referencedValues(plan, sql` FROM`)}) AS _r
  )`;
}

/** One row `v, tag, body`; `body` is null where there is no such unit. */
export function getStatement(plan: ReadPlan, id: unknown): Statement {
  if (plan.access || plan.paths || plan.also) return render(getSql(plan, param(id)), true);
  return fromTemplate(plan.fields, `get ${plan.schema}`, [id], ([key]) => getSql(plan, key));
}

function getSql(plan: ReadPlan, id: Fragment): Fragment {
  const where = all([hasId(plan.kind, id), ...rowConditions(plan.schema, plan.kind, [plan.access])]);
  const unit = sql`
    SELECT ${VERSION_TAG} AS tag, ${unitJson(plan)}::text AS body
    FROM ${kindTable(plan.schema, plan.kind)} AS t
    WHERE ${where}
  `;
  return sql`
    SELECT m."version" AS v, u.tag, ${bounded(sql`u.body`)} AS body
    FROM ${ident(plan.schema, MODEL_TABLE)} AS m
    LEFT JOIN LATERAL (${unit}) AS u ON true
  `;
}

/** The planner's guess of how many units match: `EXPLAIN (FORMAT JSON)` of the rows without their count. */
export function estimateStatement(plan: ListPlan): Statement {
  return render(sql`EXPLAIN (FORMAT JSON) ${selectMatching(plan)}`);
}

/** A row of nothing for every unit that a list is of. */
export function selectMatching(
  { schema, kind, access, filter }: Pick<ListPlan, 'schema' | 'kind' | 'access' | 'filter'>,
  few?: number,
): Fragment {
  const { where, lookups } = matchingRows(schema, kind, [access, filter], few);
  return sql`
    SELECT 1
    FROM ${kindTable(schema, kind)} AS t${lookups.joins}
    WHERE ${all(where)}
  `;
}
