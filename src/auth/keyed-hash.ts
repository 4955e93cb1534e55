/** Keys made of the service's secret, one per purpose (HKDF, RFC 5869), and what they make of texts that are not stored. */
import { createHmac, hkdfSync } from 'node:crypto';

export type Purpose = 'sign-in codes' | 'throttle';

/** A function that hashes lists of texts with a key of its own: without the secret nobody can guess what was hashed. */
export function keyedHash(secret: string, purpose: Purpose): (...parts: readonly string[]) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `kind: ${purpose}`, 32));
  return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}
