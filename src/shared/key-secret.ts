/** The form of the secrets of API keys: `kind_<project>_<43 characters>`. */
import { randomBytes } from 'node:crypto';

// The last part is 256 random bits in base64url, so nobody can guess it, and a hash without a key, a salt or many rounds is
// sufficient to store it.
const PREFIX = 'kind_';
const RANDOM_BYTES = 32;

/** The id of the project may have `_` and `-`, as the random part may: its length tells where that begins. */
const SECRET = /^kind_([a-z][a-z0-9_-]{1,39})_[A-Za-z0-9_-]{43}$/;

export function newSecret(projectId: string): string {
  return `${PREFIX}${projectId}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** Whether a bearer is meant as an API key; tokens of sessions begin otherwise. */
export function isApiKey(bearer: string): boolean {
  return bearer.startsWith(PREFIX);
}

/** The project of a well-formed secret; undefined for any other text. */
export function projectOfSecret(secret: string): string | undefined {
  return SECRET.exec(secret)?.[1];
}
