/**
 * Resumable uploads. Their parts are objects that no file has (`UNUSED_OBJECT_TABLE`), which go at the earliest when the
 * upload expires. One request at a time has an upload: it says every few seconds that it still does.
 */
import { FILES_TABLE, UNUSED_OBJECT_TABLE, UPLOAD_TABLE } from '../../model/table/internal-tables.js';
import { milliseconds, seconds } from '../columns.sql.js';
import { type Fragment, ident, param, render, sql, type Statement } from '../fragment.js';
import { contentBytes } from './files.sql.js';
import type { UntakenObject } from './object.sql.js';

export interface UploadRow {
  readonly id: string;
  readonly metadata: string;
  readonly length: string;
  /** Bytes of the parts; none when the file is there. */
  readonly stored: string;
  readonly parts: number;
  readonly file: string | null;
  /** In milliseconds. */
  readonly expires: number;
}

interface NewUpload {
  readonly id: string;
  readonly member: string;
  readonly metadata: string;
  readonly length: number;
  /** Seconds. */
  readonly life: number;
}

/** The row that a write leaves: of writes Citus returns columns only. */
function written(write: Fragment): Statement {
  return render(sql`
    WITH _written AS (
      ${write}
      RETURNING ${WRITTEN_COLUMNS}
    )
    SELECT ${COLUMNS}
    FROM _written
  `);
}

const WRITTEN_COLUMNS = sql`"id", "metadata", "length", "stored", "parts", "file", "expires_at"`;

const COLUMNS = sql`
  "id"::text,
  "metadata",
  "length"::text,
  "stored"::text,
  "parts"::integer,
  "file"::text,
  ${milliseconds(sql`"expires_at"`)} AS expires
`;

/** One row of `ContentBytesRow`, and the uploads of a member as `open` that are not files yet. */
export function openUploadsStatement(schema: string, member: string): Statement {
  return render(sql`
    SELECT
      ${contentBytes(schema)},
      (
        SELECT count(*)::integer
        FROM ${ident(schema, UPLOAD_TABLE)}
        WHERE "member" = ${param(member)}::uuid AND "file" IS NULL AND "expires_at" > now()
      ) AS open
    FROM ${ident(schema, FILES_TABLE)}
  `);
}

/** One row, the upload. */
export function beginUploadStatement(schema: string, { id, member, metadata, length, life }: NewUpload): Statement {
  return written(sql`
    INSERT INTO ${ident(schema, UPLOAD_TABLE)}
      ("id", "member", "metadata", "length", "stored", "parts", "wanted", "expires_at")
    VALUES (
      ${param(id)}::uuid,
      ${param(member)}::uuid,
      ${param(metadata)},
      ${param(length)}::bigint,
      0,
      0,
      false,
      now() + ${seconds(life)}
    )
  `);
}

/** An upload, if the request has it now; nulls where another one does. */
export type HeldUploadRow = UploadRow | Readonly<Record<keyof UploadRow, null>>;

/**
 * Takes an upload of a member for a request, or asks the one that has it to end, unless that was done. One row; none if
 * there is no such upload. @param life seconds
 */
export function holdUploadStatement(
  schema: string,
  { id, member, holder, life }: { id: string; member: string; holder: string; life: number },
): Statement {
  const table = ident(schema, UPLOAD_TABLE);
  const own = sql`"id" = ${param(id)}::uuid AND "member" = ${param(member)}::uuid AND "expires_at" > now()`;
  const isFree = sql`("holder" IS NULL OR "held_until" <= n.at)`;
  const isTaken = sql`"holder" = ${param(holder)}::uuid`;
  return render(sql`
    WITH _written AS (
      UPDATE ${table}
      SET
        "holder" = CASE WHEN ${isFree} THEN ${param(holder)}::uuid ELSE "holder" END,
        "held_until" = CASE WHEN ${isFree} THEN n.at + ${seconds(life)} ELSE "held_until" END,
        "wanted" = NOT ${isFree}
      FROM (SELECT now() AS at) AS n
      WHERE ${own} AND (${isFree} OR NOT "wanted")
      RETURNING ${WRITTEN_COLUMNS}, "holder"
    )
    SELECT w.*
    FROM (SELECT "id" FROM ${table} WHERE ${own}) AS own
    LEFT JOIN (SELECT ${COLUMNS} FROM _written WHERE ${isTaken}) AS w ON true
  `);
}

/** Says that a request still has an upload. One row: whether another one waits as `wanted`; none if it has it no more. */
export function keepUploadStatement(schema: string, id: string, holder: string, life: number): Statement {
  return render(sql`
    UPDATE ${ident(schema, UPLOAD_TABLE)}
    SET "held_until" = now() + ${seconds(life)}
    WHERE "id" = ${param(id)}::uuid AND "holder" = ${param(holder)}::uuid
    RETURNING "wanted"
  `);
}

export function releaseUploadStatement(schema: string, id: string, holder: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, UPLOAD_TABLE)}
    SET "holder" = NULL, "wanted" = false
    WHERE "id" = ${param(id)}::uuid AND "holder" = ${param(holder)}::uuid
  `);
}

/** Adds a part, where the request still has the upload. One row, the upload. */
export function raiseUploadStatement(
  schema: string,
  { id, holder, offset, bytes }: { id: string; holder: string; offset: string; bytes: number },
): Statement {
  return written(sql`
    UPDATE ${ident(schema, UPLOAD_TABLE)}
    SET "stored" = "stored" + ${param(bytes)}::bigint, "parts" = "parts" + 1
    WHERE "id" = ${param(id)}::uuid
      AND "holder" = ${param(holder)}::uuid
      AND "stored" = ${param(offset)}::bigint
      AND "file" IS NULL
  `);
}

/** Makes a stored object a part of an upload. One row if the object was announced. */
export function addPartStatement(
  schema: string,
  { key, bytes }: UntakenObject,
  upload: string,
  offset: string,
): Statement {
  return render(sql`
    UPDATE ${ident(schema, UNUSED_OBJECT_TABLE)}
    SET "upload" = ${param(upload)}::uuid, "offset" = ${param(offset)}::bigint, "bytes" = ${param(bytes)}::bigint
    WHERE "id" = ${param(key)}
    RETURNING "id"
  `);
}

/** Rows of `UntakenObject`: the parts, in their order. */
export function partsStatement(schema: string, upload: string): Statement {
  return render(sql`
    SELECT "id" AS key, "bytes"::float8 AS bytes
    FROM ${ident(schema, UNUSED_OBJECT_TABLE)}
    WHERE "upload" = ${param(upload)}::uuid
    ORDER BY "offset"
  `);
}

/** Before its file is made: its parts count no more. One row if the file is not there yet, and the request has the upload. */
export function emptyUploadStatement(schema: string, id: string, holder: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, UPLOAD_TABLE)}
    SET "stored" = 0
    WHERE "id" = ${param(id)}::uuid AND "holder" = ${param(holder)}::uuid AND "file" IS NULL
    RETURNING "id"
  `);
}

export function endUploadStatement(schema: string, id: string, file: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, UPLOAD_TABLE)} SET "file" = ${param(file)}::uuid WHERE "id" = ${param(id)}::uuid
  `);
}

/** One row if it was there. */
export function deleteUploadStatement(schema: string, id: string, member: string): Statement {
  return render(sql`
    DELETE FROM ${ident(schema, UPLOAD_TABLE)}
    WHERE "id" = ${param(id)}::uuid AND "member" = ${param(member)}::uuid AND "expires_at" > now()
    RETURNING "id"
  `);
}
