/** The row of a project's files as a whole. */
import { FILES_TABLE } from '../../model/table/internal-tables.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { OBJECT_FIELD } from '../../model/built-in/file-fields.js';
import type { KindDef } from '../../model/model.js';
import { storedCount } from '../count.sql.js';
import { ident, param, render, sql, type Statement } from '../fragment.js';
import { uploadedBytes } from './upload.sql.js';

/** Ends all signed addresses of the project's files. */
export function revokeUrlsStatement(schema: string): Statement {
  return render(sql`UPDATE ${ident(schema, FILES_TABLE)} SET "epoch" = "epoch" + 1`);
}

/** One row: how many `files` there are, and the `bytes` of all contents and uploads. */
export function storedFilesStatement(schema: string, files: KindDef): Statement {
  return render(sql`
    SELECT ${storedCount(schema, files)}::float8 AS files, ("bytes" + ${uploadedBytes(schema)})::float8 AS bytes
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
