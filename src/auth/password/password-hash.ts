/** Password hashes: argon2id, with the parameters that OWASP's Password Storage Cheat Sheet recommends. */
import { availableParallelism } from 'node:os';
import argon2, { type Options } from '@node-rs/argon2';
import { retryLater, Faults } from '../../shared/errors.js';
import { FairQueue } from '../../shared/fair-queue.js';
import { LIMITS, PASSWORD } from '../../shared/limits.js';
import { foldName } from '../../shared/member-names.js';

/** 19 MiB, two passes, one lane. argon2id is the default of the library, which runs on libuv's thread pool. */
const ARGON2_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } satisfies Options;

/** A hash that `hashPassword` makes, or made with less work. */
const HASH = /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

/** One queue for the process. It uses at most three of libuv's four threads, so that one is left for other work. */
export const hashQueue = new FairQueue({
  concurrency: Math.max(1, Math.min(3, availableParallelism())),
  maxWaiting: LIMITS.hashesWaiting,
  maxWaitingPerKey: LIMITS.hashesPerProject,
  timeout: 5000,
  refusal: () => retryLater('server.busy', 'Too many passwords wait to be checked', 2),
});

/** @param project for a fair share of the queue @throws KindError 503 if too many are waiting */
export function hashPassword(password: string, project = ''): Promise<string> {
  return hashQueue.run(project, () => argon2.hash(password, ARGON2_OPTIONS));
}

/** A hash of an unknown password with the parameters above. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$FiqJLGixRGKUCxA/iQ991g$3MLLuegCJiBZWxw1QnNQDuynFvaRk2ofskCYxmerxRE';

/**
 * Whether a hash takes no more work than ours. That of a forged backup can name any amount, and no sign-in of any project
 * would have a thread.
 */
function isAffordable(stored: string): boolean {
  const [, memory, time] = HASH.exec(stored) ?? [];
  return Number(memory) <= ARGON2_OPTIONS.memoryCost && Number(time) <= ARGON2_OPTIONS.timeCost;
}

/**
 * Whether a password matches a hash. Without a hash of ours, or for a password that is too long, it takes the same time
 * and returns false. @throws KindError 503 if too many are waiting
 */
export async function verifyPassword(
  stored: string | null | undefined,
  password: string,
  project = '',
): Promise<boolean> {
  const possible = typeof stored === 'string' && isAffordable(stored) && [...password].length <= PASSWORD.maxLength;
  const fits = await hashQueue.run(project, () =>
    argon2.verify(possible ? stored : DUMMY_HASH, possible ? password : ''),
  );
  return fits && possible;
}

/** Adds a fault unless the length of the password is right and it differs from the member's names. */
export function addPasswordFaults(
  password: string,
  names: readonly string[],
  faults: Faults,
  parameter = 'password',
): void {
  const length = [...password].length;
  const { minLength: min, maxLength: max } = PASSWORD;
  if (length < min) faults.add('parameter.too_short', `${parameter}: at least ${min} characters`, { parameter });
  if (length > max) faults.add('parameter.too_long', `${parameter}: at most ${max} characters`, { parameter });
  if (names.some((name) => foldName(name) === foldName(password))) {
    faults.add('parameter.bad_value', `${parameter}: must not be the username or the e-mail`, { parameter });
  }
}

/** @throws KindError 400 */
export function checkPassword(
  { username, email, password }: { username: string; email: string; password: string },
  parameter = 'password',
): void {
  const faults = new Faults();
  addPasswordFaults(password, [username, email], faults, parameter);
  faults.throwIfAny();
}
