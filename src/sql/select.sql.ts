/** Reads: one statement each, whose JSON PostgreSQL builds. Every one tells the model's version, so that a stale model shows. */
import type { Field, KindDef } from '../model/model.js';
import type { Predicate, Target } from '../model/predicate.js';
import { column, columnType, selectList, VERSION_TAG } from './columns.sql.js';
import { all, EMPTY, ident, integer, join, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { predicateSql } from './predicate.sql.js';
import { fromTemplate } from './template.js';

/** The table with one row that holds the version of the project's model. */
export const MODEL_TABLE = '_model';

export interface OrderTerm {
  readonly target: Target;
  readonly descending: boolean;
}

export interface ReadPlan {
  readonly schema: string;
  readonly kind: KindDef;
  /** What the caller gets to see, in the order of the record. */
  readonly fields: readonly Field[];
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
  return sql`(SELECT "version" FROM ${ident(schema, MODEL_TABLE)}${where ? sql` WHERE ${where}` : EMPTY})`;
}

export function tableOf(schema: string, kind: KindDef): Fragment {
  return ident(schema, kind.table);
}

/** The rows of a kind that a predicate allows; kinds that share a table keep to their own rows. */
export function rowsOf(
  schema: string,
  kind: KindDef,
  predicates: readonly (Predicate | undefined)[],
  row = 't',
): Fragment[] {
  const conditions = predicates.flatMap((predicate) => (predicate ? [predicateSql(predicate, { schema, row })] : []));
  return kind.discriminated ? [sql`${ident(row, 'kind_id')} = ${param(kind.id)}`, ...conditions] : conditions;
}

/** One row `v, count, items`; with a cursor also `more` (whether a page follows) and `last` (its order values). */
export function listStatement(plan: ListPlan): Statement {
  const conditions = rowsOf(plan.schema, plan.kind, [plan.access, plan.filter]);
  const table = tableOf(plan.schema, plan.kind);
  const version = sql`${planFitsAll(plan) ? versionOf(plan.schema) : versionOf(plan.schema, PLANNED_FOR_ITS_VALUES)} AS v`;
  const prepare = COMMON_LIMITS.has(plan.limit);
  if (plan.cursor) return render(keysetPage(plan, table, conditions, version), prepare);
  const count = countOf(plan, table, conditions);
  if (plan.limit === 0) return render(sql`SELECT ${version}, ${count} AS count, '[]' AS items`, prepare);
  const offset = plan.offset > 0 ? sql` OFFSET ${param(plan.offset)}::bigint` : EMPTY;
  const page = sql`SELECT ${selectList(plan.fields)} FROM ${table} AS t WHERE ${all(conditions)} ORDER BY ${orderBy(plan.order)} LIMIT ${integer(plan.limit)}${offset}`;
  return render(
    sql`WITH _page AS (${page}) SELECT ${version}, ${count} AS count, ${items(sql`_page`)} AS items`,
    prepare,
  );
}

/** Whether the best plan is the same whatever the values are. */
function planFitsAll({ access, filter, cursor, offset }: ListPlan): boolean {
  return !access && !filter && !cursor?.length && offset === 0;
}

/**
 * From its sixth use on PostgreSQL may keep one plan for all values of a named statement, if that seems to cost no more
 * than planning anew: a rare value is then sought as if it were common, or a common one as if it were rare. This makes
 * such a plan cost more than any, and is gone from one that is made for its values (`true OR …`, folded before planning).
 * So the statement is parsed once and planned each time; there is a setting for that, `plan_cache_mode`, but it holds for
 * all statements of a connection, and a get by id is better off with one plan.
 */
const PLANNED_FOR_ITS_VALUES = sql`(${param(true)}::boolean OR (SELECT count(*) FROM generate_series(1, 1000000000)) IS NULL)`;

/** A limit is text of its statement, because the plan depends on it: these alone are prepared, so that few texts are. */
const COMMON_LIMITS: ReadonlySet<number> = new Set([0, 1, 10, 20, 25, 50, 100, 1000]);

/** `json_agg` of rows, as text; `[]` where there are none. Rows are named with a `_`, which no column of theirs begins with. */
function items(rows: Fragment): Fragment {
  return sql`(SELECT coalesce(json_agg(${rows}), '[]')::text FROM ${rows})`;
}

/** The total. A first page that is not full tells it without counting. */
function countOf({ count, limit, offset }: ListPlan, table: Fragment, conditions: readonly Fragment[]): Fragment {
  if (count !== 'exact') return sql`-1`;
  const total = sql`(SELECT count(*) FROM ${table} AS t WHERE ${all(conditions)})`;
  if (offset > 0 || limit === 0) return total;
  const onPage = sql`(SELECT count(*) FROM _page)`;
  return sql`CASE WHEN ${onPage} < ${integer(limit)} THEN ${onPage} ELSE ${total} END`;
}

export function orderBy(order: readonly OrderTerm[]): Fragment {
  return join(
    order.map(({ target, descending }) => (descending ? sql`${orderValue(target)} DESC` : orderValue(target))),
  );
}

function orderValue({ field, keys }: Target): Fragment {
  return keys.length === 0 ? column(field) : sql`(${column(field)} #>> ${param(keys)}::text[]) COLLATE "C"`;
}

/** One row more than the page is read, to know whether another page follows. */
function keysetPage(plan: ListPlan, table: Fragment, conditions: readonly Fragment[], version: Fragment): Fragment {
  const keys = join(plan.order.map(({ target }) => sql`${orderValue(target)}::text`));
  const item = sql`(SELECT row_to_json(_r) FROM (SELECT ${selectList(plan.fields)}) AS _r)`;
  const read = ({ where, order }: Stretch, number: Fragment, more?: Fragment) =>
    sql`SELECT ${number}row_number() OVER (ORDER BY ${orderBy(order)}) AS n, ARRAY[${keys}] AS keys, ${item} AS item FROM ${table} AS t WHERE ${all([...conditions, where, more])} ORDER BY ${orderBy(order)} LIMIT ${integer(plan.limit + 1)}`;
  const [first, second] = stretches(plan.order, plan.cursor ?? []);
  const limit = integer(plan.limit);
  const before = sql`(SELECT count(*) FROM _first)`;
  // The second stretch is not entered where the first one fills the page.
  const pages = second
    ? sql`_first AS (${read(first, EMPTY)}), _second AS (${read(second, sql`${before} + `, sql`${before} <= ${limit}`)}), page AS (SELECT * FROM _first UNION ALL SELECT * FROM _second)`
    : sql`page AS (${read(first, EMPTY)})`;
  const total = plan.count === 'exact' ? sql`(SELECT count(*) FROM ${table} AS t WHERE ${all(conditions)})` : sql`-1`;
  return sql`WITH ${pages} SELECT ${version}, ${total} AS count, (SELECT coalesce(json_agg(item ORDER BY n) FILTER (WHERE n <= ${limit}), '[]')::text FROM page) AS items, (SELECT to_json(keys)::text FROM page WHERE n = ${limit} AND EXISTS (SELECT FROM page WHERE n > ${limit})) AS last`;
}

/** Some of the rows that follow a cursor, and the order that they have among themselves. */
interface Stretch {
  readonly where: Fragment | undefined;
  readonly order: readonly OrderTerm[];
}

/**
 * The rows after a cursor, nulls last ascending and first descending. Those whose first order value is null and those
 * that have one are read apart, because no index is entered by both; among the first, the further terms decide.
 */
function stretches(order: readonly OrderTerm[], values: readonly (string | null)[]): [Stretch, Stretch?] {
  const [first, ...rest] = order;
  if (!first || values.length === 0) return [{ where: undefined, order }];
  const own = orderValue(first.target);
  if (values[0] === null) {
    const nulls = { where: all([sql`${own} IS NULL`, afterKeys(rest, values.slice(1))]), order: rest };
    return first.descending ? [nulls, { where: sql`${own} IS NOT NULL`, order }] : [nulls];
  }
  const present = { where: afterKeys(order, values, true), order };
  if (first.descending || !nullable(first)) return [present];
  return [present, { where: sql`${own} IS NULL`, order: rest }];
}

/**
 * The rows that come after given order values; with `present` only those that have a first one. The first term's bound
 * stands alone in front, so that an index on it is entered at the right place.
 */
function afterKeys(order: readonly OrderTerm[], values: readonly (string | null)[], present = false): Fragment {
  const steps = order.map((term, at) => {
    const equal = order.slice(0, at).map((before, i) => sameValue(before, values[i] ?? null));
    return sql`(${all([...equal, beyond(term, values[at] ?? null, present && at === 0)])})`;
  });
  const bound = order[0] && leadingBound(order[0], values[0] ?? null, present);
  return all([bound, sql`(${join(steps, ' OR ')})`]);
}

function keyParam({ target }: OrderTerm, value: string): Fragment {
  return sql`${param(value)}::${target.keys.length > 0 ? sql`text` : columnType(target.field.columnType)}`;
}

function sameValue(term: OrderTerm, value: string | null): Fragment {
  const own = orderValue(term.target);
  return value === null ? sql`${own} IS NULL` : sql`${own} = ${keyParam(term, value)}`;
}

function beyond(term: OrderTerm, value: string | null, present: boolean): Fragment {
  const own = orderValue(term.target);
  if (value === null) return term.descending ? sql`${own} IS NOT NULL` : sql`false`;
  if (term.descending) return sql`${own} < ${keyParam(term, value)}`;
  const next = sql`${own} > ${keyParam(term, value)}`;
  return nullable(term) && !present ? sql`(${next} OR ${own} IS NULL)` : next;
}

function leadingBound(term: OrderTerm, value: string | null, present: boolean): Fragment | undefined {
  if (value === null) return term.descending ? undefined : sql`${orderValue(term.target)} IS NULL`;
  if (term.descending) return sql`${orderValue(term.target)} <= ${keyParam(term, value)}`;
  return nullable(term) && !present ? undefined : sql`${orderValue(term.target)} >= ${keyParam(term, value)}`;
}

/** The key, whose parameter may be the last term, never is. */
function nullable({ target }: OrderTerm): boolean {
  return (target.field.def.nullable && target.field.column !== 'id') || target.keys.length > 0;
}

/** One row `v, tag, body`; `body` is null where there is no such unit. */
export function getStatement(plan: ReadPlan, id: unknown): Statement {
  if (plan.access) return render(getSql(plan, param(id)), true);
  return fromTemplate(plan.fields, `get ${plan.schema}`, [id], ([key]) => getSql(plan, key));
}

function getSql(plan: ReadPlan, id: Fragment): Fragment {
  const key = sql`${column(plan.kind.keyField)} = ${id}::${columnType(plan.kind.keyField.columnType)}`;
  const where = all([key, ...rowsOf(plan.schema, plan.kind, [plan.access])]);
  const unit = sql`SELECT ${VERSION_TAG} AS tag, (SELECT row_to_json(_r) FROM (SELECT ${selectList(plan.fields)}) AS _r)::text AS body FROM ${tableOf(plan.schema, plan.kind)} AS t WHERE ${where}`;
  return sql`SELECT m."version" AS v, u.tag, u.body FROM ${ident(plan.schema, MODEL_TABLE)} AS m LEFT JOIN LATERAL (${unit}) AS u ON true`;
}

/** The planner's guess of how many units match: `EXPLAIN (FORMAT JSON)` of the rows without their count. */
export function estimateStatement(plan: ListPlan): Statement {
  const where = all(rowsOf(plan.schema, plan.kind, [plan.access, plan.filter]));
  return render(sql`EXPLAIN (FORMAT JSON) SELECT 1 FROM ${tableOf(plan.schema, plan.kind)} AS t WHERE ${where}`);
}
