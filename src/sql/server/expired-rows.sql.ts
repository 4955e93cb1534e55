/** Deletes rows whose time is over: of sessions, one-time secrets, attempts, kept answers and uploads. */
import { SESSION_TABLE } from '../../model/table/internal-tables.js';
import type {
  IDEMPOTENCY_TABLE,
  ONE_TIME_TABLE,
  THROTTLE_TABLE,
  UPLOAD_TABLE,
} from '../../model/table/internal-tables.js';
import { ident, render, sql, type Statement } from '../fragment.js';
import { deleteTokensOf } from '../member/session.sql.js';

/** A table whose rows have `expires_at`. */
export type ExpiringTable =
  typeof SESSION_TABLE | typeof ONE_TIME_TABLE | typeof THROTTLE_TABLE | typeof IDEMPOTENCY_TABLE | typeof UPLOAD_TABLE;

/** Deletes some expired rows, the oldest first, without waiting for locked ones; with sessions also their tokens. */
export function deleteExpiredRowsStatement(schema: string, table: ExpiringTable): Statement {
  const rows = ident(schema, table);
  const deletion = sql`
    DELETE FROM ${rows}
    WHERE "id" IN (
      SELECT "id"
      FROM ${rows}
      WHERE "expires_at" <= now()
      ORDER BY "expires_at"
      LIMIT 500
      FOR UPDATE SKIP LOCKED
    )
  `;
  if (table !== SESSION_TABLE) return render(deletion, true);
  return render(sql`WITH expired AS (${deletion} RETURNING "id") ${deleteTokensOf(schema, sql`expired`)}`, true);
}
