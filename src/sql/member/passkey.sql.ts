/** Passkeys of members: finding one by what a device says, its use, and what counts as a second step. */
import { CREDENTIAL_KIND, PASSKEY_KIND } from '../../model/built-in-traits.js';
import { ident, integer, param, render, sql, type Fragment, type Statement } from '../fragment.js';

export interface FoundPasskey {
  readonly id: string;
  readonly member_id: string;
  /** In the form of COSE, as base64url. */
  readonly public_key: string;
  /** By which devices know the member, as base64url. */
  readonly handle: string;
}

/** The passkey with the id that its device gave it (`FoundPasskey`), if it is of the domain. */
export function findPasskeyStatement(schema: string, domain: string, credentialId: string): Statement {
  return render(
    sql`
      SELECT
        p."id"::text AS id,
        p."member"::text AS member_id,
        p."public_key" AS public_key,
        c."passkey_handle" AS handle
      FROM ${ident(schema, PASSKEY_KIND)} AS p
      JOIN ${ident(schema, CREDENTIAL_KIND)} AS c ON c."member_id" = p."member"
      WHERE p."credential_id" = ${param(credentialId)} AND p."domain" = ${param(domain)}
    `,
    true,
  );
}

interface PasskeyUsed {
  readonly id: string;
  /** How often the device says that it was used. */
  readonly counter: number;
  readonly backedUp: boolean;
}

/**
 * Stores a use, without a new version of the unit. One row; none if the counter has not risen, but for devices that do
 * not count.
 */
export function usePasskeyStatement(schema: string, { id, counter, backedUp }: PasskeyUsed): Statement {
  const next = integer(counter);
  return render(sql`
    UPDATE ${ident(schema, PASSKEY_KIND)}
    SET "counter" = ${next}, "backed_up" = ${param(backedUp)}, "last_used_at" = now()
    WHERE "id" = ${param(id)}::uuid AND ("counter" < ${next} OR ("counter" = 0 AND ${next} = 0))
    RETURNING "id"
  `);
}

/** Rows `id`, `transports`: what devices call the passkeys of a member for a domain, and how they are reached. */
export function passkeysOfMemberStatement(schema: string, domain: string, memberId: string): Statement {
  return render(sql`
    SELECT p."credential_id" AS id, p."transports" AS transports
    FROM ${ident(schema, PASSKEY_KIND)} AS p
    WHERE ${isUsable(sql`${param(memberId)}::uuid`, domain)}
  `);
}

/** Whether a member has a passkey for a domain. */
export function hasPasskey(schema: string, member: Fragment, domain: string): Fragment {
  return sql`EXISTS (SELECT 1 FROM ${ident(schema, PASSKEY_KIND)} AS p WHERE ${isUsable(member, domain)})`;
}

function isUsable(member: Fragment, domain: string): Fragment {
  return sql`p."member" = ${member} AND p."domain" = ${param(domain)}`;
}

/** One row `count`: the passkeys for a domain. */
export function countPasskeysStatement(schema: string, domain: string): Statement {
  return render(sql`
    SELECT count(*)::int AS count
    FROM ${ident(schema, PASSKEY_KIND)}
    WHERE "domain" = ${param(domain)}
  `);
}

/** By which devices know a member: one row `handle`, which is this one if it had none. */
export function giveHandleStatement(schema: string, memberId: string, handle: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, CREDENTIAL_KIND)}
    SET "passkey_handle" = coalesce("passkey_handle", ${param(handle)})
    WHERE "member_id" = ${param(memberId)}::uuid
    RETURNING "passkey_handle" AS handle
  `);
}
