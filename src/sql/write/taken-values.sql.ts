/** Which values of a write are taken. */
import type { Field, KindDef } from '../../model/model.js';
import { columnRef } from '../columns.sql.js';
import { all, EMPTY_SQL, join, param, render, sql, type Statement } from '../fragment.js';
import { INPUT_KEY, inputColumn, inputRows, keyedInputRows, numberedInputRows, type RowsText } from './new-rows.sql.js';
import { joinedKindTable, keyArray, kindTable } from '../table.sql.js';

/** The fields that edits write, and the keys of the units, one for each row. */
interface EditedRows {
  readonly written: readonly Field[];
  readonly keys: readonly string[];
}

/**
 * A row `taken` for each row, in order: a boolean for each list of fields, whether a stored unit, or an earlier row, has
 * the same values.
 * @param edited set for edits: each unit has the values that are not written, and none of them counts as another one
 */
export function takenStatement(
  schema: string,
  kind: KindDef,
  lists: readonly (readonly Field[])[],
  { json, count }: RowsText,
  edited?: EditedRows,
): Statement {
  const columns = new Set(edited?.written.map(({ column }) => column));
  const isInput = (field: Field) => !edited || columns.has(field.column);
  const valueOf = (field: Field) => (isInput(field) ? inputColumn(field) : columnRef(field, 'o'));
  const fields = [...new Map(lists.flat().map((field) => [field.column, field])).values()].filter(isInput);
  const other = edited && sql`${columnRef(kind.keyField)} <> ALL(${keyArray(kind, edited.keys)})`;
  const several = count > 1;
  const tests = lists.map((list) => {
    const same = list.map((field) => sql`${columnRef(field)} = ${valueOf(field)}`);
    const stored = sql`EXISTS (SELECT FROM ${kindTable(schema, kind)} AS t WHERE ${all([...same, other])})`;
    if (!several) return stored;
    const known = all(list.map((field) => sql`${valueOf(field)} IS NOT NULL`));
    const earlier = sql`row_number() OVER (PARTITION BY ${join(list.map(valueOf))} ORDER BY i._n) > 1`;
    return sql`${stored} OR (${known} AND ${earlier})`;
  });
  const unkeyed = several ? numberedInputRows : inputRows;
  const rows = edited ? keyedInputRows(kind, fields, param(json), edited.keys) : unkeyed(fields, param(json));
  const own = edited
    ? sql` LEFT JOIN ${joinedKindTable(schema, kind)} AS o ON ${columnRef(kind.keyField, 'o')} = ${INPUT_KEY}`
    : EMPTY_SQL;
  const order = several ? sql` ORDER BY i._n` : EMPTY_SQL;
  return render(sql`SELECT ARRAY[${join(tests)}] AS taken FROM ${rows}${own}${order}`);
}
