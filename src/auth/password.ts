/** Password hashes: argon2id, with the parameters that OWASP's Password Storage Cheat Sheet recommends. */
import { hash, verify, type Options } from '@node-rs/argon2';

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
