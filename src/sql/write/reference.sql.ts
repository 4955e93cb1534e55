/** References between units. */
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { columnRef, columnType, SET_UPDATED_AT } from '../columns.sql.js';
import { all, ident, integer, join, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { rowConditions } from '../condition/predicate.sql.js';
import { hasKeyIn, kindTable } from '../table.sql.js';
import { editRows, type RecordedPlan } from './recording.sql.js';

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

/** Sets the references of units to units with these keys to null: of all units, or of `units`. One row `edited`: of how many. */
export function clearReferencesStatement(
  plan: RecordedPlan,
  field: Field,
  keys: readonly string[],
  units?: readonly string[],
): Statement {
  const where = all([refersTo(field, keys), units && hasKeyIn(plan.kind, units)]);
  const set = sql`${ident(field.column ?? field.id)} = NULL`;
  return render(editRows(plan, [field], join([set, SET_UPDATED_AT]), where));
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

/** What a look-up of files says of each beside its id. */
interface FileLookUp {
  /** Of a file that may be deleted; undefined for all. */
  readonly deletable: Predicate | undefined;
  /** Whether the contents stay as they are until the transaction ends. */
  readonly locks: boolean;
}

export interface ExistingUnit {
  readonly id: string;
}

export interface ExistingFile extends ExistingUnit {
  readonly media_type: string;
  readonly bytes: string;
  readonly deletable: boolean;
}

/** Rows `id`: those of the units that exist and that a predicate allows; with a `FileLookUp`, rows as `ExistingFile`. */
export function existingStatement(
  schema: string,
  kind: KindDef,
  ids: readonly string[],
  access: Predicate | undefined,
  files?: FileLookUp,
): Statement {
  const where = all([hasKeyIn(kind, ids), ...rowConditions(schema, kind, [access])]);
  const id = sql`${columnRef(kind.keyField)}::text AS id`;
  const columns = files && [
    sql`t."media_type"`,
    sql`t."bytes"::text`,
    sql`(${all(rowConditions(schema, kind, [files.deletable]))}) IS TRUE AS deletable`,
  ];
  return render(sql`
    SELECT ${join([id, ...(columns ?? [])])}
    FROM ${kindTable(schema, kind)} AS t
    WHERE ${where}${files?.locks ? sql` FOR SHARE OF t` : sql``}
  `);
}
