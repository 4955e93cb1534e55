/** Sessions of members and their refresh tokens. A conditional UPDATE uses each token only once. */
import { REFRESH_TABLE, SESSION_TABLE } from '../../model/table/internal-tables.js';
import { CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import type { HeldReason, MemberDemands } from '../../model/held-members.js';
import { demandsMore, heldReason, lacksSecondStep } from './held.sql.js';
import { seconds, utcText } from '../columns.sql.js';
import { modelVersion } from '../model-version.sql.js';
import { all, ident, integer, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/** The client that signed in, or that last refreshed the session. */
export interface SessionClient {
  readonly address: string;
  /** The header `User-Agent`. */
  readonly userAgent: string | undefined;
}

/** A unit of `OWNED_KINDS` that its member signs in with, such as a passkey. */
export interface WayInUnit {
  readonly kind: string;
  readonly id: string;
}

interface NewSession {
  readonly id: string;
  readonly client: SessionClient | undefined;
  readonly memberKind: string;
  readonly memberId: string;
  /** The id of its first refresh token. */
  readonly refresh: string;
  /** Seconds. */
  readonly lifetime: number;
  /** The hash that the password was checked with; if it has changed since, no session is started. */
  readonly password?: string;
  /** What the member has signed in with; if it is gone since, no session is started. */
  readonly unit?: WayInUnit;
  /** Whether the member has used its app or a passkey; if it has not, and an app is set up since, no session is started. */
  readonly secondStep?: boolean;
}

const IS_ALIVE = sql`s."expires_at" > now()`;

/**
 * Starts a session with its first refresh token, and deletes expired sessions of the member. One row `issued`; none if
 * what its member has proved itself with, or has to, has changed. A transaction that changes that or deletes the member at
 * the same time waits for this one and then ends this session too. That takes an UPDATE, though it changes nothing: it
 * makes a waiting transaction of level REPEATABLE READ fail and run again, which a lock would not.
 */
export function startSessionStatement(schema: string, session: NewSession): Statement {
  const { id, client, memberKind, memberId, refresh, lifetime } = session;
  const member = sql`${param(memberId)}::uuid`;
  const key = sql`${param(id)}::uuid`;
  const sessions = ident(schema, SESSION_TABLE);
  return render(
    sql`
      WITH
        ${stillProved(schema, session)},
        expired AS (
          DELETE FROM ${sessions}
          WHERE "member_id" = ${member} AND "expires_at" <= now()
          RETURNING "id"
        ),
        deleted AS (${deleteTokensOf(schema, sql`expired`)}),
        started AS (
          INSERT INTO ${sessions} (
            "id", "member_kind", "member_id", "started_at", "used_at", "expires_at", "address", "user_agent",
            "second_step"
          )
          SELECT
            ${key},
            ${param(memberKind)},
            ${member},
            now(),
            now(),
            now() + ${seconds(lifetime)},
            ${param(client?.address ?? null)},
            ${param(client?.userAgent ?? null)},
            ${param(session.secondStep ?? null)}::boolean
          FROM allowed
          RETURNING "id"
        ),
        ${issuedToken(schema, sql`SELECT ${param(refresh)}::uuid, "id", date_trunc('second', now()) FROM started`)}
      ${ISSUED}
    `,
    true,
  );
}

/**
 * The CTE `allowed`, of one row if what the member has proved itself with is still there, and all that is asked for. The
 * credentials are locked first, as by what removes ways to sign in.
 */
function stillProved(schema: string, { memberId, password, unit, secondStep }: NewSession): Fragment {
  const member = sql`${param(memberId)}::uuid`;
  const unchanged = [
    password === undefined ? undefined : sql`"password_hash" = ${param(password)}`,
    secondStep === false ? sql`"totp_confirmed" IS NOT TRUE` : undefined,
  ];
  const credential = unchanged.some((each) => each !== undefined)
    ? sql`
        UPDATE ${ident(schema, CREDENTIAL_KIND)}
        SET "password_hash" = "password_hash"
        WHERE ${all([sql`"member_id" = ${member}`, ...unchanged])}
        RETURNING 1 AS one
      `
    : undefined;
  if (!unit) return sql`allowed AS (${credential ?? sql`SELECT 1 AS one`})`;
  const kept = (after: Fragment) => sql`
    allowed AS (
      UPDATE ${ident(schema, unit.kind)}
      SET "member" = "member"
      ${after}
      WHERE "member" = ${member} AND "id" = ${param(unit.id)}::uuid
      RETURNING 1 AS one
    )
  `;
  return credential ? sql`credential AS (${credential}), ${kept(sql`FROM credential`)}` : kept(sql``);
}

/** The CTE `token`: a new refresh token, from rows of its id, its session and its time. */
function issuedToken(schema: string, rows: Fragment): Fragment {
  return sql`
    token AS (
      INSERT INTO ${ident(schema, REFRESH_TABLE)} ("id", "session_id", "issued_at") ${rows}
      RETURNING "issued_at"
    )
  `;
}

const ISSUED = sql`SELECT extract(epoch FROM "issued_at")::int AS issued FROM token`;

/** Seconds for which the time of the last use is not stored again. */
const USE_PRECISION = 60;

/** A session that is alive. */
export interface FoundSession {
  /** The kind of its member. */
  readonly member_kind: string;
  /** The time of its last use is more than a minute ago. */
  readonly unrecorded: boolean;
  readonly held: HeldReason | null;
  /** The version of the model. */
  readonly v: string;
}

/** One row `FoundSession`, or none. */
export function findSessionStatement(schema: string, id: string, demands: MemberDemands): Statement {
  return render(
    sql`
      SELECT
        ${memberKind(schema)} AS member_kind,
        coalesce(s."used_at" < now() - ${seconds(USE_PRECISION)}, true) AS unrecorded,
        ${heldReasonOf(schema, demands)} AS held,
        ${modelVersion(schema)} AS v
      FROM ${ident(schema, SESSION_TABLE)} AS s
      WHERE s."id" = ${param(id)}::uuid AND ${IS_ALIVE}
    `,
    true,
  );
}

/** The kind of the member of a session `s`: that which tokens name may have another id by now. */
function memberKind(schema: string): Fragment {
  return sql`(SELECT c."member_kind" FROM ${ident(schema, CREDENTIAL_KIND)} AS c WHERE c."member_id" = s."member_id")`;
}

/** One row `member_kind`: of a session. */
export function memberKindStatement(schema: string, id: string): Statement {
  return render(
    sql`
      SELECT ${memberKind(schema)} AS member_kind
      FROM ${ident(schema, SESSION_TABLE)} AS s
      WHERE s."id" = ${param(id)}::uuid
    `,
    true,
  );
}

/** Rows `id`, `member_kind`: those of the sessions that are alive, and whose members are not held. */
export function aliveSessionsStatement(schema: string, ids: readonly string[], demands: MemberDemands): Statement {
  return render(sql`
    SELECT s."id"::text AS id, ${memberKind(schema)} AS member_kind
    FROM ${ident(schema, SESSION_TABLE)} AS s
    WHERE s."id" = ANY(${param(ids)}::uuid[]) AND ${IS_ALIVE} AND ${heldReasonOf(schema, demands)} IS NULL
  `);
}

/** The `HeldReason` of a session `s`. */
function heldReasonOf(schema: string, demands: MemberDemands): Fragment {
  const credentials = sql`${ident(schema, CREDENTIAL_KIND)} AS c WHERE c."member_id" = s."member_id"`;
  return demandsMore(demands)
    ? sql`(SELECT ${heldReason(schema, sql`c`, demands, sql`s`)} FROM ${credentials})`
    : sql`NULL::text`;
}

/**
 * One row of a session that is alive. `recent`: its member has proved who it is within these seconds; `whole`: it has used
 * the second step in it, where it has one and that is asked for.
 */
export function findProofStatement(schema: string, id: string, window: number, demands: MemberDemands): Statement {
  return render(
    sql`
      SELECT
        coalesce(s."proved_at", s."started_at") > now() - ${seconds(window)} AS recent,
        NOT EXISTS (
          SELECT 1
          FROM ${ident(schema, CREDENTIAL_KIND)} AS c
          WHERE c."member_id" = s."member_id" AND ${lacksSecondStep(schema, sql`c`, demands, sql`s`)}
        ) AS whole
      FROM ${ident(schema, SESSION_TABLE)} AS s
      WHERE s."id" = ${param(id)}::uuid AND ${IS_ALIVE}
    `,
  );
}

/** Stores that the member of a session has proved who it is now. */
export function renewProofStatement(schema: string, id: string): Statement {
  return render(
    sql`UPDATE ${ident(schema, SESSION_TABLE)} SET "proved_at" = now() WHERE "id" = ${param(id)}::uuid`,
    true,
  );
}

/** Stores that the member of a session has used its second step in it, or set it up. */
export function recordSecondStepStatement(schema: string, id: string): Statement {
  return render(sql`UPDATE ${ident(schema, SESSION_TABLE)} SET "second_step" = true WHERE "id" = ${param(id)}::uuid`);
}

/** Stores that a session is used now, unless another transaction is changing it. */
export function recordUseStatement(schema: string, id: string): Statement {
  const sessions = ident(schema, SESSION_TABLE);
  return render(
    sql`
      UPDATE ${sessions}
      SET "used_at" = now()
      WHERE "id" IN (
        SELECT s."id"
        FROM ${sessions} AS s
        WHERE s."id" = ${param(id)}::uuid
        FOR UPDATE SKIP LOCKED
      )
    `,
    true,
  );
}

export interface SessionPage {
  readonly memberId: string;
  /** The session of the request. */
  readonly currentId: string;
  readonly limit: number;
  readonly offset: number;
}

/** The sessions of a member, the newest first, as JSON, with their number. One row `count`, `items`. */
export function listSessionsStatement(schema: string, { memberId, currentId, limit, offset }: SessionPage): Statement {
  const alive = sql`
    FROM ${ident(schema, SESSION_TABLE)} AS s
    WHERE s."member_id" = ${param(memberId)}::uuid AND ${IS_ALIVE}
  `;
  return render(
    sql`
      SELECT
        (SELECT count(*)::int ${alive}) AS count,
        coalesce(json_agg(row_to_json(p)), '[]')::text AS items
      FROM (
        SELECT
          s."id",
          ${utcText(sql`s."started_at"`)} AS "made_at",
          ${utcText(sql`coalesce(s."used_at", s."started_at")`)} AS "last_used_at",
          s."address",
          s."user_agent",
          s."id" = ${param(currentId)}::uuid AS "current"
        ${alive}
        ORDER BY s."started_at" DESC, s."id"
        LIMIT ${integer(limit)}
        OFFSET ${integer(offset)}
      ) AS p
    `,
  );
}

interface TokenRotation {
  readonly client: SessionClient;
  readonly token: string;
  readonly successor: string;
  /** Seconds until the session expires. */
  readonly lifetime: number;
  /** Seconds for which a used token is stored. */
  readonly window: number;
}

/**
 * Replaces a refresh token by its successor and prolongs the session. Deletes tokens that were used before the window;
 * using one of them again ends the session, like any unknown token. One row `issued`; none if the token was used
 * before.
 */
export function rotateTokenStatement(schema: string, rotation: TokenRotation): Statement {
  const { client, token, successor, lifetime, window } = rotation;
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
        prolonged AS (
          UPDATE ${ident(schema, SESSION_TABLE)}
          SET
            "expires_at" = now() + ${seconds(lifetime)},
            "used_at" = now(),
            "address" = ${param(client.address)},
            "user_agent" = ${param(client.userAgent ?? null)}
          WHERE "id" IN (SELECT "session_id" FROM used)
        ),
        deleted AS (
          DELETE FROM ${tokens}
          WHERE "session_id" IN (SELECT "session_id" FROM used) AND "used_at" < now() - ${seconds(window)}
        ),
        ${issuedToken(schema, sql`SELECT ${next}, "session_id", date_trunc('second', now()) FROM used`)}
      ${ISSUED}
    `,
    true,
  );
}

/**
 * One row for a used refresh token: its successor `id`, when that was `issued`, and `recent`: used within the window.
 */
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

/** One session, also only if it is of a member, or all sessions of a member, also except one. */
export type EndedSessions = { id: string; memberId?: string } | { memberId: string; but?: string };

/** Ends sessions. Rows `id`. */
export function endSessionsStatement(schema: string, which: EndedSessions): Statement {
  const { memberId } = which;
  const conditions = [
    'id' in which ? sql`"id" = ${param(which.id)}::uuid` : undefined,
    memberId === undefined ? undefined : sql`"member_id" = ${param(memberId)}::uuid`,
    'but' in which ? sql`"id" <> ${param(which.but)}::uuid` : undefined,
  ];
  return render(
    sql`
      WITH
        ${endedSessions(schema, all(conditions))}
      SELECT "id"::text AS id
      FROM ended
    `,
  );
}

/** Ends the sessions of all members of a kind, and deletes their credentials. */
export function endMembersStatement(schema: string, memberKind: string): Statement {
  const kind = param(memberKind);
  return render(
    sql`
      WITH
        ${endedSessions(schema, sql`"member_kind" = ${kind}`)}
      DELETE FROM ${ident(schema, CREDENTIAL_KIND)}
      WHERE "member_kind" = ${kind}
    `,
  );
}

/** CTEs that delete sessions, as `ended`, and their refresh tokens. */
function endedSessions(schema: string, condition: Fragment): Fragment {
  return sql`
    ended AS (DELETE FROM ${ident(schema, SESSION_TABLE)} WHERE ${condition} RETURNING "id"),
    deleted AS (${deleteTokensOf(schema, sql`ended`)})
  `;
}

/** Deletes the refresh tokens of the sessions in a CTE. */
export function deleteTokensOf(schema: string, sessions: Fragment): Fragment {
  return sql`DELETE FROM ${ident(schema, REFRESH_TABLE)} WHERE "session_id" IN (SELECT "id" FROM ${sessions})`;
}
