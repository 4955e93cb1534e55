/**
 * Aggregations: one statement, in three steps. The units that the caller may read and that match are reduced to the
 * values that the aggregation needs (`r`), these are grouped (`_groups`), and the groups are filtered, ordered and
 * returned as units are in lists, as rows of `t`.
 */
import type { AggregateFunction, Period } from '../filter/aggregate.ast.js';
import type { Field, KindDef } from '../model/model.js';
import type { Predicate, Target } from '../model/predicate/predicate.js';
import { isSamePlanForAllValues } from './aggregate-values.sql.js';
import { boundedRows } from './answer-size.sql.js';
import { columnRef, columnType, fieldJson } from './columns.sql.js';
import { all, EMPTY_SQL, ident, integer, join, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { FORCE_CUSTOM_PLAN, modelVersion } from './model-version.sql.js';
import { orderBy, orderValue, sortSql, type OrderTerm } from './order.sql.js';
import { limitOffset, PREPARED_LIMITS } from './page.sql.js';
import { MAX_LOOKUPS_PER_KIND, matchingRows, predicateSql } from './predicate.sql.js';
import { columnAlias, withLongNames } from './record.sql.js';
import { rowValues } from './row-values.sql.js';
import { hasStoredCount } from './select.sql.js';
import { storedCount } from './count.sql.js';
import { kindTable } from './table.sql.js';
import { ageOf, firstOf } from './aggregate-age.sql.js';

/** What is made of the value of a unit before it is grouped; undefined for the value itself. */
export type Transform =
  | { readonly type: 'period'; readonly period: Period; readonly timezone: string }
  /** Numbers from a multiple of `size` on. */
  | { readonly type: 'bucket'; readonly size: string }
  /** The elements of a list, each once. */
  | { readonly type: 'each' };

/** A column of the answer. `field` describes its value as the answer has it. */
export type AggregateColumn = GroupColumn | ValueColumn;

interface Column {
  readonly name: string;
  /** Whether the values come from a hidden parameter, or from behind one. */
  readonly hidden: boolean;
  readonly field: Field;
  readonly input: InputType;
}

export interface GroupColumn extends Column {
  readonly role: 'group';
  readonly transform: Transform | undefined;
}

export interface ValueColumn extends Column {
  readonly role: 'value';
  readonly function: AggregateFunction;
  readonly filtered: boolean;
}

/** The type of the value of a unit that a column needs. */
export interface InputType {
  /** Undefined where units are counted. */
  readonly type: string | undefined;
  readonly array: boolean;
}

/** The part of an aggregation that reads one kind. */
export interface AggregateSource {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
  readonly filter: Predicate | undefined;
  /** By column. */
  readonly inputs: readonly AggregateInput[];
}

export interface AggregateInput {
  /** Undefined where units are counted, or where the kind lacks the parameter, so that the value is null. */
  readonly target: Target | undefined;
  /** The units that the function takes; undefined for all. */
  readonly condition: Predicate | undefined;
}

export interface AggregatePlan {
  readonly schema: string;
  readonly sources: readonly AggregateSource[];
  /** Those of groups come first. */
  readonly columns: readonly AggregateColumn[];
  /** Over the fields of the columns, as `order`. */
  readonly having: Predicate | undefined;
  readonly order: readonly OrderTerm[];
  readonly limit: number;
  readonly offset: number;
}

/** One row `v, count, items`: the number of groups, and those of the page. */
export function aggregateStatement(plan: AggregatePlan): Statement {
  const { schema, columns, having, limit, offset } = plan;
  const where = having ? sql` WHERE ${predicateSql(having, { schema, row: 't' })}` : EMPTY_SQL;
  const groups = sql`_matching AS MATERIALIZED (SELECT t.* FROM (${groupsSql(plan)}) AS t${where})`;
  const version = modelVersion(schema, isSamePlanForAllValues(plan) ? undefined : FORCE_CUSTOM_PLAN);
  const answer = sql`${version} AS v, (SELECT count(*) FROM _matching) AS count`;
  const prepare = PREPARED_LIMITS.has(limit);
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

/** By the terms of the request, and then by the groups, so that the order is total. */
function orderSql({ schema, columns, order }: AggregatePlan): Fragment {
  const groups = columns.flatMap(({ role, field }) => (role === 'group' ? [columnRef(field, 't')] : []));
  const { keys } = sortSql(schema, order);
  const terms = [...(keys.length > 0 ? [orderBy(keys)] : []), ...groups];
  return terms.length > 0 ? sql` ORDER BY ${join(terms)}` : EMPTY_SQL;
}

function groupsSql(plan: AggregatePlan): Fragment {
  const { schema, columns, sources } = plan;
  if (isStoredCount(plan)) {
    const total = join(
      sources.map(({ kind }) => storedCount(schema, kind)),
      ' + ',
    );
    return sql`SELECT ${join(columns.map(({ field }) => sql`(${total})::bigint AS ${ident(field.column ?? '')}`))}`;
  }
  const values = columns.map((column, at) => sql`${columnSql(column, at)} AS ${ident(column.field.column ?? '')}`);
  const keys = columns.flatMap(({ role }, at) => (role === 'group' ? [integer(at + 1)] : []));
  const rows =
    sources.length > 0
      ? join(
          sources.map((source) => sourceSql(plan, source)),
          ' UNION ALL ',
        )
      : noRows(plan);
  const groupBy = keys.length > 0 ? sql` GROUP BY ${join(keys)}` : EMPTY_SQL;
  return sql`SELECT ${join(values)} FROM (${rows}) AS r${groupBy}`;
}

/** Whether only units are counted, all of them, and their numbers are stored. */
export function isStoredCount({ sources, columns }: Pick<AggregatePlan, 'sources' | 'columns'>): boolean {
  const countsUnits = (column: AggregateColumn): boolean =>
    column.role === 'value' && column.function === 'count' && column.input.type === undefined && !column.filtered;
  return sources.length > 0 && sources.every(hasStoredCount) && columns.every(countsUnits);
}

function columnSql(column: AggregateColumn, at: number): Fragment {
  const value = sql`r.${valueName(at)}`;
  if (column.role === 'group') return value;
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

function inputType({ type = 'boolean', array }: InputType): Fragment {
  return columnType(type, array);
}

/** The units of a kind, reduced to the values that the columns need. */
function sourceSql(plan: AggregatePlan, source: AggregateSource): Fragment {
  const { schema, columns, sources } = plan;
  const { kind, access, filter, inputs } = source;
  const few = sources.length > 1 ? MAX_LOOKUPS_PER_KIND : undefined;
  const { where, lookups } = matchingRows(schema, kind, [access, filter], few);
  const wanted = inputs.flatMap(({ target }, at) => (target ? [{ target, at }] : []));
  const { values, joins } = rowValues(
    schema,
    wanted,
    ({ target }) => [target],
    ({ target, at }, rowOf) => inputValue(schema, columns[at], target, rowOf(target)),
    lookups,
  );
  const lists: Fragment[] = [];
  const selected = columns.flatMap((column, at) => {
    const found = values[wanted.findIndex((each) => each.at === at)];
    const own = found ? transformed(column, found, at, lists) : nullOf(column);
    const condition = inputs[at]?.condition;
    return [
      ...(column.input.type === undefined ? [] : [sql`${own} AS ${valueName(at)}`]),
      ...(condition ? [sql`${predicateSql(condition, { schema, row: 't' })} AS ${conditionName(at)}`] : []),
    ];
  });
  if (needsAge(columns)) selected.push(sql`${ageOf(kind, sources)} AS age`);
  return sql`
    SELECT ${join(selected)}
    FROM ${kindTable(schema, kind)} AS t${joins}${join(lists, '')}
    WHERE ${all(where)}
  `;
}

function needsAge(columns: readonly AggregateColumn[]): boolean {
  return columns.some((column) => column.role === 'value' && ['first', 'last'].includes(column.function));
}

/** The value of a unit. The first and the last one of JSON are JSON, all other functions take its text. */
function inputValue(schema: string, column: AggregateColumn | undefined, target: Target, row: string): Fragment {
  const { field, keys } = target;
  if (field.constant !== undefined) return sql`(${orderValue(schema, target, row)}) COLLATE "C"`;
  return keys.length > 0 && column?.input.type === 'jsonb'
    ? sql`${columnRef(field, row)} #> ${param(keys)}::text[]`
    : orderValue(schema, target, row);
}

/** @param lists receives the joins of lists */
function transformed(column: AggregateColumn, value: Fragment, at: number, lists: Fragment[]): Fragment {
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
