/** The row of a project's files as a whole. */
import { FILES_TABLE, UPLOAD_TABLE } from '../../model/table/internal-tables.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { OBJECT_FIELD } from '../../model/built-in/file-fields.js';
import type { KindDef } from '../../model/model.js';
import { storedCount } from '../count.sql.js';
import { type Fragment, ident, param, render, sql, type Statement } from '../fragment.js';

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

/** Rows `id, object, bytes`: where the contents of all files are. */
export function contentsStatement(schema: string): Statement {
  return render(sql`
    SELECT t."id"::text AS id, t.${ident(OBJECT_FIELD)} AS object, t."bytes"::float8 AS bytes
    FROM ${ident(schema, FILE_KIND)} AS t
    ORDER BY t."id"
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
