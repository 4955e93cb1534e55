/** A value of a map is made when it is missing, and once. */
import { expect, it } from 'vitest';
import { getOrInsert } from '../../../src/shared/get-or-insert.js';

it('makes and stores a value that is missing, and returns it from then on', () => {
  const map = new Map([['known', false]]);
  let made = 0;
  const make = () => ++made > 0;
  expect(getOrInsert(map, 'known', make)).toBe(false);
  expect(getOrInsert(map, 'new', make)).toBe(true);
  expect(getOrInsert(map, 'new', make)).toBe(true);
  expect(made).toBe(1);
});
