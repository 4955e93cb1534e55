/** Which values of a write are taken. */
import type { Field, KindDef } from '../model/model.js';
import { columnRef, columnType } from './columns.sql.js';
import { all, EMPTY_SQL, join, param, render, sql, type Statement } from './fragment.js';
import { inputColumn, inputRows, numberedInputRows, type RowsText } from './new-rows.sql.js';
import { kindTable } from './table.sql.js';

/**
 * A row `taken` for each row, in order: a boolean for each list of fields, whether a stored unit other than `id`, or an
 * earlier row, has the same values.
 */
export function takenStatement(
  schema: string,
  kind: KindDef,
  lists: readonly (readonly Field[])[],
  { json, count }: RowsText,
  id: string | undefined,
): Statement {
  const fields = [...new Map(lists.flat().map((field) => [field.column, field])).values()];
  const key = columnRef(kind.keyField);
  const other = id === undefined ? undefined : sql`${key} <> ${param(id)}::${columnType(kind.keyField.columnType)}`;
  const several = count > 1;
  const tests = lists.map((list) => {
    const same = list.map((field) => sql`${columnRef(field)} = ${inputColumn(field)}`);
    const stored = sql`EXISTS (SELECT FROM ${kindTable(schema, kind)} AS t WHERE ${all([...same, other])})`;
    if (!several) return stored;
    const known = all(list.map((field) => sql`${inputColumn(field)} IS NOT NULL`));
    const earlier = sql`row_number() OVER (PARTITION BY ${join(list.map(inputColumn))} ORDER BY i._n) > 1`;
    return sql`${stored} OR (${known} AND ${earlier})`;
  });
  const rows = several ? numberedInputRows(fields, param(json)) : inputRows(fields, param(json));
  return render(sql`SELECT ARRAY[${join(tests)}] AS taken FROM ${rows}${several ? sql` ORDER BY i._n` : EMPTY_SQL}`);
}
