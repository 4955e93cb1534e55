/** Codes of sign-ins and tokens of password recoveries. A conditional statement uses each of them only once. */
import { CODE_TABLE, RECOVERY_TABLE } from '../../model/table/internal-tables.js';
import { credentialsWhere } from './credential.sql.js';
import { ident, integer, param, render, sql, type Fragment, type Statement } from '../fragment.js';
import { NOW_TABLE, seconds } from '../columns.sql.js';

interface NewCode {
  readonly memberId: string;
  readonly hash: string;
  /** Seconds. */
  readonly lifetime: number;
}

/** Stores the code of a member; it replaces an older one. */
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

/** Tries a code: counts the try, and uses the code if it is right. One row `fits`; none if no try is left. */
export function tryCodeStatement(schema: string, memberId: string, hash: string, tries: number): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, CODE_TABLE)}
      SET "tries" = "tries" + 1, "used_at" = CASE WHEN "hash" = ${param(hash)} THEN n.now END
      FROM ${NOW_TABLE}
      WHERE "id" = ${param(memberId)}::uuid
        AND "used_at" IS NULL
        AND "expires_at" > now()
        AND "tries" < ${integer(tries)}
      RETURNING "used_at" IS NOT NULL AS fits
    `,
    true,
  );
}

interface NewRecovery {
  readonly memberId: string;
  /** The hash of its token. */
  readonly id: string;
  /** Seconds. */
  readonly lifetime: number;
}

/** Stores the token of a recovery. */
export function storeRecoveryStatement(schema: string, { memberId, id, lifetime }: NewRecovery): Statement {
  return render(
    sql`
      INSERT INTO ${ident(schema, RECOVERY_TABLE)} ("id", "member_id", "made_at", "expires_at")
      VALUES (${param(id)}, ${param(memberId)}::uuid, now(), now() + ${seconds(lifetime)})
    `,
    true,
  );
}

/** The credentials of the member of a token that is valid. */
export function findRecoveryCredentialStatement(schema: string, id: string): Statement {
  return render(credentialsWhere(schema, sql`"member_id" = ${memberOfToken(schema, id)}`), true);
}

/** Uses a valid token, and with it all others of its member. Rows `id`: the tokens that were used. */
export function useRecoveryStatement(schema: string, id: string): Statement {
  const table = ident(schema, RECOVERY_TABLE);
  return render(sql`DELETE FROM ${table} WHERE "member_id" = ${memberOfToken(schema, id)} RETURNING "id"`);
}

/** The id of the member of a token that is valid. */
function memberOfToken(schema: string, id: string): Fragment {
  return sql`(
    SELECT "member_id"
    FROM ${ident(schema, RECOVERY_TABLE)}
    WHERE "id" = ${param(id)} AND "expires_at" > now()
  )`;
}

/** Deletes the code and the tokens of a member, so that what was mailed before is invalid. */
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
