/** Credentials and sign-in. */
import type { Field, KindDef } from '../../model/model.js';
import { ADMIN_KIND, CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import { columnType, NOW_TABLE } from '../columns.sql.js';
import { jsonObject } from '../list/hidden-fields.sql.js';
import { all, ident, integer, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/** The columns of credentials that sign-in needs. */
const CREDENTIAL_COLUMNS = sql`
  "id"::text AS id, "username", "email", "password_hash", "member_kind", "member_id"::text AS member_id,
  "totp_secret", "totp_confirmed" IS TRUE AS totp_confirmed,
  coalesce(cardinality("recovery_codes"), 0) AS recovery_codes,
  "email_verified_at" IS NOT NULL AS email_verified,
  "former_verified_at" IS NOT NULL AS proved_before
`;

/** The credentials with a username or e-mail address, given as its folded key; the address goes before the name. */
export function findCredentialStatement(schema: string, key: string): Statement {
  const name = param(key);
  return render(
    sql`
      ${credentialsWhere(schema, sql`"username_key" = ${name} OR "email_key" = ${name}`)}
      ORDER BY "email_key" = ${name} DESC
      LIMIT 1
    `,
    true,
  );
}

/** The credentials with an e-mail address, given as its folded key. */
export function findCredentialByEmailStatement(schema: string, key: string): Statement {
  return render(credentialsWhere(schema, sql`"email_key" = ${param(key)}`), true);
}

/** Stores the time of an access, without making a new version of the unit, and returns the member as JSON. */
export function recordAccessStatement(schema: string, kind: KindDef, fields: readonly Field[], id: string): Statement {
  return render(
    sql`
      WITH recorded AS (
        UPDATE ${ident(schema, kind.table)} AS t
        SET "first_access_time" = coalesce(t."first_access_time", n.now), "last_access_time" = n.now
        FROM ${NOW_TABLE}
        WHERE t."id" = ${param(id)}::${columnType('uuid')}
        RETURNING t.*
      )
      SELECT ${jsonObject(schema, fields)} AS body FROM recorded AS t
    `,
    true,
  );
}

/** The member as JSON. */
export function findMemberStatement(schema: string, kind: KindDef, fields: readonly Field[], id: string): Statement {
  return render(
    sql`
      SELECT ${jsonObject(schema, fields)} AS body
      FROM ${ident(schema, kind.table)} AS t
      WHERE t."id" = ${param(id)}::${columnType('uuid')}
    `,
    true,
  );
}

/** Sets a password, or none; with `before` only if it is the current hash. One row if it was set. */
export function setPasswordStatement(
  schema: string,
  memberId: string,
  hash: string | null,
  before?: string,
): Statement {
  const unchanged = before === undefined ? undefined : sql`"password_hash" = ${param(before)}`;
  return render(
    sql`
      UPDATE ${ident(schema, CREDENTIAL_KIND)}
      SET "password_hash" = ${param(hash)}
      WHERE ${all([sql`"member_id" = ${param(memberId)}::uuid`, unchanged])}
      RETURNING 1 AS set
    `,
  );
}

export function deleteCredentialStatement(schema: string, memberId: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, CREDENTIAL_KIND)} WHERE "member_id" = ${param(memberId)}::uuid`);
}

export function countMembersStatement(schema: string, kind: KindDef): Statement {
  return render(sql`SELECT count(*)::int AS count FROM ${ident(schema, kind.table)}`);
}

/** A row for each member of a kind, locked until the transaction ends. */
export function lockMembersStatement(schema: string, kind: KindDef): Statement {
  return render(sql`
    SELECT 1 AS kept
    FROM ${ident(schema, kind.table)} AS t
    ORDER BY t."id"
    FOR UPDATE
  `);
}

/** The credentials of administrators, those of some if there are many. */
export function findAdministratorsStatement(schema: string, limit: number): Statement {
  return render(sql`
    ${credentialsWhere(schema, sql`"member_kind" = ${param(ADMIN_KIND)}`)}
    ORDER BY "id"
    LIMIT ${integer(limit)}
  `);
}

/** The credentials of a member. */
export function findMemberCredentialStatement(schema: string, memberId: string): Statement {
  return render(credentialsWhere(schema, sql`"member_id" = ${param(memberId)}::uuid`));
}

function credentialsWhere(schema: string, condition: Fragment): Fragment {
  return sql`
    SELECT ${CREDENTIAL_COLUMNS}
    FROM ${ident(schema, CREDENTIAL_KIND)}
    WHERE ${condition}
  `;
}
