/** Units that members own and that go with them: those of `OWNED_KINDS`, whose field `member` is the id of the member. */
import { CREDENTIAL_KIND, IDENTITY_KIND, IDENTITY_PROVIDER_KIND, PASSKEY_KIND } from '../../model/built-in-traits.js';
import { ident, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/**
 * Locks the credentials of a member until the transaction ends, by an edit that changes nothing: a transaction that
 * deletes the member meanwhile waits, and then sees the units that this one makes, whatever its isolation level. One row
 * if the member exists.
 */
export function lockOwnerStatement(schema: string, memberId: string): Statement {
  return render(
    sql`
      UPDATE ${ident(schema, CREDENTIAL_KIND)}
      SET "member_id" = "member_id"
      WHERE "member_id" = ${param(memberId)}::uuid
      RETURNING 1 AS locked
    `,
    true,
  );
}

/** One row `member`: whose a unit is, if it exists. */
export function ownerStatement(schema: string, kind: string, id: string): Statement {
  return render(sql`
    SELECT "member"::text AS member
    FROM ${ident(schema, kind)}
    WHERE "id" = ${param(id)}::uuid
  `);
}

/** One row `count`. */
export function countOwnedStatement(schema: string, kind: string, memberId: string): Statement {
  return render(sql`
    SELECT count(*)::int AS count
    FROM ${ident(schema, kind)}
    WHERE "member" = ${param(memberId)}::uuid
  `);
}

/** Whether there is more than passwords. */
export interface MoreWays {
  /** The project has an active identity provider. */
  readonly provider: boolean;
  /** One of the members has an authenticator app, a passkey or an account of another service. */
  readonly members: boolean;
}

/** One row `MoreWays` for some members. */
export function moreWaysStatement(schema: string, memberIds: readonly string[]): Statement {
  const ids = sql`${param(memberIds)}::uuid[]`;
  const isOwned = (kind: string): Fragment =>
    sql`EXISTS (SELECT 1 FROM ${ident(schema, kind)} WHERE "member" = ANY (${ids}))`;
  return render(sql`
    SELECT
      EXISTS (SELECT 1 FROM ${ident(schema, IDENTITY_PROVIDER_KIND)} WHERE "active") AS provider,
      EXISTS (
        SELECT 1
        FROM ${ident(schema, CREDENTIAL_KIND)}
        WHERE "member_id" = ANY (${ids}) AND "totp_confirmed"
      )
      OR ${isOwned(PASSKEY_KIND)}
      OR ${isOwned(IDENTITY_KIND)} AS members
  `);
}

/** Rows `id`: those of the units that it deletes. */
export function deleteOwnedStatement(schema: string, kind: string, memberId: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, kind)} WHERE "member" = ${param(memberId)}::uuid RETURNING "id"`);
}

/** Deletes the units whose member has no credentials any more. */
export function deleteOwnerlessStatement(schema: string, kind: string): Statement {
  return render(sql`
    DELETE FROM ${ident(schema, kind)} AS o
    WHERE NOT EXISTS (
      SELECT 1
      FROM ${ident(schema, CREDENTIAL_KIND)} AS c
      WHERE c."member_id" = o."member"
    )
  `);
}
