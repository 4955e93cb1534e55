import { PasskeyError } from '../api/passkeys.js';
import type { Text } from '../i18n/text.js';

/** Why a sign-in or a proof has failed. */
export function faultText(error: unknown, text: Text): string {
  return error instanceof PasskeyError && error.refusal !== 'other'
    ? text(`passkeys.${error.refusal}`)
    : (error as Error).message;
}
