import { createHash } from 'node:crypto';

/** The SHA-256 of a text in base64url, 43 characters. Enough to store a secret by that nobody can guess. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
