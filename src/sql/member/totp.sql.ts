/** The second step of members by an authenticator app (RFC 6238), and their recovery codes: columns of their credentials. */
import { CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import { all, ident, integer, param, render, sql, type Fragment, type Statement } from '../fragment.js';

/** Stores a secret that is not confirmed yet. One row; none if there is a confirmed one. */
export function storeTotpStatement(schema: string, memberId: string, sealedSecret: string): Statement {
  return update(schema, memberId, sql`"totp_secret" = ${param(sealedSecret)}`, sql`"totp_confirmed" IS NOT TRUE`);
}

interface Confirmation {
  readonly memberId: string;
  readonly sealedSecret: string;
  /** The step of the code, which is used with this. */
  readonly step: number;
  readonly recoveryCodes: readonly string[];
}

/** Confirms a secret. One row; none if it is another by now, or is confirmed already. */
export function confirmTotpStatement(
  schema: string,
  { memberId, sealedSecret, step, recoveryCodes }: Confirmation,
): Statement {
  const set = sql`
    "totp_confirmed" = true,
    "totp_step" = ${integer(step)},
    "recovery_codes" = ${param(recoveryCodes)}::text[]
  `;
  return update(schema, memberId, set, sql`"totp_confirmed" IS NOT TRUE AND "totp_secret" = ${param(sealedSecret)}`);
}

/** Uses the code of a step: one row; none if that or a later one was used. */
export function useStepStatement(schema: string, memberId: string, step: number): Statement {
  const later = sql`"totp_confirmed" AND "totp_step" < ${integer(step)}`;
  return update(schema, memberId, sql`"totp_step" = ${integer(step)}`, later);
}

/** Uses a recovery code: one row; none if there is no such code. */
export function useRecoveryCodeStatement(schema: string, memberId: string, hash: string): Statement {
  const left = sql`"recovery_codes" = array_remove("recovery_codes", ${param(hash)})`;
  return update(schema, memberId, left, sql`"totp_confirmed" AND ${param(hash)} = ANY("recovery_codes")`);
}

/** Replaces the recovery codes: one row; none if the step is not on. */
export function setRecoveryCodesStatement(schema: string, memberId: string, codes: readonly string[]): Statement {
  return update(schema, memberId, sql`"recovery_codes" = ${param(codes)}::text[]`, sql`"totp_confirmed"`);
}

/** Removes the step: one row; none if it is not on. */
export function removeTotpStatement(schema: string, memberId: string): Statement {
  const none = sql`"totp_secret" = NULL, "totp_confirmed" = NULL, "totp_step" = NULL, "recovery_codes" = NULL`;
  return update(schema, memberId, none, sql`"totp_confirmed"`);
}

function update(schema: string, memberId: string, set: Fragment, condition: Fragment): Statement {
  return render(sql`
    UPDATE ${ident(schema, CREDENTIAL_KIND)}
    SET ${set}
    WHERE ${all([sql`"member_id" = ${param(memberId)}::uuid`, condition])}
    RETURNING "id"
  `);
}
