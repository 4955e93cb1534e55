/** References between units. */
import type { Field, KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { columnRef, columnType } from './columns.sql.js';
import { all, ident, integer, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { rowConditions } from './predicate.sql.js';
import { kindTable } from './table.sql.js';

function refersTo(field: Field, keys: readonly string[]): Fragment {
  return sql`${columnRef(field)} = ANY(${param(keys)}::${columnType(field.columnType, true)})`;
}

/** The units of a kind but some. */
function hasNoKeyIn(kind: KindDef, keys: readonly string[]): Fragment | undefined {
  return keys.length === 0 ? undefined : sql`NOT (${hasKeyIn(kind, keys)})`;
}

function hasKeyIn(kind: KindDef, keys: readonly string[]): Fragment {
  return sql`${columnRef(kind.keyField)} = ANY(${param(keys)}::${columnType(kind.keyField.columnType, true)})`;
}

export interface ReferringUnits {
  readonly limit: number;
  /** Units that are left out. */
  readonly but: readonly string[];
  /** The one unit that is asked for. */
  readonly only?: string;
}

/** The ids of units that refer to some by a field, locked until the transaction ends. */
export function referringStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
  { limit, but: others, only }: ReferringUnits,
): Statement {
  const id = sql`${columnRef(kind.keyField)}::text AS id`;
  const where = [
    refersTo(field, keys),
    hasNoKeyIn(kind, others),
    only === undefined ? undefined : hasKeyIn(kind, [only]),
  ];
  return render(
    sql`
      SELECT ${id}
      FROM ${kindTable(schema, kind)} AS t
      WHERE ${all(where)}
      LIMIT ${integer(limit)}
      FOR UPDATE
    `,
  );
}

export function deleteUnitsStatement(schema: string, kind: KindDef, keys: readonly string[]): Statement {
  return render(sql`DELETE FROM ${kindTable(schema, kind)} AS t WHERE ${hasKeyIn(kind, keys)}`);
}

/** Empties the references to some units: of `units`, or of all; those that referred are new versions. */
export function clearReferencesStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
  units?: readonly string[],
): Statement {
  const later = sql`"updated_at" = greatest(clock_timestamp(), t."updated_at" + interval '1 microsecond')`;
  return render(
    sql`
      UPDATE ${kindTable(schema, kind)} AS t
      SET ${ident(field.column ?? field.id)} = NULL, ${later}
      WHERE ${all([refersTo(field, keys), units && hasKeyIn(kind, units)])}
    `,
  );
}

/** Empties the references of `units` to some others. */
export function clearReferencesBetweenStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
  units: readonly string[],
): Statement {
  return render(
    sql`
      UPDATE ${kindTable(schema, kind)} AS t
      SET ${ident(field.column ?? field.id)} = NULL
      WHERE ${all([refersTo(field, keys), hasKeyIn(kind, units)])}
    `,
  );
}

/** How many units refer to some by a field, but those of `others`. */
export function countReferencesStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
  others: readonly string[],
): Statement {
  const where = all([refersTo(field, keys), hasNoKeyIn(kind, others)]);
  return render(sql`
    SELECT count(*)::int AS count
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${where}
  `);
}

/** The ids of those units that are there and that a predicate allows. */
export function existingStatement(
  schema: string,
  kind: KindDef,
  ids: readonly string[],
  access: Predicate | undefined,
): Statement {
  const where = all([hasKeyIn(kind, ids), ...rowConditions(schema, kind, [access])]);
  return render(sql`
    SELECT ${columnRef(kind.keyField)}::text AS id
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${where}
  `);
}
