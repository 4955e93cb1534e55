import argon2 from '@node-rs/argon2';
import { describe, expect, it, vi } from 'vitest';
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

  it.each([
    ['that names 16 GiB', DUMMY_HASH.replace('m=19456', 'm=16777216')],
    ['that names one more KiB', DUMMY_HASH.replace('m=19456', 'm=19457')],
    ['that names a million passes', DUMMY_HASH.replace('t=2', 't=1000000')],
    ['that names more lanes', DUMMY_HASH.replace('p=1', 'p=4')],
    ['with a long salt', DUMMY_HASH.replace('$Fiq', `$${'A'.repeat(1000)}`)],
    ['of another function', '$2b$31$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDEFGHIJ'],
    ['that is none', 'x'],
    ['that is empty', ''],
  ])('from a forged backup %s never matches, and costs no more than ours', async (_, stored) => {
    const verify = vi.spyOn(argon2, 'verify');
    expect(await verifyPassword(stored, 'a password')).toBe(false);
    expect(verify.mock.calls.map(([hash]) => hash)).toEqual([DUMMY_HASH]);
    verify.mockRestore();
  });

  it('for an unknown member costs the same and never matches', async () => {
    const parameters = (hash: string) => hash.split('$').slice(0, 4);
    expect(parameters(DUMMY_HASH)).toEqual(parameters(await hashPassword('a password')));
    for (const stored of [undefined, null]) {
      for (const password of ['', 'decoy', DUMMY_HASH]) expect(await verifyPassword(stored, password)).toBe(false);
    }
  });
});
