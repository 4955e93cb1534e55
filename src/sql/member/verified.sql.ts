/** Whether the addresses of members are verified, and what a proof of one removes from its account. */
import { CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import type { KindDef } from '../../model/model.js';
import { MEMBERS_TABLE } from '../../model/table/internal-tables.js';
import { columnType, NOW_TABLE, utcText } from '../columns.sql.js';
import { ident, param, render, sql, type Statement } from '../fragment.js';

/** Begins the time since when the project verifies addresses, if it has not begun. */
export function beginMembersStatement(schema: string): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, MEMBERS_TABLE)} ("id", "verifies_since")
    VALUES (1, now())
    ON CONFLICT ("id") DO NOTHING
  `);
}

/** One row `time`: since when the project verifies addresses. */
export function verifiesSinceStatement(schema: string): Statement {
  return render(sql`SELECT ${utcText(sql`"verifies_since"`)} AS time FROM ${ident(schema, MEMBERS_TABLE)}`);
}

/** Sets that time; now, if it is left out. */
export function setVerifiesSinceStatement(schema: string, time?: string): Statement {
  const since = time === undefined ? sql`n.now` : sql`${param(time)}::timestamptz`;
  return render(sql`UPDATE ${ident(schema, MEMBERS_TABLE)} SET "verifies_since" = ${since} FROM ${NOW_TABLE}`);
}

/** The account of a member, as it is before its address is proved. */
export interface AccountRow {
  readonly verified: boolean;
  readonly had_password: boolean;
  readonly totp: boolean;
  /** Whether an address of it was proved before an administrator set another one. */
  readonly proved_before: boolean;
  /** Whether it was made since the project verifies addresses. */
  readonly recent: boolean;
}

/** One row `AccountRow`, locked until the transaction ends. */
export function lockAccountStatement(schema: string, memberId: string): Statement {
  return render(sql`
    SELECT
      c."email_verified_at" IS NOT NULL AS verified,
      c."password_hash" IS NOT NULL AS had_password,
      c."totp_confirmed" IS TRUE AS totp,
      c."former_verified_at" IS NOT NULL AS proved_before,
      coalesce(c."inserted_at" >= (SELECT m."verifies_since" FROM ${ident(schema, MEMBERS_TABLE)} AS m), true) AS recent
    FROM ${ident(schema, CREDENTIAL_KIND)} AS c
    WHERE c."member_id" = ${param(memberId)}::uuid
    FOR UPDATE OF c
  `);
}

/** Leaves of all that one could sign in with by the credentials of a member only a new password, or none. */
export function emptyCredentialStatement(schema: string, memberId: string, password: string | null): Statement {
  return render(sql`
    UPDATE ${ident(schema, CREDENTIAL_KIND)}
    SET
      "password_hash" = ${param(password)},
      "totp_secret" = NULL,
      "totp_confirmed" = NULL,
      "totp_step" = NULL,
      "recovery_codes" = NULL,
      "passkey_handle" = NULL
    WHERE "member_id" = ${param(memberId)}::uuid
  `);
}

/** Marks an address as verified, if it is that of the member: one row then. */
export function setVerifiedStatement(schema: string, memberId: string, email: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, CREDENTIAL_KIND)}
    SET "email_verified_at" = coalesce("email_verified_at", n.now)
    FROM ${NOW_TABLE}
    WHERE "member_id" = ${param(memberId)}::uuid AND "email" = ${param(email)}
    RETURNING "id"
  `);
}

/** Marks the address of a member as not verified. That a former one was stays known. */
export function forgetVerifiedStatement(schema: string, memberId: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, CREDENTIAL_KIND)}
    SET
      "former_verified_at" = coalesce("former_verified_at", "email_verified_at"),
      "email_verified_at" = NULL
    WHERE "member_id" = ${param(memberId)}::uuid
  `);
}

/** Shows in the record of a member whether its address is verified, without making a new version of it. */
export function showVerifiedStatement(schema: string, kind: KindDef, memberId: string, verified: boolean): Statement {
  const time = verified ? sql`coalesce(t."email_verified_at", n.now)` : sql`NULL`;
  return render(sql`
    UPDATE ${ident(schema, kind.table)} AS t
    SET "email_verified_at" = ${time}
    FROM ${NOW_TABLE}
    WHERE t."id" = ${param(memberId)}::${columnType('uuid')}
  `);
}

/** Takes the addresses of all members as verified, in their credentials or in the records of a kind. */
export function trustAllStatement(schema: string, table: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, table)}
    SET "email_verified_at" = n.now
    FROM ${NOW_TABLE}
    WHERE "email_verified_at" IS NULL
  `);
}
