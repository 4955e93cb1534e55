/** Locks on rows and tables; a transaction that is run again first locks what its last run failed on. */
import type { KindDef } from '../model/model.js';
import { KIND_KIND } from '../model/built-in-traits.js';
import { columnRef } from './columns.sql.js';
import { ident, join, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { hasKeyIn, kindTable } from './table.sql.js';

/** Units to lock, by their keys. */
export interface LockedUnits {
  readonly schema: string;
  readonly kind: KindDef;
  readonly keys: readonly string[];
  /** Whether they may be deleted, so that new references to them have to wait too. */
  readonly forDelete: boolean;
}

/** `forDelete`: the row may be deleted, so that new references to it have to wait too. */
export function rowLock(forDelete: boolean): Fragment {
  return forDelete ? sql`FOR UPDATE` : sql`FOR NO KEY UPDATE`;
}

/** Locks units in the order of their keys, so that two such statements cannot deadlock. */
export function lockUnitsStatement({ schema, kind, keys, forDelete }: LockedUnits): Statement {
  return render(
    sql`
      SELECT
      FROM ${kindTable(schema, kind)} AS t
      WHERE ${hasKeyIn(kind, keys)}
      ORDER BY ${columnRef(kind.keyField)}
      ${rowLock(forDelete)} OF t
    `,
  );
}

/**
 * Locks whole tables against everything but reads. LOCK takes no snapshot, so the transaction sees what the
 * transactions that it waited for have committed.
 */
export function lockTablesStatement(schema: string, tables: readonly string[]): Statement {
  return render(sql`LOCK TABLE ${join(tables.map((table) => ident(schema, table)))} IN EXCLUSIVE MODE`);
}

/**
 * Lets one transaction after the other make units of a built-in kind, by an edit that changes nothing: whatever its
 * isolation level, the later one then sees what the earlier one has made.
 */
export function lockMakingStatement(schema: string, kindId: string): Statement {
  return render(sql`UPDATE ${ident(schema, KIND_KIND)} SET "label" = "label" WHERE "id" = ${param(kindId)}`);
}

/** One row `count`: the units of a built-in kind. */
export function countMadeStatement(schema: string, kindId: string): Statement {
  return render(sql`SELECT count(*)::int AS count FROM ${ident(schema, kindId)}`);
}
