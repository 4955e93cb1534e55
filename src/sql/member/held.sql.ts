/** What keeps a member from going further. */
import { ADMIN_KIND } from '../../model/built-in-traits.js';
import type { HeldReason, MemberDemands } from '../../model/held-members.js';
import { passkeyUse } from '../../model/passkeys.js';
import { all, join, param, sql, type Fragment } from '../fragment.js';
import { hasPasskey } from './passkey.sql.js';

/** Whether a project asks more of members than that they sign in. */
export function demandsMore({ secondStep = 'optional', verifyEmail = false }: MemberDemands): boolean {
  return secondStep !== 'optional' || verifyEmail;
}

/** The first `HeldReason` of the credentials in a row, or null. */
export function heldReason(schema: string, credentials: Fragment, demands: MemberDemands): Fragment {
  if (!demandsMore(demands)) return sql`NULL::text`;
  const { secondStep = 'optional', verifyEmail = false } = demands;
  const isAdministrator = sql`${credentials}."member_kind" = ${param(ADMIN_KIND)}`;
  const reasons: Fragment[] = [];
  const add = (reason: HeldReason, condition: Fragment) =>
    reasons.push(sql`WHEN ${condition} THEN ${param(reason)}::text`);
  if (verifyEmail) {
    add('email.unverified', sql`${credentials}."email_verified_at" IS NULL AND NOT (${isAdministrator})`);
  }
  if (secondStep !== 'optional') {
    const passkeys = passkeyUse(demands);
    const missing = all([
      secondStep === 'administrators' ? isAdministrator : undefined,
      sql`${credentials}."totp_confirmed" IS NOT TRUE`,
      passkeys && sql`NOT ${hasPasskey(schema, sql`${credentials}."member_id"`, passkeys.domain)}`,
    ]);
    add('second_step.missing', missing);
  }
  return sql`CASE ${join(reasons, ' ')} END`;
}
