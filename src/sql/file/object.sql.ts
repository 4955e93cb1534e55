/**
 * Objects of the store, and which of them files have. A key is in `UNUSED_OBJECT_TABLE` before its object is stored, leaves
 * it in the transaction that gives it to a file, and comes back when the file leaves it.
 */
import { OBJECT_FIELD } from '../../model/built-in/file-fields.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { FILES_TABLE, UNUSED_OBJECT_TABLE } from '../../model/table/internal-tables.js';
import { LEFT_OBJECT_SECONDS } from '../write/left-objects.sql.js';
import { milliseconds, seconds } from '../columns.sql.js';
import { ident, integer, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { contentBytes, type ContentBytesRow } from './files.sql.js';

/** An object that is stored whole, and that no file has got. */
export interface UntakenObject {
  readonly key: string;
  readonly bytes: number;
}

/** Says that an object is going to be stored. @param life seconds after which it may be removed if no file has it */
export function announceObjectStatement(schema: string, key: string, life: number): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, UNUSED_OBJECT_TABLE)} ("id", "goes_at")
    VALUES (${param(key)}, now() + ${seconds(life)})
  `);
}

export interface TakenObjectRow extends ContentBytesRow {
  readonly listed: boolean;
}

/**
 * Gives a stored object to a file. One row; `listed`: whether it has left the list, in which a transaction with an older
 * snapshot does not see it.
 */
export function takeObjectStatement(schema: string, key: string, bytes: number): Statement {
  return render(sql`
    WITH
      taken AS (DELETE FROM ${ident(schema, UNUSED_OBJECT_TABLE)} WHERE "id" = ${param(key)} RETURNING "id"),
      counted AS (
        UPDATE ${ident(schema, FILES_TABLE)}
        SET "bytes" = "bytes" + ${param(bytes)}::bigint
        RETURNING "bytes", "left_bytes"
      )
    SELECT ${contentBytes(schema)}, EXISTS (SELECT "id" FROM taken) AS listed
    FROM counted
  `);
}

/** Takes an object from a file that gets another one. */
export function leaveObjectStatement(schema: string, key: string, bytes: string): Statement {
  return render(sql`
    WITH left_object AS (
      INSERT INTO ${ident(schema, UNUSED_OBJECT_TABLE)} ("id", "goes_at", "bytes")
      VALUES (${param(key)}, now() + ${seconds(LEFT_OBJECT_SECONDS)}, ${param(bytes)}::bigint)
    )
    UPDATE ${ident(schema, FILES_TABLE)}
    SET "bytes" = "bytes" - ${param(bytes)}::bigint, "left_bytes" = "left_bytes" + ${param(bytes)}::bigint
  `);
}

/** Rows `id`, `used`: those of the objects that are listed, which are locked, and whether a file has them nevertheless. */
export function lockObjectsStatement(schema: string, keys: readonly string[]): Statement {
  return render(sql`
    SELECT u."id", ${isUsed(schema)} AS used
    FROM ${ident(schema, UNUSED_OBJECT_TABLE)} AS u
    WHERE u."id" = ANY(${param(keys)}::text[])
    FOR UPDATE OF u
  `);
}

/** The same for objects whose time is over; none while a backup reads objects. */
export function dueObjectsStatement(schema: string, most: number): Statement {
  return render(sql`
    SELECT u."id", ${isUsed(schema)} AS used
    FROM ${ident(schema, UNUSED_OBJECT_TABLE)} AS u
    WHERE u."goes_at" <= now()
      AND NOT EXISTS (SELECT FROM ${ident(schema, FILES_TABLE)} AS f WHERE f."kept_until" > now())
    ORDER BY u."goes_at"
    LIMIT ${integer(most)}
    FOR UPDATE OF u SKIP LOCKED
  `);
}

/** Where the service ended between a commit and what follows it, an object is listed that a file has. */
function isUsed(schema: string): Fragment {
  return sql`EXISTS (SELECT FROM ${ident(schema, FILE_KIND)} AS f WHERE f.${ident(OBJECT_FIELD)} = u."id")`;
}

/** Forgets objects that are no longer in the store. */
export function forgetObjectsStatement(schema: string, keys: readonly string[]): Statement {
  return render(sql`
    WITH gone AS (
      DELETE FROM ${ident(schema, UNUSED_OBJECT_TABLE)}
      WHERE "id" = ANY(${param(keys)}::text[])
      RETURNING "bytes", "upload"
    )
    UPDATE ${ident(schema, FILES_TABLE)}
    SET "left_bytes" = "left_bytes" - l.bytes
    FROM (SELECT sum("bytes") AS bytes FROM gone WHERE "upload" IS NULL) AS l
    WHERE l.bytes > 0
  `);
}

/** Counts objects among those that files have left: no file gets them, and they could not be removed. */
export function countLeftStatement(schema: string, objects: readonly UntakenObject[]): Statement {
  const [keys, bytes] = [objects.map(({ key }) => key), objects.map((each) => each.bytes)];
  return render(sql`
    WITH counted AS (
      UPDATE ${ident(schema, UNUSED_OBJECT_TABLE)} AS u
      SET "bytes" = k."bytes", "upload" = NULL
      FROM unnest(${param(keys)}::text[], ${param(bytes)}::bigint[]) AS k("id", "bytes")
      WHERE u."id" = k."id" AND (u."bytes" IS NULL OR u."upload" IS NOT NULL)
      RETURNING u."bytes"
    )
    UPDATE ${ident(schema, FILES_TABLE)}
    SET "left_bytes" = "left_bytes" + (SELECT coalesce(sum("bytes"), 0) FROM counted)
  `);
}

/** One row `next`: when the first of those that files have left may be removed, in milliseconds. */
export function leftUntilStatement(schema: string): Statement {
  return render(sql`
    SELECT ${milliseconds(sql`min("goes_at")`)} AS next
    FROM ${ident(schema, UNUSED_OBJECT_TABLE)}
    WHERE "bytes" IS NOT NULL AND "upload" IS NULL
  `);
}

/** One row `next`: when the next objects may be removed, in milliseconds, and null if there are none; and `now`. */
export function nextDueStatement(schema: string): Statement {
  return render(sql`
    SELECT ${milliseconds(sql`min("goes_at")`)} AS next, ${milliseconds(sql`now()`)} AS now
    FROM ${ident(schema, UNUSED_OBJECT_TABLE)}
  `);
}
