/** What keeps a member from going further. */
import { ADMIN_KIND } from '../../model/built-in-traits.js';
import type { HeldReason, MemberDemands } from '../../model/held-members.js';
import { passkeyUse } from '../../model/passkeys.js';
import { all, param, sql, type Fragment } from '../fragment.js';
import { hasPasskey } from './passkey.sql.js';

const WITHOUT_SECOND_STEP: HeldReason = 'second_step.missing';

/** Whether a project asks more of members than that they sign in. */
export function demandsMore({ secondStep = 'optional' }: MemberDemands): boolean {
  return secondStep !== 'optional';
}

/** The `HeldReason` of the credentials in a row, or null. */
export function heldReason(schema: string, credentials: Fragment, demands: MemberDemands): Fragment {
  const { secondStep = 'optional' } = demands;
  if (secondStep === 'optional') return sql`NULL::text`;
  const passkeys = passkeyUse(demands);
  const missing = all([
    secondStep === 'administrators' ? sql`${credentials}."member_kind" = ${param(ADMIN_KIND)}` : undefined,
    sql`${credentials}."totp_confirmed" IS NOT TRUE`,
    passkeys && sql`NOT ${hasPasskey(schema, sql`${credentials}."member_id"`, passkeys.domain)}`,
  ]);
  return sql`CASE WHEN ${missing} THEN ${param(WITHOUT_SECOND_STEP)}::text END`;
}
