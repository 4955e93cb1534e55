import { expect, it } from 'vitest';
import { SeenKeys } from '../../../src/transfer/seen-keys.js';

it('knows each key that was added, however many there are', () => {
  const keys = new SeenKeys();
  for (let n = 0; n < 20_000; n++) expect(keys.add(`key ${n}`)).toBe(false);
  for (let n = 0; n < 20_000; n += 7) expect(keys.add(`key ${n}`)).toBe(true);
});
