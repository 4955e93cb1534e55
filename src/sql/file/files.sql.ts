/** The row of a project's files as a whole. */
import { FILES_TABLE, UPLOAD_TABLE } from '../../model/table/internal-tables.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import type { KindDef } from '../../model/model.js';
import { seconds } from '../columns.sql.js';
import { storedCount } from '../count.sql.js';
import { type Fragment, ident, param, render, sql, type Statement } from '../fragment.js';

export function beginFilesStatement(schema: string): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, FILES_TABLE)} AS f ("id", "bytes", "left_bytes", "epoch")
    VALUES (1, 0, 0, 1)
    ON CONFLICT ("id") DO UPDATE
    SET "left_bytes" = coalesce(f."left_bytes", 0)
  `);
}

/** Lets those wait that begin uploads, or give objects to files, until the transaction ends. */
export function lockFilesStatement(schema: string): Statement {
  return render(sql`SELECT FROM ${ident(schema, FILES_TABLE)} FOR NO KEY UPDATE`);
}

/** Ends all signed addresses of the project's files. */
export function revokeUrlsStatement(schema: string): Statement {
  return render(sql`UPDATE ${ident(schema, FILES_TABLE)} SET "epoch" = "epoch" + 1`);
}

/** In bytes: of all contents and uploads, and of those that files have left, which are kept for some time. */
export interface ContentBytesRow {
  readonly total: string;
  readonly left: string;
}

/** The bytes of all uploads that are not files yet. */
function uploadedBytes(schema: string): Fragment {
  return sql`(
    SELECT coalesce(sum("stored"), 0)
    FROM ${ident(schema, UPLOAD_TABLE)}
    WHERE "file" IS NULL AND "expires_at" > now()
  )`;
}

/** The columns of `ContentBytesRow`, of the row of a project's files. */
export function contentBytes(schema: string): Fragment {
  return sql`"bytes" + ${uploadedBytes(schema)} AS total, "left_bytes" AS left`;
}

/** One row of `ContentBytesRow`. */
export function contentBytesStatement(schema: string): Statement {
  return render(sql`SELECT ${contentBytes(schema)} FROM ${ident(schema, FILES_TABLE)}`);
}

/** One row: how many `files` there are, the `bytes` of all contents and uploads, and the `left` ones of former contents. */
export function storedFilesStatement(schema: string, files: KindDef): Statement {
  return render(sql`
    SELECT
      ${storedCount(schema, files)}::float8 AS files,
      ("bytes" + ${uploadedBytes(schema)})::float8 AS bytes,
      "left_bytes"::float8 AS left
    FROM ${ident(schema, FILES_TABLE)}
  `);
}

/** Says how many bytes all contents have, and ends all signed addresses, those of an earlier project of that id too. */
export function settleFilesStatement(schema: string, now = Date.now()): Statement {
  return render(sql`
    UPDATE ${ident(schema, FILES_TABLE)}
    SET
      "bytes" = (SELECT coalesce(sum(t."bytes"), 0) FROM ${ident(schema, FILE_KIND)} AS t),
      "epoch" = greatest("epoch" + 1, ${param(Math.floor(now / 1000))}::bigint)
  `);
}

/** Keeps all objects for some seconds, or longer where that was said before. */
export function keepObjectsStatement(schema: string, life: number): Statement {
  return render(sql`
    UPDATE ${ident(schema, FILES_TABLE)} SET "kept_until" = greatest("kept_until", now() + ${seconds(life)})
  `);
}
