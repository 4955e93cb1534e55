/**
 * Objects of the store, and which of them files have. A key is in `UNUSED_OBJECT_TABLE` before its object is stored, leaves
 * it in the transaction that gives it to a file, and comes back when the file leaves it.
 */
import { FILES_TABLE, UNUSED_OBJECT_TABLE } from '../../model/table/internal-tables.js';
import { LEFT_OBJECT_SECONDS } from '../write/left-objects.sql.js';
import { seconds } from '../columns.sql.js';
import { ident, integer, param, render, sql, type Statement } from '../fragment.js';

export function beginFilesStatement(schema: string): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, FILES_TABLE)} ("id", "bytes", "epoch")
    VALUES (1, 0, 1)
    ON CONFLICT ("id") DO NOTHING
  `);
}

/** Says that an object is going to be stored. @param life seconds after which it may be removed if no file has it */
export function announceObjectStatement(schema: string, key: string, life: number): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, UNUSED_OBJECT_TABLE)} ("id", "goes_at")
    VALUES (${param(key)}, now() + ${seconds(life)})
  `);
}

/** Gives a stored object to a file. One row `total`: the bytes of all contents; none if it was not announced, or removed. */
export function takeObjectStatement(schema: string, key: string, bytes: number): Statement {
  return render(sql`
    WITH taken AS (DELETE FROM ${ident(schema, UNUSED_OBJECT_TABLE)} WHERE "id" = ${param(key)} RETURNING 1)
    UPDATE ${ident(schema, FILES_TABLE)}
    SET "bytes" = "bytes" + ${param(bytes)}::bigint
    WHERE EXISTS (SELECT FROM taken)
    RETURNING "bytes" AS total
  `);
}

/** Takes an object from a file that gets another one. */
export function leaveObjectStatement(schema: string, key: string, bytes: string): Statement {
  return render(sql`
    WITH left_object AS (
      INSERT INTO ${ident(schema, UNUSED_OBJECT_TABLE)} ("id", "goes_at")
      VALUES (${param(key)}, now() + ${seconds(LEFT_OBJECT_SECONDS)})
    )
    UPDATE ${ident(schema, FILES_TABLE)} SET "bytes" = "bytes" - ${param(bytes)}::bigint
  `);
}

/** Rows `id`: those of the objects that no file has, which are locked. */
export function lockObjectsStatement(schema: string, keys: readonly string[]): Statement {
  return render(sql`
    SELECT "id" FROM ${ident(schema, UNUSED_OBJECT_TABLE)} WHERE "id" = ANY(${param(keys)}::text[]) FOR UPDATE
  `);
}

/** Rows `id`: objects whose time is over, which are locked. */
export function dueObjectsStatement(schema: string, most: number): Statement {
  return render(sql`
    SELECT "id"
    FROM ${ident(schema, UNUSED_OBJECT_TABLE)}
    WHERE "goes_at" <= now()
    ORDER BY "goes_at"
    LIMIT ${integer(most)}
    FOR UPDATE SKIP LOCKED
  `);
}

/** Forgets objects that are no longer in the store. */
export function forgetObjectsStatement(schema: string, keys: readonly string[]): Statement {
  return render(sql`DELETE FROM ${ident(schema, UNUSED_OBJECT_TABLE)} WHERE "id" = ANY(${param(keys)}::text[])`);
}
