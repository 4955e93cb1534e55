/** Secrets that work once, for a while: a conditional statement uses each of them only once. */
import { ONE_TIME_TABLE } from '../../model/table/internal-tables.js';
import type { Json } from '../../shared/json.js';
import { NOW_TABLE, seconds } from '../columns.sql.js';
import { ident, integer, param, render, sql, type Statement } from '../fragment.js';

export interface OneTimeRow {
  readonly member_id: string | null;
  readonly data: Json;
}

interface NewSecret {
  readonly id: string;
  /** Of what has to be said; null where the id is all that has to be known. */
  readonly hash: string | null;
  readonly memberId: string | null;
  readonly data: Json;
  /** Seconds. */
  readonly lifetime: number;
}

const ROW = sql`"member_id", "data"`;
const IS_VALID = sql`"expires_at" > now()`;

/** Stores a secret; it replaces one with the same id. */
export function storeSecretStatement(schema: string, { id, hash, memberId, data, lifetime }: NewSecret): Statement {
  return render(
    sql`
      INSERT INTO ${ident(schema, ONE_TIME_TABLE)} ("id", "hash", "member_id", "data", "tries", "expires_at")
      VALUES (
        ${param(id)},
        ${param(hash)},
        ${param(memberId)}::uuid,
        ${param(JSON.stringify(data))}::jsonb,
        0,
        now() + ${seconds(lifetime)}
      )
      ON CONFLICT ("id") DO UPDATE SET
        "hash" = excluded."hash",
        "member_id" = excluded."member_id",
        "data" = excluded."data",
        "tries" = 0,
        "expires_at" = excluded."expires_at"
    `,
    true,
  );
}

/** A secret, which stays (`OneTimeRow`). */
export function findSecretStatement(schema: string, id: string): Statement {
  return render(
    sql`SELECT ${ROW} FROM ${ident(schema, ONE_TIME_TABLE)} WHERE "id" = ${param(id)} AND ${IS_VALID}`,
    true,
  );
}

/** Uses a secret (`OneTimeRow`). Of concurrent uses only one finds it. */
export function takeSecretStatement(schema: string, id: string): Statement {
  return render(sql`
    DELETE FROM ${ident(schema, ONE_TIME_TABLE)}
    WHERE "id" = ${param(id)} AND ${IS_VALID}
    RETURNING ${ROW}
  `);
}

/** How a secret is tried. */
interface TriedSecret {
  readonly hash: string;
  /** The most tries. */
  readonly tries: number;
  /** Seconds that it stays if it is right; with 0 it is used. */
  readonly keep: number;
}

/**
 * Counts a try of a secret. One row `OneTimeRow` with `fits`; none if no try is left. One that was right once is stored as
 * such, so that further tries do not keep it longer.
 */
export function trySecretStatement(schema: string, id: string, { hash, tries, keep }: TriedSecret): Statement {
  const right = `right ${hash}`;
  const isNewlyRight = sql`"hash" = ${param(hash)}`;
  return render(
    sql`
      WITH tried AS (
        UPDATE ${ident(schema, ONE_TIME_TABLE)}
        SET
          "tries" = "tries" + 1,
          "hash" = CASE WHEN ${isNewlyRight} THEN ${param(right)} ELSE "hash" END,
          "expires_at" = CASE WHEN ${isNewlyRight} THEN n.now + ${seconds(keep)} ELSE "expires_at" END
        FROM ${NOW_TABLE}
        WHERE "id" = ${param(id)} AND "expires_at" > n.now AND "tries" < ${integer(tries)}
        RETURNING "hash", ${ROW}
      )
      SELECT "hash" = ${param(right)} AS fits, ${ROW}
      FROM tried
    `,
    true,
  );
}

/** Deletes some secrets of a purpose, all made for the same time, where there are more than so many newer ones. */
export function deleteOldestStatement(schema: string, purpose: string, kept: number): Statement {
  const rows = ident(schema, ONE_TIME_TABLE);
  return render(
    sql`
      DELETE FROM ${rows}
      WHERE "id" IN (
        SELECT "id"
        FROM ${rows}
        WHERE starts_with("id", ${param(`${purpose} `)})
        ORDER BY "expires_at" DESC
        OFFSET ${integer(kept)}
        LIMIT 500
        FOR UPDATE SKIP LOCKED
      )
    `,
    true,
  );
}

/** Deletes the secrets of a member, so that what was mailed before is invalid. */
export function deleteSecretsOfMemberStatement(schema: string, memberId: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, ONE_TIME_TABLE)} WHERE "member_id" = ${param(memberId)}::uuid`);
}
