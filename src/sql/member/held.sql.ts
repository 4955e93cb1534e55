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

/**
 * The first `HeldReason` of the credentials in a row, or null.
 * @param session the row of a session: one that was begun without the second step is worth no more once there is one
 */
export function heldReason(
  schema: string,
  credentials: Fragment,
  demands: MemberDemands,
  session?: Fragment,
): Fragment {
  if (!demandsMore(demands)) return sql`NULL::text`;
  const { secondStep = 'optional', verifyEmail = false } = demands;
  const reasons: Fragment[] = [];
  const add = (reason: HeldReason, condition: Fragment) =>
    reasons.push(sql`WHEN ${condition} THEN ${param(reason)}::text`);
  if (verifyEmail) {
    add('email.unverified', sql`${credentials}."email_verified_at" IS NULL AND NOT (${isAdministrator(credentials)})`);
  }
  if (secondStep !== 'optional') {
    const has = hasSecondStep(schema, credentials, demands);
    const isMissing = session ? sql`(${session}."second_step" IS NOT TRUE OR NOT ${has})` : sql`NOT ${has}`;
    add('second_step.missing', all([isDemanded(credentials, demands), isMissing]));
  }
  return sql`CASE ${join(reasons, ' ')} END`;
}

/** Whether a session lacks the second step that its member has, and that is asked for. */
export function lacksSecondStep(
  schema: string,
  credentials: Fragment,
  demands: MemberDemands,
  session: Fragment,
): Fragment {
  const { secondStep = 'optional' } = demands;
  if (secondStep === 'optional') return sql`false`;
  return all([
    isDemanded(credentials, demands),
    sql`${session}."second_step" IS NOT TRUE`,
    hasSecondStep(schema, credentials, demands),
  ]);
}

function isAdministrator(credentials: Fragment): Fragment {
  return sql`${credentials}."member_kind" = ${param(ADMIN_KIND)}`;
}

function isDemanded(credentials: Fragment, { secondStep }: MemberDemands): Fragment | undefined {
  return secondStep === 'administrators' ? isAdministrator(credentials) : undefined;
}

/** Whether a member has an app, or a passkey that can be used. */
function hasSecondStep(schema: string, credentials: Fragment, demands: MemberDemands): Fragment {
  const passkeys = passkeyUse(demands);
  const app = sql`${credentials}."totp_confirmed" IS TRUE`;
  if (!passkeys) return sql`(${app})`;
  return sql`(${app} OR ${hasPasskey(schema, sql`${credentials}."member_id"`, passkeys.domain)})`;
}
