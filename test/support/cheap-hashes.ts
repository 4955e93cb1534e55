/**
 * Passwords of tests are hashed with the least memory and time that argon2id allows: the real parameters take some
 * 30 ms of CPU time for every sign-up and sign-in. Processes that tests start use the real ones.
 */
import argon2 from '@node-rs/argon2';
import { DUMMY_HASH } from '../../src/auth/password/password-hash.js';
import { atEnd } from './at-end.js';

const REAL = { hash: argon2.hash, verify: argon2.verify };
const LEAST = { memoryCost: 8, timeCost: 1 };
/** What an unknown name is verified against: as cheap as the hash of a member, and no password fits it either. */
const CHEAP_DUMMY = DUMMY_HASH.replace(/m=\d+,t=\d+/, 'm=8,t=1');

const CHEAP: typeof REAL = {
  hash: (password, options, signal) => REAL.hash(password, { ...options, ...LEAST }, signal),
  verify: (hashed, ...given) => REAL.verify(hashed === DUMMY_HASH ? CHEAP_DUMMY : hashed, ...given),
};

export function useCheapHashes(): void {
  Object.assign(argon2, CHEAP);
}

/** For the rest of a test or file. */
export function useRealHashes(): void {
  Object.assign(argon2, REAL);
  atEnd(useCheapHashes);
}
