/** Columns: their types, and the expressions that turn them into JSON. */
import type { Field } from '../model/model.js';
import type { ColumnType, JsonForm } from '../model/parameter-type/parameter-type.js';
import type { ColumnShape } from '../model/table/shape.js';
import type { Json } from '../shared/json.js';
import { flatten, type Fragment, ident, integer, join, literal, param, sql, sqlType } from './fragment.js';

/** Each is created once, because every field of a type has the same. */
const columnTypes = new Map<ColumnType, Fragment>();

export function columnType(type: ColumnType, array = false): Fragment {
  const name = columnTypes.get(type) ?? sqlType(type);
  columnTypes.set(type, name);
  return array ? sql`${name}[]` : name;
}

export function fieldType(field: Field): Fragment {
  return columnType(field.columnType, field.def.multiple);
}

/** The row of a constraint, whose columns have no table before them: Citus gives the table another name on its servers. */
export const ROW_OF_CONSTRAINT = '';

/** The column of a field in a row; `row` is the alias of its table. */
export function columnRef(field: Field, row = 't'): Fragment {
  const { id, column: name, shownWhere } = field;
  if (shownWhere === 'nowhere') return sql`NULL::${fieldType(field)}`;
  const value = row === ROW_OF_CONSTRAINT ? ident(name ?? id) : ident(row, name ?? id);
  if (!shownWhere) return value;
  const [flag, level] = [columnRef(shownWhere.flag, row), columnRef(shownWhere.level, row)];
  const isAmong = sql`(${level} IS NULL OR ${level} IN (${join(shownWhere.among.map(literal))}))`;
  return sql`CASE WHEN NOT ${flag} AND ${isAmong} THEN ${value} END`;
}

/** The row `_n` of these fields with other values. */
export function rowOf(fields: readonly Field[], valueOf: (field: Field) => Fragment): Fragment {
  // Two fields may share a column: `id` and the natural key.
  const byColumn = new Map(fields.map((field) => [field.column ?? field.id, field]));
  return sql`(SELECT ${join([...byColumn].map(([name, field]) => sql`${valueOf(field)} AS ${ident(name)}`))}) AS _n`;
}

const JSON_FORMS: Readonly<Record<Exclude<JsonForm, 'native'>, (value: Fragment) => Fragment>> = {
  text: (value) => sql`${value}::text`,
  decimal: (value) => sql`trim_scale(${value})::text`,
  timestamp: utcText,
  // A string where a JSON parser could lose digits.
  safe_integer: (value) => sql`
    CASE
      WHEN ${value} BETWEEN ${integer(Number.MIN_SAFE_INTEGER)} AND ${integer(Number.MAX_SAFE_INTEGER)}
        THEN to_json(${value})
      ELSE to_json(${value}::text)
    END
  `,
  text_or_list: (value) => sql`CASE WHEN ${value} LIKE '[%' THEN ${value}::json ELSE to_json(${value}) END`,
  base64: (value) => sql`translate(encode(${value}, 'base64'), E'\\n', '')`,
};

/** An expression that `row_to_json` turns into the JSON of a field. */
export function fieldJson(field: Field, row?: string): Fragment {
  return field.constant === undefined ? valueJson(field, columnRef(field, row)) : constantJson(field);
}

/** The same of a value as a field has it. */
export function valueJson(field: Field, value: Fragment): Fragment {
  if (field.json === 'native' || (field.json === 'text' && field.columnType === 'text')) return value;
  const form = JSON_FORMS[field.json];
  if (!field.def.multiple) return form(value);
  // Qualified, because a plain name could also be a column of the unit.
  return sql`
    CASE
      WHEN ${value} IS NOT NULL THEN ARRAY(SELECT ${form(sql`_e.item`)} FROM unnest(${value}) AS _e(item))
    END
  `;
}

function constantJson({ constant }: Field): Fragment {
  if (typeof constant === 'string') return sql`${literal(constant)}::text`;
  if (typeof constant === 'boolean') return constant ? sql`true` : sql`false`;
  return constant === null || constant === undefined
    ? sql`NULL::text`
    : sql`${literal(JSON.stringify(constant))}::json`;
}

/** Select lists by their fields: the same field masks of a kind are used again and again. */
const selectLists = new WeakMap<readonly Field[], Fragment>();

/** `expression AS "name"` for every field, in order. */
export function selectList(fields: readonly Field[]): Fragment {
  const known = selectLists.get(fields);
  if (known) return known;
  const list = flatten(join(fields.map((field) => sql`${fieldJson(field)} AS ${ident(field.id)}`)));
  selectLists.set(fields, list);
  return list;
}

/** A constant, which PostgreSQL stores in its catalogue without rewriting the table. */
export function defaultLiteral(value: Json, column: Pick<ColumnShape, 'type' | 'array'>): Fragment {
  const type = columnType(column.type, column.array);
  if (column.array && Array.isArray(value)) {
    return sql`ARRAY[${join(value.map((item) => scalarLiteral(item as Json, column)))}]::${type}`;
  }
  return sql`${scalarLiteral(value, column)}::${type}`;
}

function scalarLiteral(value: Json, column: Pick<ColumnShape, 'type'>): Fragment {
  if (column.type === 'jsonb') return sql`${literal(JSON.stringify(value))}::jsonb`;
  return literal(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * A time as a number of microseconds. In UTC, so that the result depends on no setting, which Citus demands of a function
 * on a column in a write.
 */
export function microseconds(time: Fragment): Fragment {
  return sql`(extract(epoch FROM ${time} AT TIME ZONE 'UTC') * 1000000)::bigint`;
}

/** The version of the row `t` as text, for its ETag. */
export const VERSION_TAG = sql`${microseconds(sql`t."updated_at"`)}::text`;

/** The column that each edit changes. */
export const UPDATED_AT = 'updated_at';

/**
 * Sets `updated_at` of the row `t` to now, or just after its last value: a change always makes a new version. Citus runs
 * no function on a column in a SET whose result depends on a setting, as `timestamptz + interval` does on the time zone.
 */
export const SET_UPDATED_AT = sql`
  "updated_at" = greatest(
    statement_timestamp(),
    (t."updated_at" AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC'
  )
`;

/** A timestamp as text, in UTC and with six decimals: `2024-01-31T09:30:00.123456Z`. */
export function utcText(value: Fragment): Fragment {
  return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** A point in time as milliseconds, as JavaScript counts them. */
export function milliseconds(time: Fragment): Fragment {
  return sql`floor(extract(epoch FROM ${time}) * 1000)::float8`;
}

/** The point in time of milliseconds. */
export function timeOf(milliseconds: number): Fragment {
  return sql`${param(new Date(milliseconds).toISOString())}::timestamptz`;
}

/**
 * A point in time so many whole seconds before another one. In UTC, so that the result depends on no setting, which Citus
 * demands of a function on a column in a write; and without a parameter, which Citus loses in ON CONFLICT.
 */
export function secondsBefore(time: Fragment, count: number): Fragment {
  return sql`((${time} AT TIME ZONE 'UTC' - interval ${literal(`${count} seconds`)}) AT TIME ZONE 'UTC')`;
}

/** The time of the transaction as the table `n` with the column `now`, for writes in which Citus calls no function. */
export const NOW_TABLE = sql`(SELECT now() AS now) AS n`;

/** An interval of so many seconds. */
export function seconds(count: number): Fragment {
  return sql`${param(count)}::double precision * interval '1 second'`;
}
