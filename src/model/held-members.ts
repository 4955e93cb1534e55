/** Members who have to do something before they may go further than their own authentication. */
import { ADMIN_KIND } from './built-in-traits.js';
import type { PasskeySettings } from './passkeys.js';

/** What they are told, by the code of the refusal. */
export const HELD_TEXTS = {
  'email.unverified':
    'This project asks for a verified e-mail address: give the code that was mailed to it (POST /auth/verify_email)',
  'second_step.missing':
    'This project asks for a second step: set up an authenticator app (POST /auth/totp) or a passkey (POST /auth/passkey/options), or use the one that you have (POST /auth/confirm)',
} as const;

/** What they have to do: the code of the refusal. */
export type HeldReason = keyof typeof HELD_TEXTS;

/** Codes of refusals of what the caller may not do, or not yet. */
export const NO_RIGHT: ReadonlySet<string> = new Set(['access.denied', 'token.missing', ...Object.keys(HELD_TEXTS)]);

/** What a project asks of its members, and what they may prove themselves with. */
export interface MemberDemands extends PasskeySettings {
  /** Whether members other than administrators have to prove their address; absent: they need not. */
  readonly verifyEmail?: boolean;
  /** Who has to have a second step that is no mail; absent: nobody. */
  readonly secondStep?: 'optional' | 'administrators' | 'everyone';
}

/** Whether a project asks members of a kind for a second step that is no mail. */
export function demandsSecondStep({ secondStep = 'optional' }: MemberDemands, memberKind: string): boolean {
  return secondStep === 'everyone' || (secondStep === 'administrators' && memberKind === ADMIN_KIND);
}
