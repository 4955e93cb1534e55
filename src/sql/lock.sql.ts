/** Locks that a transaction takes before it does anything else, on what an earlier run of it failed on. */
import type { KindDef } from '../model/model.js';
import { columnRef, columnType } from './columns.sql.js';
import { ident, join, param, render, sql, type Statement } from './fragment.js';
import { kindTable } from './table.sql.js';

/** Units by their keys. `leave`: they may be deleted, so that nobody may begin to refer to them either. */
export interface LockedUnits {
  readonly schema: string;
  readonly kind: KindDef;
  readonly keys: readonly string[];
  readonly leave: boolean;
}

/** Keeps units for this transaction, in the order of their keys: who else would edit them waits. */
export function lockUnitsStatement({ schema, kind, keys, leave }: LockedUnits): Statement {
  const key = columnRef(kind.keyField);
  const wanted = sql`${param(keys)}::${columnType(kind.keyField.columnType, true)}`;
  const mode = leave ? sql`FOR UPDATE` : sql`FOR NO KEY UPDATE`;
  return render(
    sql`
      SELECT
      FROM ${kindTable(schema, kind)} AS t
      WHERE ${key} = ANY(${wanted})
      ORDER BY ${key} ${mode} OF t
    `,
  );
}

/**
 * Keeps whole tables: others can read them, and that is all. LOCK takes no snapshot, so that the transaction sees what those
 * did for whom it waited.
 */
export function lockTablesStatement(schema: string, tables: readonly string[]): Statement {
  return render(sql`LOCK TABLE ${join(tables.map((table) => ident(schema, table)))} IN EXCLUSIVE MODE`);
}
