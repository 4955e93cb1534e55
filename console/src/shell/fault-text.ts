import { PasskeyError } from '../api/passkeys.js';
import { UNKNOWN_ARRIVAL } from '../api/providers.js';
import type { Text } from '../i18n/text.js';

/** Why a sign-in or a proof has failed. */
export function faultText(error: unknown, text: Text): string {
  return error instanceof PasskeyError && error.refusal !== 'other'
    ? text(`passkeys.${error.refusal}`)
    : (error as Error).message;
}

/** Whether the person has stopped it. */
export function isCancelled(error: unknown): boolean {
  return error instanceof PasskeyError && error.refusal === 'cancelled';
}

/** What the service leads back with from a provider. */
const ARRIVALS = {
  'provider.refused': 'providers.refused',
  'provider.unavailable': 'providers.unavailable',
  'provider.email_unverified': 'providers.email_unverified',
  'provider.claims_missing': 'providers.claims_missing',
  'identity.not_linked': 'providers.not_linked',
  'identity.linked': 'providers.linked',
  'access.denied': 'providers.denied',
  [UNKNOWN_ARRIVAL]: 'providers.unknown_arrival',
} as const;

/** Why the way back from a provider is no sign-in. */
export function arrivalText(code: string, text: Text): string {
  return text(code in ARRIVALS ? ARRIVALS[code as keyof typeof ARRIVALS] : 'providers.refused');
}
