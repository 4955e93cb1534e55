/** What keeps a member from going further. */
import { ADMIN_KIND } from '../../model/built-in-traits.js';
import type { HeldReason, MemberDemands } from '../../model/held-members.js';
import { param, sql, type Fragment } from '../fragment.js';

const WITHOUT_SECOND_STEP: HeldReason = 'second_step.missing';

/** Whether a project asks more of members than that they sign in. */
export function demandsMore({ secondStep = 'optional' }: MemberDemands): boolean {
  return secondStep !== 'optional';
}

/** The `HeldReason` of the credentials in a row, or null. */
export function heldReason(credentials: Fragment, { secondStep = 'optional' }: MemberDemands): Fragment {
  if (secondStep === 'optional') return sql`NULL::text`;
  const concerned = secondStep === 'everyone' ? sql`true` : sql`${credentials}."member_kind" = ${param(ADMIN_KIND)}`;
  const missing = sql`${concerned} AND ${credentials}."totp_confirmed" IS NOT TRUE`;
  return sql`CASE WHEN ${missing} THEN ${param(WITHOUT_SECOND_STEP)}::text END`;
}
