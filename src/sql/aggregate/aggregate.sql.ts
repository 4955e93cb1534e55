/**
 * Aggregations: one statement, in three steps. The units that the caller may read and that match are reduced to the
 * values that the aggregation needs (`r`), these are grouped (`_groups`), and the groups are filtered, ordered and
 * returned as units are in lists, as rows of `t`.
 */
import type { Field, KindDef } from '../../model/model.js';
import { segmentsOf } from '../../model/predicate/path.js';
import { hasValues, sourcesOf, targetHasValues, type Target } from '../../model/predicate/predicate.js';
import { getOrInsert } from '../../shared/maps.js';
import { LIMITS } from '../../shared/limits.js';
import { boundedRows, boundedTogether } from '../answer-size.sql.js';
import { columnRef, columnType, fieldJson } from '../columns.sql.js';
import { allMatchingRows, MAX_LOOKUPS_PER_KIND, predicateSql } from '../condition/predicate.sql.js';
import { expressionSql } from '../condition/expression.sql.js';
import { rowValues, type RowOf } from '../condition/row-values.sql.js';
import { foldedText } from '../condition/search.sql.js';
import { storedCount } from '../count.sql.js';
import {
  all,
  EMPTY_SQL,
  type Fragment,
  ident,
  integer,
  join,
  param,
  render,
  sql,
  type Statement,
} from '../fragment.js';
import { idText } from '../list/mixed-units.sql.js';
import { orderBy, orderValue, sortSql } from '../list/order.sql.js';
import { COMMON_LIMITS, limitOffset } from '../list/page.sql.js';
import { columnAlias, withLongNames } from '../list/record.sql.js';
import { hasStoredCount } from '../list/select.sql.js';
import { FORCE_CUSTOM_PLAN, modelVersion } from '../model-version.sql.js';
import { kindTable } from '../table.sql.js';
import type {
  AggregateColumn,
  AggregatePlan,
  AggregateSource,
  GroupColumn,
  InputType,
  ValueColumn,
} from './aggregate-plan.js';

/** One row `v, count, items`: the number of groups, and those of the page. */
export function aggregateStatement(plan: AggregatePlan): Statement {
  const { schema, columns, having, limit, offset } = plan;
  const where = having ? sql` WHERE ${predicateSql(having, { schema, row: 't' })}` : EMPTY_SQL;
  const groups = sql`_matching AS MATERIALIZED (SELECT t.* FROM (${withComputed(plan)}) AS t${where})`;
  const version = modelVersion(schema, isSamePlanForAllValues(plan) ? undefined : FORCE_CUSTOM_PLAN);
  const answer = sql`${version} AS v, (SELECT count(*) FROM _matching) AS count`;
  const prepare = COMMON_LIMITS.has(limit);
  if (limit === 0) return render(sql`WITH ${groups} SELECT ${answer}, '[]' AS items`, prepare);
  const shown = columns.map(({ name, field }, at) => sql`${fieldJson(field, 't')} AS ${ident(columnAlias(name, at))}`);
  const page = sql`SELECT t.* FROM _matching AS t${orderSql(plan)} ${limitOffset(limit, offset)}`;
  const items = boundedRows((row) => withLongNames({ paths: columns }, row), sql`_page`);
  return render(
    sql`
      WITH
        ${groups},
        _page AS (SELECT ${join(shown)} FROM (${page}) AS t)
      SELECT ${answer}, ${items} AS items
    `,
    prepare,
  );
}

/** Whether the best query plan does not depend on the values. */
function isSamePlanForAllValues({ sources, having, offset }: AggregatePlan): boolean {
  if (hasValues(having) || offset > 0) return false;
  return sources.every(({ access, filter, inputs }) => {
    if (hasValues(access) || hasValues(filter)) return false;
    return inputs.every(({ target, condition }) => !hasValues(condition) && !(target && targetHasValues(target)));
  });
}

/** By the terms of the request, and then by the groups, so that the order is total. */
function orderSql({ schema, columns, order }: AggregatePlan): Fragment {
  const groups = columns.flatMap(({ role, field }) => (role === 'group' ? [columnRef(field, 't')] : []));
  const { keys } = sortSql(schema, order);
  const terms = [...(keys.length > 0 ? [orderBy(keys)] : []), ...groups];
  return terms.length > 0 ? sql` ORDER BY ${join(terms)}` : EMPTY_SQL;
}

/**
 * The groups with the columns that are computed of others. Each is a subquery, which `OFFSET 0` keeps from being merged: a
 * column that is computed of computed ones would have all their expressions in it.
 */
function withComputed(plan: AggregatePlan): Fragment {
  const computed = plan.columns.filter((column) => column.role === 'computed');
  if (computed.length === 0) return groupsSql(plan);
  const laterals = computed.map(({ target, field }, at) => {
    const value = expressionSql(target, (source) => nameOf(source.field));
    return sql` CROSS JOIN LATERAL (SELECT ${value} AS ${nameOf(field)} OFFSET 0) AS ${ident(`_c${at}`)}`;
  });
  return sql`SELECT * FROM (${groupsSql(plan)}) AS t${join(laterals, '')}`;
}

/** The column of a group. */
function nameOf({ column }: Field): Fragment {
  return ident(column ?? '');
}

function groupsSql(plan: AggregatePlan): Fragment {
  const { schema, columns, sources } = plan;
  const ofUnits = columns.flatMap((column, at) => (column.role === 'computed' ? [] : [{ column, at }]));
  if (isStoredCount(plan)) {
    const total = join(
      sources.map(({ kind }) => storedCount(schema, kind)),
      ' + ',
    );
    return sql`SELECT ${join(ofUnits.map(({ column }) => sql`(${total})::bigint AS ${nameOf(column.field)}`))}`;
  }
  const values = ofUnits.map(({ column, at }) => sql`${columnSql(column, at, plan)} AS ${nameOf(column.field)}`);
  const keys = columns.flatMap(({ role }, at) => (role === 'group' ? [integer(at + 1)] : []));
  const rows =
    sources.length > 0
      ? join(
          sources.map((source) => sourceSql(plan, source)),
          ' UNION ALL ',
        )
      : noRows(plan);
  const from = makesPairs(plan) ? sql`(SELECT r.*, row_number() OVER () AS n FROM (${rows}) AS r)` : sql`(${rows})`;
  // Without a function, all units are one group too.
  const together = values.length > 0 ? EMPTY_SQL : sql` GROUP BY ()`;
  const groupBy = keys.length > 0 ? sql` GROUP BY ${join(keys)}` : together;
  return sql`SELECT ${join(values)} FROM ${from} AS r${groupBy}`;
}

/** Whether only units are counted, all of them, and their numbers are stored. */
export function isStoredCount({ sources, columns }: Pick<AggregatePlan, 'sources' | 'columns'>): boolean {
  const countsUnits = (column: AggregateColumn): boolean =>
    column.role === 'computed' ||
    (column.role === 'value' && column.function === 'count' && column.input.type === undefined && !column.filtered);
  return sources.length > 0 && sources.every(hasStoredCount) && columns.every(countsUnits);
}

/** A text that fails, as `sqlstate.ts` recognises. Its number comes from a query, so that the planner cannot evaluate it. */
const FAIL_TOO_MANY = sql`(1 / (SELECT 0))::text`;

/** Whether lists of a unit are taken apart together. */
function makesPairs({ columns }: Pick<AggregatePlan, 'columns'>): boolean {
  return columns.filter(isOfEach).length > 1;
}

function isOfEach(column: AggregateColumn): boolean {
  return column.role === 'group' && column.transform?.type === 'each';
}

function columnSql(column: GroupColumn | ValueColumn, at: number, plan: AggregatePlan): Fragment {
  const value = sql`r.${valueName(at)}`;
  if (column.role === 'group') {
    if (column !== plan.columns.find(isOfEach) || !makesPairs(plan)) return value;
    const type = columnType(column.field.columnType);
    return sql`CASE WHEN r.n > ${integer(LIMITS.eachPairs)} THEN ${FAIL_TOO_MANY}::${type} ELSE ${value} END`;
  }
  const filter = column.filtered ? sql` FILTER (WHERE r.${conditionName(at)})` : EMPTY_SQL;
  switch (column.function) {
    case 'count':
      return column.input.type === undefined ? sql`count(*)${filter}` : sql`count(${value})${filter}`;
    case 'count_distinct':
      return sql`count(DISTINCT ${value})${filter}`;
    case 'sum':
      return sql`sum(${value})${filter}`;
    case 'avg':
      return column.input.type === 'double precision' ? floatAverage(value, filter) : sql`avg(${value})${filter}`;
    case 'min':
    case 'max':
      return extremeSql(column.function, column.input, value, filter);
    case 'first':
    case 'last':
      return firstOf(column.function, { value, type: inputType(column.input), filter });
  }
}

/**
 * PostgreSQL's average of floats fails where the squares of the values are too large, and a division where its result
 * is too small.
 */
function floatAverage(value: Fragment, filter: Fragment): Fragment {
  const [total, number] = [sql`sum(${value})${filter}`, sql`nullif(count(${value})${filter}, 0)`];
  const smallest = sql`5e-324::double precision`;
  return sql`CASE WHEN abs(${total}) < ${smallest} * ${number} THEN 0 ELSE ${total} / ${number} END`;
}

/** Types without `min` and `max` in all supported versions of PostgreSQL are compared in a form of the same order. */
const COMPARED_AS: ReadonlyMap<string | undefined, Fragment> = new Map([
  ['uuid', sql`text COLLATE "C"`],
  ['boolean', sql`integer`],
]);

function extremeSql(called: 'min' | 'max', input: InputType, value: Fragment, filter: Fragment): Fragment {
  const form = COMPARED_AS.get(input.type);
  const compared = form ? sql`${value}::${form}` : value;
  const found = called === 'min' ? sql`min(${compared})${filter}` : sql`max(${compared})${filter}`;
  return form ? sql`(${found})::${inputType(input)}` : found;
}

/** The units of a kind, reduced to the values that the columns need. */
function sourceSql(plan: AggregatePlan, source: AggregateSource): Fragment {
  const { schema, columns, sources } = plan;
  const { kind, access, filter, inputs } = source;
  const few = sources.length > 1 ? MAX_LOOKUPS_PER_KIND : undefined;
  const { where, lookups } = allMatchingRows(schema, kind, [access, filter], few);
  const wanted = inputs.flatMap(({ target }, at) => (target ? [{ target, at }] : []));
  const { values, joins } = rowValues(
    schema,
    wanted,
    ({ target }) => sourcesOf(target),
    ({ target, at }, rowOf) => inputValue(schema, columns[at], target, rowOf),
    lookups,
  );
  const lists: Fragment[] = [];
  const byColumn = columns.map((_, at) => values[wanted.findIndex((each) => each.at === at)]);
  const valueOf = withinLimit(columns, inputs, byColumn);
  const selected = columns.flatMap((column, at) => {
    const found = valueOf(at);
    const own = found ? transformed(column, found, { at, lists, schema }) : nullOf(column);
    const condition = inputs[at]?.condition;
    return [
      ...(column.input.type === undefined ? [] : [sql`${own} AS ${valueName(at)}`]),
      ...(condition ? [sql`${predicateSql(condition, { schema, row: 't' })} AS ${conditionName(at)}`] : []),
    ];
  });
  if (needsAge(columns)) selected.push(sql`${ageOf(kind, sources)} AS age`);
  return sql`
    SELECT ${selected.length > 0 ? join(selected) : sql`1`}
    FROM ${kindTable(schema, kind)} AS t${joins}${join(lists, '')}
    WHERE ${all(where)}
  `;
}

/** Types whose values can be large. */
const LARGE_TYPES: readonly (string | undefined)[] = ['text', 'jsonb', 'bytea'];
/** So many large values of a unit take little memory, also where PostgreSQL copies each of them several times. */
const FEW_LARGE_VALUES = 4;

/**
 * The values of a unit. Where many of them can be large, they are within the limit of an answer together: a query could
 * name one value in all its functions, and PostgreSQL would have many copies of it in memory.
 */
function withinLimit(
  columns: readonly AggregateColumn[],
  inputs: AggregateSource['inputs'],
  values: readonly (Fragment | undefined)[],
): (at: number) => Fragment | undefined {
  const large = columns.flatMap((column, at) => {
    const value = values[at];
    const target = inputs[at]?.target;
    const { type, array } = column.input;
    return value && target && (array || LARGE_TYPES.includes(type)) ? [{ column, at, value, target }] : [];
  });
  const first = large.find(({ column }) => column.role !== 'group' || !column.transform);
  if (!first || large.length <= FEW_LARGE_VALUES) return (at) => values[at];
  const texts = new Map<string, { readonly text: Fragment; times: number }>();
  for (const { column, value, target } of large) {
    const { type, array } = column.input;
    const text = type === 'text' && !array ? value : sql`(${value})::text`;
    getOrInsert(texts, JSON.stringify(segmentsOf(target)), () => ({ text, times: 0 })).times += 1;
  }
  const bounded = boundedTogether(first.value, inputType(first.column.input), [...texts.values()]);
  return (at) => (at === first.at ? bounded : values[at]);
}

function needsAge(columns: readonly AggregateColumn[]): boolean {
  return columns.some((column) => column.role === 'value' && ['first', 'last'].includes(column.function));
}

/** The value of a unit. The first and the last one of JSON are JSON, all other functions take its text. */
function inputValue(schema: string, column: AggregateColumn | undefined, target: Target, rowOf: RowOf): Fragment {
  if (target.computed) return expressionSql(target, (source) => orderValue(schema, source, rowOf(source)));
  const { field, keys } = target;
  const row = rowOf(target);
  if (field.constant !== undefined) return sql`(${orderValue(schema, target, row)}) COLLATE "C"`;
  return keys.length > 0 && column?.input.type === 'jsonb'
    ? sql`${columnRef(field, row)} #> ${param(keys)}::text[]`
    : orderValue(schema, target, row);
}

interface TransformScope {
  readonly at: number;
  readonly schema: string;
  /** Receives the joins of lists. */
  readonly lists: Fragment[];
}

function transformed(column: AggregateColumn, value: Fragment, { at, lists, schema }: TransformScope): Fragment {
  const transform = column.role === 'group' ? column.transform : undefined;
  switch (transform?.type) {
    case undefined:
      return value;
    case 'each': {
      const list = ident(`_each${at}`);
      const elements = sql`SELECT DISTINCT _e.item FROM unnest(${value}) AS _e(item)`;
      lists.push(sql` LEFT JOIN LATERAL (${elements}) AS ${list} ON true`);
      return sql`${list}.item`;
    }
    case 'lower':
      return sql`${foldedText(value, schema)} COLLATE "C"`;
    case 'period':
      return column.input.type === 'date'
        ? sql`date_trunc(${param(transform.period)}, ${value}::timestamp)::date`
        : sql`date_trunc(${param(transform.period)}, ${value}, ${param(transform.timezone)})`;
    case 'bucket': {
      const size = sql`${param(transform.size)}::numeric`;
      // By remainders, because a quotient would be rounded.
      const number = sql`${value}::numeric`;
      return sql`(${number} - mod(mod(${number}, ${size}) + ${size}, ${size}))::${resultType(column)}`;
    }
  }
}

function inputType({ type = 'boolean', array }: InputType): Fragment {
  return columnType(type, array);
}

/** Texts of all kinds need one collation. */
function nullOf(column: AggregateColumn): Fragment {
  const type = resultType(column);
  return column.input.type === 'text' ? sql`NULL::${type} COLLATE "C"` : sql`NULL::${type}`;
}

/** The type of the column `valueName`. */
function resultType(column: AggregateColumn): Fragment {
  if (column.role === 'group' && column.transform) return columnType(column.field.columnType);
  return inputType(column.input);
}

/** A query without rows, with the columns of the others. */
function noRows({ columns }: AggregatePlan): Fragment {
  const selected = columns.flatMap((column, at) => [
    sql`${nullOf(column)} AS ${valueName(at)}`,
    sql`false AS ${conditionName(at)}`,
  ]);
  return sql`SELECT ${join([...selected, sql`'' AS age`])} WHERE false`;
}

function valueName(at: number): Fragment {
  return ident(`v${at}`);
}

function conditionName(at: number): Fragment {
  return ident(`f${at}`);
}

/** Ends the age. It is the smallest character, so that of two ids that begin alike the shorter one comes first. */
const END = sql`chr(1)`;

/**
 * The age of the row `t` as a text, ordered as lists are by default: by the id where all kinds have generated ids, else
 * by `inserted_at` and id.
 */
function ageOf(kind: KindDef, sources: readonly { readonly kind: KindDef }[]): Fragment {
  const id = sql`translate(${idText(kind)}, ${END}, chr(2)) || ${END}`;
  if (sources.every((source) => source.kind.key === 'uuid')) return id;
  return sql`to_char(t."inserted_at" AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || ${id}`;
}

interface FirstValue {
  readonly value: Fragment;
  readonly type: Fragment;
  readonly filter: Fragment;
}

/** The value of the first or last row of `r` by its age; null too. */
function firstOf(called: 'first' | 'last', { value, type, filter }: FirstValue): Fragment {
  const text = sql`(r.age || CASE WHEN ${value} IS NULL THEN '-' ELSE '+' || ${value}::text END) COLLATE "C"`;
  const found = called === 'first' ? sql`min(${text})${filter}` : sql`max(${text})${filter}`;
  const at = sql`strpos(${found}, ${END})`;
  const present = sql`substr(${found}, ${at} + 1, 1) = '+'`;
  return sql`CASE WHEN ${present} THEN substr(${found}, ${at} + 2)::${type} END`;
}
