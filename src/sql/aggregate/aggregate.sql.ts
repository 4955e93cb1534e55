/**
 * Aggregations: one statement, in three steps. The units that the caller may read and that match are reduced to the
 * values that the aggregation needs (`r`), these are grouped (`_groups`), and the groups are filtered, ordered and
 * returned as units are in lists, as rows of `t`.
 */
import { hasValues, targetHasValues } from '../../model/predicate/predicate-values.js';
import { firstOf } from './aggregate-age.sql.js';
import type { AggregateColumn, AggregatePlan, InputType } from './aggregate-plan.js';
import { conditionName, inputType, noRows, sourceSql, valueName } from './aggregate-source.sql.js';
import { boundedRows } from '../answer-size.sql.js';
import { LIMITS } from '../../shared/limits.js';
import { columnRef, columnType, fieldJson } from '../columns.sql.js';
import { storedCount } from '../count.sql.js';
import { EMPTY_SQL, ident, integer, join, render, sql, type Fragment, type Statement } from '../fragment.js';
import { FORCE_CUSTOM_PLAN, modelVersion } from '../model-version.sql.js';
import { orderBy, sortSql } from '../list/order.sql.js';
import { limitOffset, COMMON_LIMITS } from '../list/page.sql.js';
import { predicateSql } from '../condition/predicate.sql.js';
import { columnAlias, withLongNames } from '../list/record.sql.js';
import { hasStoredCount } from '../list/select.sql.js';

/** One row `v, count, items`: the number of groups, and those of the page. */
export function aggregateStatement(plan: AggregatePlan): Statement {
  const { schema, columns, having, limit, offset } = plan;
  const where = having ? sql` WHERE ${predicateSql(having, { schema, row: 't' })}` : EMPTY_SQL;
  const groups = sql`_matching AS MATERIALIZED (SELECT t.* FROM (${groupsSql(plan)}) AS t${where})`;
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

function groupsSql(plan: AggregatePlan): Fragment {
  const { schema, columns, sources } = plan;
  if (isStoredCount(plan)) {
    const total = join(
      sources.map(({ kind }) => storedCount(schema, kind)),
      ' + ',
    );
    return sql`SELECT ${join(columns.map(({ field }) => sql`(${total})::bigint AS ${ident(field.column ?? '')}`))}`;
  }
  const values = columns.map(
    (column, at) => sql`${columnSql(column, at, plan)} AS ${ident(column.field.column ?? '')}`,
  );
  const keys = columns.flatMap(({ role }, at) => (role === 'group' ? [integer(at + 1)] : []));
  const rows =
    sources.length > 0
      ? join(
          sources.map((source) => sourceSql(plan, source)),
          ' UNION ALL ',
        )
      : noRows(plan);
  const from = makesPairs(plan) ? sql`(SELECT r.*, row_number() OVER () AS n FROM (${rows}) AS r)` : sql`(${rows})`;
  const groupBy = keys.length > 0 ? sql` GROUP BY ${join(keys)}` : EMPTY_SQL;
  return sql`SELECT ${join(values)} FROM ${from} AS r${groupBy}`;
}

/** Whether only units are counted, all of them, and their numbers are stored. */
export function isStoredCount({ sources, columns }: Pick<AggregatePlan, 'sources' | 'columns'>): boolean {
  const countsUnits = (column: AggregateColumn): boolean =>
    column.role === 'value' && column.function === 'count' && column.input.type === undefined && !column.filtered;
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

function columnSql(column: AggregateColumn, at: number, plan: AggregatePlan): Fragment {
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
