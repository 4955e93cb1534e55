/** Keys that are derived from the service's secret, one for each purpose (HKDF, RFC 5869). */
import { createHmac, hkdfSync } from 'node:crypto';

export type Purpose =
  'sign-in codes' | 'recovery codes' | 'throttle' | 'cursors of changes' | 'stored secrets' | 'file urls';

/** 32 bytes. */
export function derivedKey(secret: string, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `kind: ${purpose}`, 32));
}

/** Returns a function that hashes lists of texts. Without the secret, nobody can test guesses against a hash. */
export function keyedHash(secret: string, purpose: Purpose): (...parts: readonly string[]) => string {
  const key = derivedKey(secret, purpose);
  return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}
