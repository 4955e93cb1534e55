/**
 * The stored number of units of a table: the sum of the changes that writes append (`COUNT_TABLE`). A write appends its
 * change in its own statement, so the number is right in every snapshot, and is rolled back with the units.
 */
import { COUNT_TABLE } from '../model/table/internal-tables.js';
import type { KindDef } from '../model/model.js';
import { EMPTY_SQL, ident, integer, literal, param, render, sql, type Fragment, type Statement } from './fragment.js';
import { kindTable } from './table.sql.js';

interface Write {
  readonly schema: string;
  readonly kind: KindDef;
}

/** The number of units in the table of a kind. */
export function storedCount(schema: string, { table }: KindDef): Fragment {
  return sql`(
    SELECT coalesce(sum("change"), 0)::bigint
    FROM ${ident(schema, COUNT_TABLE)}
    WHERE "table" = ${literal(table)}
  )`;
}

/** One row `units`: the number of units of all kinds that are counted. */
export function storedUnitsStatement(schema: string): Statement {
  return render(sql`SELECT coalesce(sum("change"), 0)::bigint AS units FROM ${ident(schema, COUNT_TABLE)}`, true);
}

/**
 * Appends the number of `rows`, a name in FROM, or its negative; undefined if the units of the kind are not counted.
 * Nothing is appended for no rows. `atMostOne`: there are no more, so that none have to be counted.
 */
export function appendCount(
  { schema, kind }: Write,
  rows: Fragment,
  sign: 1 | -1,
  atMostOne = false,
): Fragment | undefined {
  if (!kind.storage.counted) return undefined;
  if (atMostOne) {
    return sql`
      INSERT INTO ${ident(schema, COUNT_TABLE)} ("table", "change")
      SELECT ${literal(kind.table)}, ${integer(sign)}
      FROM ${rows}
    `;
  }
  return sql`
    INSERT INTO ${ident(schema, COUNT_TABLE)} ("table", "change")
    SELECT ${literal(kind.table)}, ${sign === 1 ? EMPTY_SQL : sql`-`}count(*)
    FROM ${rows}
    HAVING count(*) > 0
  `;
}

/** How many rows one statement adds up. */
const FOLDED_AT_ONCE = 10_000;

/**
 * Takes changes of a table, of which `storeCountStatement` stores the sum in the same transaction. One row `taken, sum`:
 * how many there were. The transaction has the lock of the number.
 */
export function takeCountsStatement(schema: string, table: string): Statement {
  const counts = ident(schema, COUNT_TABLE);
  return render(
    sql`
      WITH taken AS (
        DELETE FROM ${counts}
        WHERE ctid = ANY(ARRAY(
          SELECT ctid
          FROM ${counts}
          WHERE "table" = ${param(table)}
          LIMIT ${integer(FOLDED_AT_ONCE)}
        ))
        RETURNING "change"
      )
      SELECT count(*)::int AS taken, coalesce(sum("change"), 0)::bigint AS sum FROM taken
    `,
    true,
  );
}

/** @param sum as text */
export function storeCountStatement(schema: string, table: string, sum: string): Statement {
  return render(
    sql`
      INSERT INTO ${ident(schema, COUNT_TABLE)} ("table", "change")
      VALUES (${param(table)}, ${param(sum)}::bigint)
    `,
    true,
  );
}

/**
 * Removes the rows that folding deleted, so that the table stays as small as its contents. It waits for no lock: a later
 * one does it then.
 */
export function vacuumCountsStatement(schema: string): Statement {
  return render(sql`VACUUM (TRUNCATE false, SKIP_LOCKED) ${ident(schema, COUNT_TABLE)}`);
}

/** Deletes the changes of tables that are dropped. */
export function dropCountsStatement(schema: string, tables: readonly string[]): Statement {
  return render(sql`DELETE FROM ${ident(schema, COUNT_TABLE)} WHERE "table" = ANY(${param(tables)}::text[])`);
}

/** One row `locked`: whether this transaction may add up or repair the stored number, which one does at a time. */
export function lockCountStatement(schema: string, table: string): Statement {
  return render(sql`SELECT pg_try_advisory_xact_lock(${countLock(schema, table)}) AS locked`, true);
}

/** Waits for the transaction that adds up or repairs the stored number; none does until this one ends. */
export function awaitCountStatement(schema: string, table: string): Statement {
  return render(sql`SELECT pg_advisory_xact_lock(${countLock(schema, table)})`);
}

function countLock(schema: string, table: string): Fragment {
  return sql`hashtextextended(${param(`count ${schema}.${table}`)}, 0)`;
}

/**
 * Appends what the stored number of a table lacks of the rows that there are, which is something only if another program
 * wrote to the table, or before the numbers of an older project are stored. Writes at the same time change both numbers
 * alike, so none has to wait. One row `missing` if there was a difference. Run it once at a time.
 */
export function repairCountStatement(schema: string, kind: KindDef): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, COUNT_TABLE)} AS c ("table", "change")
    SELECT ${literal(kind.table)}, d.missing
    FROM (
      SELECT (SELECT count(*) FROM ${kindTable(schema, kind)} AS t) - ${storedCount(schema, kind)} AS missing
    ) AS d
    WHERE d.missing <> 0
    RETURNING c."change" AS missing
  `);
}
