/** Sessions of members and their refresh tokens: what is single use is used by one conditional UPDATE. */
import { REFRESH_TABLE, SESSION_TABLE } from '../model/table/internal-tables.js';
import { CREDENTIAL_KIND } from '../model/built-in-traits.js';
import { ident, param, render, sql, type Fragment, type Statement } from './fragment.js';

export interface NewSession {
  readonly id: string;
  readonly memberKind: string;
  readonly memberId: string;
  /** The id of its first refresh token. */
  readonly refresh: string;
  /** Seconds. */
  readonly lifetime: number;
  /** The password's hash that was checked; where it is another by now, nothing starts. */
  readonly password?: string;
}

const IS_ALIVE = sql`s."expires_at" > now()`;

/** An interval. */
export function seconds(count: number): Fragment {
  return sql`${param(count)}::double precision * interval '1 second'`;
}

/**
 * Starts a session with its first refresh token; sessions of the member that ended are cleared away. One row `issued`,
 * none where the password is another by now: whoever changes it, or deletes the member, waits for this, and then ends this
 * session too. An UPDATE that changes nothing tells them, where a lock would not: at REPEATABLE READ they begin again.
 */
export function startSessionStatement(schema: string, session: NewSession): Statement {
  const { id, memberKind, memberId, refresh, lifetime, password } = session;
  const member = sql`${param(memberId)}::uuid`;
  const key = sql`${param(id)}::uuid`;
  const sessions = ident(schema, SESSION_TABLE);
  const allowed =
    password === undefined
      ? sql`SELECT`
      : sql`
        UPDATE ${ident(schema, CREDENTIAL_KIND)}
        SET "password_hash" = "password_hash"
        WHERE "member_id" = ${member} AND "password_hash" = ${param(password)}
        RETURNING 1
      `;
  return render(
    sql`
      WITH
        allowed AS (${allowed}),
        old AS (
          DELETE FROM ${sessions}
          WHERE "member_id" = ${member} AND "expires_at" <= now()
          RETURNING "id"
        ),
        gone AS (
          DELETE FROM ${ident(schema, REFRESH_TABLE)} WHERE "session_id" IN (SELECT "id" FROM old)
        ),
        made AS (
          INSERT INTO ${sessions} ("id", "member_kind", "member_id", "started_at", "expires_at")
          SELECT ${key}, ${param(memberKind)}, ${member}, now(), now() + ${seconds(lifetime)}
          FROM allowed
          RETURNING "id"
        )
      INSERT INTO ${ident(schema, REFRESH_TABLE)} ("id", "session_id", "issued_at")
      SELECT ${param(refresh)}::uuid, "id", date_trunc('second', now())
      FROM made
      RETURNING extract(epoch FROM "issued_at")::int AS issued
    `,
    true,
  );
}

/** One row where the session is alive. */
export function findSessionStatement(schema: string, id: string): Statement {
  return render(
    sql`
      SELECT 1 AS alive
      FROM ${ident(schema, SESSION_TABLE)} AS s
      WHERE s."id" = ${param(id)}::uuid AND ${IS_ALIVE}
    `,
    true,
  );
}

export interface TokenRotation {
  readonly token: string;
  readonly successor: string;
  /** Seconds that the session lives on. */
  readonly lifetime: number;
  /** Seconds in which a used token is still known. */
  readonly window: number;
}

/**
 * Uses a refresh token for its successor, and the session lives on. What was used before the window is forgotten: shown
 * again, it ends the session as any token would that nobody knows. One row `issued`, none where it was used before.
 */
export function rotateTokenStatement(schema: string, { token, successor, lifetime, window }: TokenRotation): Statement {
  const next = sql`${param(successor)}::uuid`;
  const tokens = ident(schema, REFRESH_TABLE);
  return render(
    sql`
      WITH
        used AS (
          UPDATE ${tokens} AS r
          SET "used_at" = now(), "successor" = ${next}
          FROM ${ident(schema, SESSION_TABLE)} AS s
          WHERE r."id" = ${param(token)}::uuid
            AND r."used_at" IS NULL
            AND s."id" = r."session_id"
            AND ${IS_ALIVE}
          RETURNING r."session_id"
        ),
        longer AS (
          UPDATE ${ident(schema, SESSION_TABLE)}
          SET "expires_at" = now() + ${seconds(lifetime)}
          WHERE "id" IN (SELECT "session_id" FROM used)
        ),
        forgotten AS (
          DELETE FROM ${tokens}
          WHERE "session_id" IN (SELECT "session_id" FROM used) AND "used_at" < now() - ${seconds(window)}
        )
      INSERT INTO ${tokens} ("id", "session_id", "issued_at")
      SELECT ${next}, "session_id", date_trunc('second', now())
      FROM used
      RETURNING extract(epoch FROM "issued_at")::int AS issued
    `,
    true,
  );
}

/** What became of a refresh token: its successor, when that was issued, and whether it was used within the last seconds. */
export function findSuccessorStatement(schema: string, token: string, window: number): Statement {
  const tokens = ident(schema, REFRESH_TABLE);
  return render(
    sql`
      SELECT
        n."id"::text AS id,
        extract(epoch FROM n."issued_at")::int AS issued,
        r."used_at" > clock_timestamp() - ${seconds(window)} AS recent
      FROM ${tokens} AS r
      JOIN ${tokens} AS n ON n."id" = r."successor"
      JOIN ${ident(schema, SESSION_TABLE)} AS s ON s."id" = r."session_id"
      WHERE r."id" = ${param(token)}::uuid AND ${IS_ALIVE}
    `,
  );
}

/** Clears some sessions away that ended by themselves, the oldest first, with their tokens. */
export function deleteExpiredSessionsStatement(schema: string): Statement {
  const sessions = ident(schema, SESSION_TABLE);
  return render(
    sql`
      WITH old AS (
        DELETE FROM ${sessions}
        WHERE "id" IN (
          SELECT "id"
          FROM ${sessions}
          WHERE "expires_at" <= now()
          ORDER BY "expires_at"
          LIMIT 500
          FOR UPDATE SKIP LOCKED
        )
        RETURNING "id"
      )
      DELETE FROM ${ident(schema, REFRESH_TABLE)}
      WHERE "session_id" IN (SELECT "id" FROM old)
    `,
    true,
  );
}

/** Ends sessions: one, or all of a member but one. Rows `id`. */
export function endSessionsStatement(
  schema: string,
  which: { id: string } | { memberId: string; but?: string },
): Statement {
  const condition =
    'id' in which
      ? sql`"id" = ${param(which.id)}::uuid`
      : sql`
        "member_id" = ${param(which.memberId)}::uuid
          AND "id" IS DISTINCT FROM ${param(which.but ?? null)}::uuid
      `;
  return render(
    sql`
      WITH
        ended AS (
          DELETE FROM ${ident(schema, SESSION_TABLE)}
          WHERE ${condition}
          RETURNING "id"
        ),
        gone AS (
          DELETE FROM ${ident(schema, REFRESH_TABLE)} WHERE "session_id" IN (SELECT "id" FROM ended)
        )
      SELECT "id"::text AS id
      FROM ended
    `,
  );
}

/** Ends the sessions of all members of a kind, and takes their credentials. */
export function endMembersStatement(schema: string, memberKind: string): Statement {
  const kind = param(memberKind);
  return render(
    sql`
      WITH
        ended AS (
          DELETE FROM ${ident(schema, SESSION_TABLE)}
          WHERE "member_kind" = ${kind}
          RETURNING "id"
        ),
        gone AS (
          DELETE FROM ${ident(schema, REFRESH_TABLE)} WHERE "session_id" IN (SELECT "id" FROM ended)
        )
      DELETE FROM ${ident(schema, CREDENTIAL_KIND)}
      WHERE "member_kind" = ${kind}
    `,
  );
}
