/** The rows of an aggregation: the units of each kind, reduced to the values that its columns need. */
import { segmentsOf } from '../../model/predicate/path.js';
import type { Target } from '../../model/predicate/predicate.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import { ageOf } from './aggregate-age.sql.js';
import { boundedTogether } from '../answer-size.sql.js';
import type { AggregateColumn, AggregatePlan, AggregateSource, InputType } from './aggregate-plan.js';
import { columnRef, columnType } from '../columns.sql.js';
import { all, ident, join, param, sql, type Fragment } from '../fragment.js';
import { orderValue } from '../list/order.sql.js';
import { MAX_LOOKUPS_PER_KIND, matchingRows, predicateSql } from '../condition/predicate.sql.js';
import { rowValues } from '../condition/row-values.sql.js';
import { kindTable } from '../table.sql.js';

/** The units of a kind, reduced to the values that the columns need. */
export function sourceSql(plan: AggregatePlan, source: AggregateSource): Fragment {
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
  const byColumn = columns.map((_, at) => values[wanted.findIndex((each) => each.at === at)]);
  const valueOf = withinLimit(columns, inputs, byColumn);
  const selected = columns.flatMap((column, at) => {
    const found = valueOf(at);
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
  const first = large.find(({ column }) => column.role === 'value' || !column.transform);
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

export function inputType({ type = 'boolean', array }: InputType): Fragment {
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
export function noRows({ columns }: AggregatePlan): Fragment {
  const selected = columns.flatMap((column, at) => [
    sql`${nullOf(column)} AS ${valueName(at)}`,
    sql`false AS ${conditionName(at)}`,
  ]);
  return sql`SELECT ${join([...selected, sql`'' AS age`])} WHERE false`;
}

export function valueName(at: number): Fragment {
  return ident(`v${at}`);
}

export function conditionName(at: number): Fragment {
  return ident(`f${at}`);
}
