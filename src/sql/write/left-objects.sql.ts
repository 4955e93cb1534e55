/** Deletions of files leave their objects, which are removed later (`sql/file/object.sql.ts`). */
import { OBJECT_FIELD } from '../../model/built-in/file-fields.js';
import type { KindDef } from '../../model/model.js';
import { FILES_TABLE, UNUSED_OBJECT_TABLE } from '../../model/table/internal-tables.js';
import { seconds } from '../columns.sql.js';
import { ident, sql, type Fragment } from '../fragment.js';

/** How long an object stays after its file: for downloads under way, backups, and databases that are set back. */
export const LEFT_OBJECT_SECONDS = 24 * 60 * 60;

/** CTEs that leave the objects of deleted files, which the CTE `rows` returns as `t.*`. They need the CTE `WRITE_TIME`. */
export function leaveObjects(schema: string, { traits }: KindDef, rows: Fragment): readonly Fragment[] {
  if (!traits.contents) return [];
  return [
    sql`left_objects AS (
      INSERT INTO ${ident(schema, UNUSED_OBJECT_TABLE)} ("id", "goes_at", "bytes")
      SELECT t.${ident(OBJECT_FIELD)}, _now.at + ${seconds(LEFT_OBJECT_SECONDS)}, t."bytes"
      FROM ${rows} AS t, _now
    )`,
    sql`less AS (
      UPDATE ${ident(schema, FILES_TABLE)} AS f
      SET "bytes" = f."bytes" - l.bytes, "left_bytes" = f."left_bytes" + l.bytes
      FROM (SELECT coalesce(sum(t."bytes"), 0) AS bytes FROM ${rows} AS t) AS l
    )`,
  ];
}
