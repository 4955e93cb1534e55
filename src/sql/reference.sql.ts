/** References between units. */
import type { Field, KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate.js';
import { column, columnType } from './columns.sql.js';
import { all, ident, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { rowsOf, tableOf } from './select.sql.js';

function refersTo(field: Field, keys: readonly string[]): Fragment {
  return sql`${column(field)} = ANY(${param(keys)}::${columnType(field.columnType, true)})`;
}

/** The ids of the units that refer to some by a field, locked until the transaction ends. */
export function referringStatement(schema: string, kind: KindDef, field: Field, keys: readonly string[]): Statement {
  const id = sql`${column(kind.keyField)}::text AS id`;
  return render(sql`SELECT ${id} FROM ${tableOf(schema, kind)} AS t WHERE ${refersTo(field, keys)} FOR UPDATE`);
}

/** Empties the references to some units; the referring units are new versions. */
export function clearReferencesStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
): Statement {
  const later = sql`"updated_at" = greatest(clock_timestamp(), t."updated_at" + interval '1 microsecond')`;
  return render(
    sql`UPDATE ${tableOf(schema, kind)} AS t SET ${ident(field.column ?? field.id)} = NULL, ${later} WHERE ${refersTo(field, keys)}`,
  );
}

/** How many units refer to some by a field. */
export function countReferencesStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
): Statement {
  return render(sql`SELECT count(*)::int AS count FROM ${tableOf(schema, kind)} AS t WHERE ${refersTo(field, keys)}`);
}

/** The ids of those units that are there and that a predicate allows. */
export function existingStatement(
  schema: string,
  kind: KindDef,
  ids: readonly string[],
  access: Predicate | undefined,
): Statement {
  const id = column(kind.keyField);
  const among = sql`${id} = ANY(${param(ids)}::${columnType(kind.keyField.columnType, true)})`;
  return render(
    sql`SELECT ${id}::text AS id FROM ${tableOf(schema, kind)} AS t WHERE ${all([among, ...rowsOf(schema, kind, [access])])}`,
  );
}
