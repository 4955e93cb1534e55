import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HeldRefusals } from '../../../src/tenancy/delayed-refusals.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Refusals that are held from now on; `count` are those that were let go. */
function held() {
  const refusals = new HeldRefusals();
  const gone = { count: 0 };
  const hold = (count: number): void => {
    for (let at = 0; at < count; at += 1) refusals.hold(new Error('busy')).catch(() => (gone.count += 1));
  };
  return { gone, hold };
}

it('a few are held for less than a second', async () => {
  const { gone, hold } = held();
  hold(10);
  await vi.advanceTimersByTimeAsync(750);
  expect(gone.count).toBe(0);
  await vi.advanceTimersByTimeAsync(150);
  expect(gone.count).toBe(10);
  expect(vi.getTimerCount()).toBe(0);
});

it('many go one after the other', async () => {
  const { gone, hold } = held();
  hold(900);
  await vi.advanceTimersByTimeAsync(1800);
  expect(gone.count).toBeGreaterThan(250);
  expect(gone.count).toBeLessThan(350);
  await vi.advanceTimersByTimeAsync(2100);
  expect(gone.count).toBe(900);
});

it('of thousands, more go at the same time', async () => {
  const { gone, hold } = held();
  hold(4000);
  await vi.advanceTimersByTimeAsync(1800);
  expect(gone.count).toBeGreaterThan(650);
  expect(gone.count).toBeLessThan(850);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(gone.count).toBe(4000);
  expect(vi.getTimerCount()).toBe(0);
});

it('beyond the most that are held, the oldest goes for each new one', async () => {
  const { gone, hold } = held();
  hold(5000);
  await vi.advanceTimersByTimeAsync(0);
  expect(gone.count).toBe(0);
  hold(3);
  await vi.advanceTimersByTimeAsync(0);
  expect(gone.count).toBe(3);
});
