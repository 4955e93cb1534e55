/** Values that are stored encrypted, read in pieces and written anew. */
import type { SealedColumn } from '../model/sealed-fields.js';
import { columnRef, columnType } from './columns.sql.js';
import { all, EMPTY_SQL, ident, integer, join, param, render, sql, type Fragment, type Statement } from './fragment.js';

export interface SealedRow {
  readonly id: string;
  readonly value: string;
}

/** Rows `SealedRow`: the next ones in the order of their ids. */
export function sealedRowsStatement(
  schema: string,
  { kind, column }: SealedColumn,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Statement {
  const [id, value] = [columnRef(kind.keyField), ident('t', column)];
  const later = after === undefined ? undefined : sql`${id} > ${param(after)}::${columnType(kind.keyField.columnType)}`;
  return render(sql`
    SELECT ${id}::text AS id, ${value} AS value
    FROM ${ident(schema, kind.table)} AS t
    WHERE ${all([sql`${value} IS NOT NULL`, later])}
    ORDER BY ${id}
    LIMIT ${integer(limit)}
  `);
}

/** A value that is written anew. */
interface Resealed extends SealedRow {
  readonly former: string;
}

/** Without new versions of the units. What somebody else has written meanwhile stays. */
export function resealStatement(schema: string, sealed: SealedColumn, values: readonly Resealed[]): Statement {
  return update(schema, sealed, values, {
    set: sql`${ident(sealed.column)} = v.value`,
    value: sql`, ${param(values.map(({ value }) => value))}::text[]`,
    names: sql`id, former, value`,
  });
}

/** Removes values, and what is of no use without them. */
export function dropSealedStatement(schema: string, sealed: SealedColumn, rows: readonly SealedRow[]): Statement {
  const lost = sealed.lost.map(([column, value]) => sql`${ident(column)} = ${param(value)}`);
  return update(
    schema,
    sealed,
    rows.map(({ id, value }) => ({ id, former: value })),
    { set: join([sql`${ident(sealed.column)} = NULL`, ...lost]), value: EMPTY_SQL, names: sql`id, former` },
  );
}

function update(
  schema: string,
  { kind, column }: SealedColumn,
  rows: readonly { readonly id: string; readonly former: string }[],
  { set, value, names }: { readonly set: Fragment; readonly value: Fragment; readonly names: Fragment },
): Statement {
  return render(sql`
    UPDATE ${ident(schema, kind.table)} AS t
    SET ${set}
    FROM unnest(
      ${param(rows.map(({ id }) => id))}::${columnType(kind.keyField.columnType, true)},
      ${param(rows.map(({ former }) => former))}::text[]${value}
    ) AS v(${names})
    WHERE ${columnRef(kind.keyField)} = v.id AND ${ident('t', column)} = v.former
  `);
}
