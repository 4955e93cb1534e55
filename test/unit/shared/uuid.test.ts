import { expect, it, vi } from 'vitest';
import { uuidv7 } from '../../../src/shared/uuid.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function timeOf(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}

it('makes ids of version 7 with the time, each greater than the one before', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, () => uuidv7());
  expect(ids.every((id) => UUID_V7.test(id))).toBe(true);
  expect(timeOf(ids[0] ?? '')).toBeGreaterThanOrEqual(before);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});

it('goes on where the clock is set back, or where a millisecond has no further number', () => {
  const last = uuidv7();
  vi.useFakeTimers({ now: Date.now() - 60_000, toFake: ['Date'] });
  try {
    const ids = [last, ...Array.from({ length: 10_000 }, () => uuidv7())];
    expect(ids.toSorted()).toEqual(ids);
    expect(timeOf(ids.at(-1) ?? '') - timeOf(last)).toBeLessThanOrEqual(3);
  } finally {
    vi.useRealTimers();
  }
});

it('has random bits of its own in each id', () => {
  const tails = Array.from({ length: 1000 }, () => uuidv7().slice(19));
  expect(new Set(tails).size).toBe(tails.length);
});
