/** Keys that are derived from the service's secret, one for each purpose (HKDF, RFC 5869). */
import { hkdfSync } from 'node:crypto';

export type Purpose = 'sign-in codes' | 'throttle' | 'cursors of changes' | 'stored secrets';

/** 32 bytes. */
export function derivedKey(secret: string, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `kind: ${purpose}`, 32));
}
