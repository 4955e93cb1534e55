/** Password hashes: argon2id, with the parameters that OWASP's Password Storage Cheat Sheet recommends. */
import { hash, verify, type Options } from '@node-rs/argon2';
import { refusal } from '../shared/errors.js';
import { foldName } from './names.js';

/** 19 MiB, two passes, one lane. The library's default algorithm is argon2id; it runs on libuv's threads. */
const OPTIONS: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

let decoy: Promise<string> | undefined;

/** Whether a password fits. Where there is no hash it takes the same time and fits never. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const known = stored ?? (await (decoy ??= hashPassword('decoy')));
  const fits = await verify(known, password);
  return fits && typeof stored === 'string';
}

export const PASSWORD_LENGTH = { min: 8, max: 128 } as const;

/** 8 to 128 characters, and neither the name nor the address. @throws KindError 400 */
export function checkPassword(
  { username, email, password }: { username: string; email: string; password: string },
  parameter = 'password',
): void {
  const length = [...password].length;
  const { min, max } = PASSWORD_LENGTH;
  if (length < min) throw refusal('parameter.too_short', `${parameter}: at least ${min} characters`, { parameter });
  if (length > max) throw refusal('parameter.too_long', `${parameter}: at most ${max} characters`, { parameter });
  if ([username, email].some((name) => foldName(name) === foldName(password))) {
    throw refusal('parameter.bad_value', `${parameter}: must not be the username or the e-mail`, { parameter });
  }
}
