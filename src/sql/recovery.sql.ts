/** Codes of sign-ins and tokens of password recoveries. What is single use is used by one conditional statement. */
import { CODE_TABLE, RECOVERY_TABLE, type THROTTLE_TABLE } from '../model/table/internal-tables.js';
import { CREDENTIAL_KIND } from '../model/built-in-traits.js';
import { CREDENTIAL_COLUMNS } from './credential.sql.js';
import { ident, integer, param, render, sql, type Statement } from './fragment.js';
import { seconds } from './session.sql.js';

export interface NewCode {
  readonly memberId: string;
  readonly hash: string;
  /** Seconds. */
  readonly lifetime: number;
}

/** Keeps the code of a member, in the place of an older one. */
export function storeCodeStatement(schema: string, { memberId, hash, lifetime }: NewCode): Statement {
  return render(
    sql`
      INSERT INTO ${ident(schema, CODE_TABLE)} ("id", "hash", "tries", "expires_at")
      VALUES (${param(memberId)}::uuid, ${param(hash)}, 0, now() + ${seconds(lifetime)})
      ON CONFLICT ("id") DO UPDATE SET
        "hash" = excluded."hash",
        "tries" = 0,
        "used_at" = NULL,
        "expires_at" = excluded."expires_at"
    `,
    true,
  );
}

/** Tries a code: the try is counted, and a code that fits is used up. One row `fits`; none where no try is left. */
export function tryCodeStatement(schema: string, memberId: string, hash: string, tries: number): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, CODE_TABLE)}
      SET "tries" = "tries" + 1, "used_at" = CASE WHEN "hash" = ${param(hash)} THEN now() END
      WHERE "id" = ${param(memberId)}::uuid
        AND "used_at" IS NULL
        AND "expires_at" > now()
        AND "tries" < ${integer(tries)}
      RETURNING "used_at" IS NOT NULL AS fits
    `,
    true,
  );
}

export interface NewRecovery {
  readonly memberId: string;
  /** The hash of its token. */
  readonly id: string;
  /** Seconds. */
  readonly lifetime: number;
}

/** Keeps the token of a recovery. */
export function storeRecoveryStatement(schema: string, { memberId, id, lifetime }: NewRecovery): Statement {
  return render(
    sql`
      INSERT INTO ${ident(schema, RECOVERY_TABLE)} ("id", "member_id", "made_at", "expires_at")
      VALUES (${param(id)}, ${param(memberId)}::uuid, now(), now() + ${seconds(lifetime)})
    `,
    true,
  );
}

/** The credentials of the member whom a token is for, while it is good. */
export function findRecoveryCredentialStatement(schema: string, id: string): Statement {
  return render(
    sql`
      SELECT ${CREDENTIAL_COLUMNS}
      FROM ${ident(schema, CREDENTIAL_KIND)}
      WHERE "member_id" = (
        SELECT "member_id"
        FROM ${ident(schema, RECOVERY_TABLE)}
        WHERE "id" = ${param(id)} AND "expires_at" > now()
      )
    `,
    true,
  );
}

/** Uses a token, and with it all others of its member. Rows `id`, with the token's among them where it was still good. */
export function useRecoveryStatement(schema: string, id: string): Statement {
  const table = ident(schema, RECOVERY_TABLE);
  return render(
    sql`
      DELETE FROM ${table}
      WHERE "member_id" = (
        SELECT "member_id"
        FROM ${table}
        WHERE "id" = ${param(id)} AND "expires_at" > now()
      )
      RETURNING "id"
    `,
  );
}

/** Takes a member's code and tokens back: what was mailed to it is worth nothing any more. */
export function deleteCodesAndRecoveriesStatement(schema: string, memberId: string): Statement {
  const member = sql`${param(memberId)}::uuid`;
  return render(
    sql`
      WITH codes AS (DELETE FROM ${ident(schema, CODE_TABLE)} WHERE "id" = ${member})
      DELETE FROM ${ident(schema, RECOVERY_TABLE)}
      WHERE "member_id" = ${member}
    `,
  );
}

/** Clears rows away whose time is over: some, the oldest first, and none that somebody else is at. */
export function deleteExpiredStatement(
  schema: string,
  table: typeof CODE_TABLE | typeof RECOVERY_TABLE | typeof THROTTLE_TABLE,
): Statement {
  const rows = ident(schema, table);
  return render(
    sql`
      DELETE FROM ${rows}
      WHERE "id" IN (
        SELECT "id"
        FROM ${rows}
        WHERE "expires_at" <= now()
        ORDER BY "expires_at"
        LIMIT 500
        FOR UPDATE SKIP LOCKED
      )
    `,
    true,
  );
}
