/** Credentials and sign-in. */
import type { Field, KindDef } from '../model/model.js';
import { CREDENTIAL_KIND } from '../model/built-in-traits.js';
import { columnType, selectList } from './columns.sql.js';
import { all, ident, integer, param, render, sql, type Statement } from './fragment.js';

/** The columns of credentials that sign-in needs. */
export const CREDENTIAL_COLUMNS = sql`
  "username", "email", "password_hash", "member_kind", "member_id"::text AS member_id
`;

/** The credentials of a name or an address, both folded. */
export function findCredentialStatement(schema: string, key: string): Statement {
  const name = param(key);
  return render(
    sql`
      SELECT ${CREDENTIAL_COLUMNS}
      FROM ${ident(schema, CREDENTIAL_KIND)}
      WHERE "username_key" = ${name} OR "email_key" = ${name}
      ORDER BY "email_key" = ${name} DESC
      LIMIT 1
    `,
    true,
  );
}

/** The credentials of a member by the folded address alone, as mails are sent there. */
export function findCredentialByEmailStatement(schema: string, key: string): Statement {
  return render(
    sql`
      SELECT ${CREDENTIAL_COLUMNS}
      FROM ${ident(schema, CREDENTIAL_KIND)}
      WHERE "email_key" = ${param(key)}
    `,
    true,
  );
}

/** Notes an access (the version of the unit stays) and answers the member as JSON. */
export function recordAccessStatement(schema: string, kind: KindDef, fields: readonly Field[], id: string): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, kind.table)} AS t
      SET "first_access_time" = coalesce(t."first_access_time", now()), "last_access_time" = now()
      WHERE t."id" = ${param(id)}::${columnType('uuid')}
      RETURNING (SELECT row_to_json(_r) FROM (SELECT ${selectList(fields)}) AS _r)::text AS body
    `,
    true,
  );
}

/** Sets a password; where `before` is given, only if it is still that one. One row where it was set. */
export function setPasswordStatement(schema: string, memberId: string, hash: string, before?: string): Statement {
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

/** A row for each member of a kind, none of whom anybody else deletes before the transaction ends. */
export function lockMembersStatement(schema: string, kind: KindDef): Statement {
  return render(sql`
    SELECT 1 AS kept
    FROM ${ident(schema, kind.table)} AS t
    ORDER BY t."id"
    FOR UPDATE
  `);
}

/** The credentials of a member. */
export function findMemberCredentialStatement(schema: string, memberId: string): Statement {
  return render(
    sql`
      SELECT ${CREDENTIAL_COLUMNS}
      FROM ${ident(schema, CREDENTIAL_KIND)}
      WHERE "member_id" = ${param(memberId)}::uuid
    `,
  );
}

/** Credentials as an upgrade looks at them. */
export interface NamedCredential {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly member_kind: string;
  readonly member_id: string;
  /** When they were made, as text. */
  readonly made: string;
}

/**
 * Credentials whose keys have characters that folding leaves out (`shared/member-names.ts`), the oldest first, from
 * those behind `after` on.
 */
export function findUnfoldedCredentialsStatement(
  schema: string,
  after: Pick<NamedCredential, 'id' | 'made'> | undefined,
  limit: number,
): Statement {
  const joiners = param('[\u200c\u200d\ufe0e\ufe0f]');
  const unfolded = sql`(
    "username_key" ~ ${joiners}
    OR "email_key" ~ ${joiners}
    OR "email_key" ~ ${param('[.\u3002]$')}
  )`;
  const behind =
    after &&
    sql`("inserted_at", "id") > (${param(after.made)}::timestamptz, ${param(after.id)}::${columnType('uuid')})`;
  return render(
    sql`
      SELECT
        "id"::text AS id,
        "username",
        "email",
        "member_kind",
        "member_id"::text AS member_id,
        "inserted_at"::text AS made
      FROM ${ident(schema, CREDENTIAL_KIND)}
      WHERE ${all([unfolded, behind])}
      ORDER BY "inserted_at", "id"
      LIMIT ${integer(limit)}
    `,
  );
}

/** Gives credentials their keys anew, unless other credentials have one of them. One row where they got them. */
export function updateCredentialKeysStatement(
  schema: string,
  { id, username, email }: { readonly id: string; readonly username: string; readonly email: string },
): Statement {
  const table = ident(schema, CREDENTIAL_KIND);
  const [name, address] = [param(username), param(email)];
  return render(
    sql`
      UPDATE ${table} AS t
      SET "username_key" = ${name}, "email_key" = ${address}
      WHERE t."id" = ${param(id)}::${columnType('uuid')}
        AND NOT EXISTS (
          SELECT 1
          FROM ${table} AS o
          WHERE o."id" <> t."id" AND (o."username_key" = ${name} OR o."email_key" = ${address})
        )
      RETURNING 1 AS set
    `,
  );
}
