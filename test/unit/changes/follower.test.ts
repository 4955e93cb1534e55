import { expect, it } from 'vitest';
import { chainsOf, MOST_ATTEMPTS, nextAttempt } from '../../../src/changes/follow/follower.js';

it.each([
  [1, 1],
  [2, 5],
  [3, 30],
  [4, 120],
  [5, 600],
  [6, 1800],
  [7, 3600],
  [8, 7200],
  [9, 14_400],
])('after %i failed attempts the next one comes in %i seconds, ±10 %%', (failed, seconds) => {
  expect(nextAttempt(failed, 0)).toBeCloseTo(seconds * 900);
  expect(nextAttempt(failed, 0.5)).toBeCloseTo(seconds * 1000);
  expect(nextAttempt(failed, 1)).toBeCloseTo(seconds * 1100);
});

it('there are ten attempts', () => {
  expect([MOST_ATTEMPTS, nextAttempt(10)]).toEqual([10, undefined]);
});

it('keeps the order of each unit, whatever is between', () => {
  const task = (kind: string, unit: string, n: number) => ({ kind, unit, n });
  const chains = chainsOf([task('a', '1', 1), task('b', '1', 2), task('a', '1', 3), task('a', '1 b', 4)]);
  expect(chains.map((chain) => chain.map(({ n }) => n))).toEqual([[1, 3], [2], [4]]);
});
