/** The new values of units in a statement: a table `i` with a column per written field. */
import type { Field, KindDef } from '../../model/model.js';
import type { LongValue } from '../../shared/byte-pieces.js';
import { isSmallJson, jsonParam } from '../../shared/large-json.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import { columnRef, fieldType, rowOf } from '../columns.sql.js';
import { EMPTY_SQL, ident, join, sql, type Fragment } from '../fragment.js';
import { keyArray } from '../table.sql.js';

/** A column of input rows that is no field. */
interface InputColumn {
  readonly name: Fragment;
  readonly type: Fragment;
}

/** The rows of a JSON array as a table `i` that has the columns of the fields. @param more further columns */
export function inputRows(fields: readonly Field[], rows: Fragment, more: readonly InputColumn[] = []): Fragment {
  const columns = [...more.map(({ name, type }) => sql`${name} ${type}`), ...typedColumns(fields)];
  return sql`json_to_recordset(${rows}::json) AS i(${join(columns)})`;
}

/** The row `_n` with columns of a unit, from an object that has them as `to_jsonb` writes them. */
export function rowOfObject(fields: readonly Field[], object: Fragment): Fragment {
  const input = sql`jsonb_to_record(${object}) AS i(${join(typedColumns(fields))})`;
  return sql`${input} CROSS JOIN LATERAL ${rowOf(fields, inputColumn)}`;
}

/** The same with a column `_n`: the number of the row, from 1. */
export function numberedInputRows(fields: readonly Field[], rows: Fragment): Fragment {
  return numberedRows([recordset(fields, rows)], columnNames(fields));
}

/** The same with a column `INPUT_KEY`: the key of the stored unit to which the row belongs. */
export function keyedInputRows(
  kind: KindDef,
  fields: readonly Field[],
  rows: Fragment,
  keys: readonly string[],
): Fragment {
  const values = fields.length > 0 ? [recordset(fields, rows)] : [];
  return numberedRows([...values, sql`unnest(${keyArray(kind, keys)})`], [...columnNames(fields), sql`_key`]);
}

export const INPUT_KEY = ident('i', '_key');

function recordset(fields: readonly Field[], rows: Fragment): Fragment {
  return sql`json_to_recordset(${rows}::json) AS (${join(typedColumns(fields))})`;
}

function numberedRows(sources: readonly Fragment[], names: readonly Fragment[]): Fragment {
  return sql`ROWS FROM (${join(sources)}) WITH ORDINALITY AS i(${join([...names, sql`_n`])})`;
}

export function typedColumns(fields: readonly Field[]): Fragment[] {
  return fields.map(
    (field) => sql`${ident(field.column ?? field.id)} ${isJsonList(field) ? sql`jsonb` : fieldType(field)}`,
  );
}

/** The value of a field in a row of `i`. */
export function inputColumn(field: Field): Fragment {
  const value = columnRef(field, 'i');
  if (!isJsonList(field)) return value;
  return sql`
    CASE
      WHEN ${value} IS NOT NULL THEN ARRAY(SELECT _e.item FROM jsonb_array_elements(${value}) AS _e(item))
    END
  `;
}

/**
 * PostgreSQL would read a list inside a list of JSON values as a further dimension of the array, and lose empty lists.
 */
function isJsonList(field: Field): boolean {
  return field.columnType === 'jsonb' && field.def.multiple;
}

export function columnNames(fields: readonly Field[]): Fragment[] {
  return fields.map((field) => ident(field.column ?? field.id));
}

/** Rows as one JSON list. */
export interface RowsText {
  readonly json: string | LongValue;
  readonly count: number;
}

/**
 * Whether a statement that looks up so many rows may keep its plan. A plan for many that was made while the table was
 * small reads all of it, also when an import has made it large.
 */
export function isPlannedOnce(count: number): boolean {
  return count === 1;
}

/** One row as the parameters of its written fields, in their order. */
interface RowParams {
  readonly params: readonly unknown[];
}

/** The parameters of a row; undefined where its values are so large that they have to be written to JSON in pieces. */
export function rowParams(written: readonly Field[], row: Readonly<Record<string, unknown>>): RowParams | undefined {
  const params: unknown[] = [];
  for (const field of written) {
    const value = row[field.column ?? field.id] ?? null;
    if (!isSmallJson(value)) return undefined;
    // The driver writes other lists as arrays of PostgreSQL.
    params.push(field.columnType === 'jsonb' && value !== null ? JSON.stringify(value) : value);
  }
  return { params };
}

export type NewRows = RowsText | RowParams;

export function paramsOf(rows: NewRows): readonly unknown[] {
  return 'params' in rows ? rows.params : [rows.json];
}

/** The rows as a table `i` that has the columns of the written fields. */
export function inputTable(written: readonly Field[], rows: NewRows, params: readonly Fragment[]): Fragment {
  if ('json' in rows) return inputRows(written, params[0] ?? EMPTY_SQL);
  const columns = written.map((field, at) => {
    const type = isJsonList(field) ? sql`jsonb` : fieldType(field);
    return sql`${params[at] ?? EMPTY_SQL}::${type} AS ${ident(field.column ?? field.id)}`;
  });
  return sql`(SELECT ${join(columns)}) AS i`;
}

export function* rowsText(rows: readonly unknown[]): WorkInPieces<RowsText> {
  return { json: yield* jsonParam(rows), count: rows.length };
}
