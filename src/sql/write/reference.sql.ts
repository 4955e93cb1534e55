/** References between units. */
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { appendCount } from '../count.sql.js';
import { columnRef, columnType, SET_UPDATED_AT } from '../columns.sql.js';
import { all, ident, integer, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { rowConditions } from '../condition/predicate.sql.js';
import { hasKeyIn, kindTable } from '../table.sql.js';

/** Whether the field of the row `t` refers to one of the units with these keys. */
function refersTo(field: Field, keys: readonly string[]): Fragment {
  return sql`${columnRef(field)} = ANY(${param(keys)}::${columnType(field.columnType, true)})`;
}

/** Whether the row `t` is none of the units with these keys; undefined if there are none. */
function hasNoKeyIn(kind: KindDef, keys: readonly string[]): Fragment | undefined {
  return keys.length === 0 ? undefined : sql`NOT (${hasKeyIn(kind, keys)})`;
}

interface ReferringUnitsPlan {
  readonly limit: number;
  /** The keys of units that are left out. */
  readonly except: readonly string[];
  /** The key of the only unit to look at. */
  readonly only?: string;
}

/** Rows `id, target`: the units that refer by a field to units with these keys, locked until the transaction ends. */
export function referringStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
  { limit, except, only }: ReferringUnitsPlan,
): Statement {
  const columns = sql`${columnRef(kind.keyField)}::text AS id, ${columnRef(field)}::text AS target`;
  const where = [
    refersTo(field, keys),
    hasNoKeyIn(kind, except),
    only === undefined ? undefined : hasKeyIn(kind, [only]),
  ];
  return render(
    sql`
      SELECT ${columns}
      FROM ${kindTable(schema, kind)} AS t
      WHERE ${all(where)}
      LIMIT ${integer(limit)}
      FOR UPDATE
    `,
  );
}

export function deleteUnitsStatement(schema: string, kind: KindDef, keys: readonly string[]): Statement {
  const deleted = sql`DELETE FROM ${kindTable(schema, kind)} AS t WHERE ${hasKeyIn(kind, keys)}`;
  const counted = appendCount({ schema, kind }, sql`deleted`, -1);
  return render(counted ? sql`WITH deleted AS (${deleted} RETURNING 1) ${counted}` : deleted);
}

interface ClearedReferences {
  /** All units, if there are none. */
  readonly units?: readonly string[];
  /** Whether it returns a row for each unit. */
  readonly tells?: true;
}

/** Sets the references to units with these keys to null, in all units or in `units`, which get a new version. */
export function clearReferencesStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
  { units, tells }: ClearedReferences = {},
): Statement {
  const where = all([refersTo(field, keys), units && hasKeyIn(kind, units)]);
  const set = join([setNull(field), SET_UPDATED_AT]);
  const clear = sql`UPDATE ${kindTable(schema, kind)} AS t SET ${set} WHERE ${where}`;
  return render(tells ? sql`${clear} RETURNING 1` : clear);
}

/** Sets the references of `units`, which are deleted too, to units with these keys to null. */
export function clearReferencesBetweenStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
  units: readonly string[],
): Statement {
  const where = all([refersTo(field, keys), hasKeyIn(kind, units)]);
  return render(sql`UPDATE ${kindTable(schema, kind)} AS t SET ${setNull(field)} WHERE ${where}`);
}

function setNull(field: Field): Fragment {
  return sql`${ident(field.column ?? field.id)} = NULL`;
}

/** One row `count, id`: how many units refer by a field to units with these keys, without the units `others`; and to which one. */
export function countReferencesStatement(
  schema: string,
  kind: KindDef,
  field: Field,
  keys: readonly string[],
  others: readonly string[],
): Statement {
  const where = all([refersTo(field, keys), hasNoKeyIn(kind, others)]);
  return render(sql`
    SELECT count(*)::int AS count, min(${columnRef(field)}::text) AS id
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${where}
  `);
}

/** Rows `id`: those of the units that exist and that a predicate allows. */
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
