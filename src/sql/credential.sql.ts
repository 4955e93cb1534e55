/** Credentials and sign-in. */
import type { Field, KindDef } from '../model/model.js';
import { CREDENTIAL_KIND } from '../model/special.js';
import { columnType, selectList } from './columns.sql.js';
import { all, ident, param, render, sql, type Statement } from './fragment.js';

/** The columns of credentials that sign-in needs. */
export const CREDENTIAL = sql`"username", "email", "password_hash", "member_kind", "member_id"::text AS member_id`;

/** The credentials of a name or an address, both folded. */
export function findCredentialStatement(schema: string, key: string): Statement {
  const name = param(key);
  return render(
    sql`SELECT ${CREDENTIAL} FROM ${ident(schema, CREDENTIAL_KIND)} WHERE "username_key" = ${name} OR "email_key" = ${name} ORDER BY "email_key" = ${name} DESC LIMIT 1`,
    true,
  );
}

/** The credentials of a member by the folded address alone, as mails are sent there. */
export function findByAddressStatement(schema: string, key: string): Statement {
  return render(
    sql`SELECT ${CREDENTIAL} FROM ${ident(schema, CREDENTIAL_KIND)} WHERE "email_key" = ${param(key)}`,
    true,
  );
}

/** Notes an access (the version of the unit stays) and answers the member as JSON. */
export function touchMemberStatement(schema: string, kind: KindDef, fields: readonly Field[], id: string): Statement {
  return render(
    sql`UPDATE ${ident(schema, kind.table)} AS t SET "first_access_time" = coalesce(t."first_access_time", now()), "last_access_time" = now() WHERE t."id" = ${param(id)}::${columnType('uuid')} RETURNING (SELECT row_to_json(_r) FROM (SELECT ${selectList(fields)}) AS _r)::text AS body`,
    true,
  );
}

/** Sets a password; where `before` is given, only if it is still that one. One row where it was set. */
export function setPasswordStatement(schema: string, memberId: string, hash: string, before?: string): Statement {
  const unchanged = before === undefined ? undefined : sql`"password_hash" = ${param(before)}`;
  return render(
    sql`UPDATE ${ident(schema, CREDENTIAL_KIND)} SET "password_hash" = ${param(hash)} WHERE ${all([sql`"member_id" = ${param(memberId)}::uuid`, unchanged])} RETURNING 1 AS set`,
  );
}

export function deleteCredentialStatement(schema: string, memberId: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, CREDENTIAL_KIND)} WHERE "member_id" = ${param(memberId)}::uuid`);
}

export function countMembersStatement(schema: string, kind: KindDef): Statement {
  return render(sql`SELECT count(*)::int AS count FROM ${ident(schema, kind.table)}`);
}

/** The credentials of a member. */
export function memberCredentialStatement(schema: string, memberId: string): Statement {
  return render(
    sql`SELECT ${CREDENTIAL} FROM ${ident(schema, CREDENTIAL_KIND)} WHERE "member_id" = ${param(memberId)}::uuid`,
  );
}
