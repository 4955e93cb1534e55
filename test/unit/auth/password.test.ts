import { describe, expect, it } from 'vitest';
import { DUMMY_HASH, hashPassword, verifyPassword } from '../../../src/auth/password/password-hash.js';
import { useRealHashes } from '../../support/cheap-hashes.js';

useRealHashes();

describe('a hash', () => {
  it('is argon2id over all characters, including the last', async () => {
    const long = `${'x'.repeat(127)}a`;
    const hash = await hashPassword(long);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifyPassword(hash, long)).toBe(true);
    expect(await verifyPassword(hash, `${'x'.repeat(127)}b`)).toBe(false);
    expect(await verifyPassword(hash, `${long}c`)).toBe(false);
  });

  it('for an unknown member costs the same and never matches', async () => {
    const parameters = (hash: string) => hash.split('$').slice(0, 4);
    expect(parameters(DUMMY_HASH)).toEqual(parameters(await hashPassword('a password')));
    for (const stored of [undefined, null]) {
      for (const password of ['', 'decoy', DUMMY_HASH]) expect(await verifyPassword(stored, password)).toBe(false);
    }
  });
});
