/** Refusals of an overloaded project are held back, and sent one after the other. */
// Alone: what other tests leave running in a worker would begin timers too.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { retryLater } from '../../../src/shared/errors.js';
import { FairQueue } from '../../../src/shared/fair-queue.js';
import { Overload } from '../../../src/tenancy/overload.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A project that is overloaded; `gone` are the refusals that were sent, of those that `hold` made. */
function overloaded() {
  const refusal = () => retryLater('server.busy', 'busy');
  const queue = new FairQueue({ concurrency: 1, congestion: { milliseconds: 0, waiting: 0 }, refusal });
  void queue.acquire('a', undefined, 'city');
  void queue.acquire('a', undefined, 'city');
  const overload = new Overload();
  overload.watch(queue);
  const gone = { count: 0 };
  const hold = (count: number): void => {
    for (let at = 0; at < count; at += 1) overload.refuse('a', 'city')?.catch(() => (gone.count += 1));
  };
  return { gone, hold };
}

it('a few are held for less than a second', async () => {
  const { gone, hold } = overloaded();
  hold(10);
  await vi.advanceTimersByTimeAsync(750);
  expect(gone.count).toBe(0);
  await vi.advanceTimersByTimeAsync(150);
  expect(gone.count).toBe(10);
  expect(vi.getTimerCount()).toBe(0);
});

it('many go one after the other', async () => {
  const { gone, hold } = overloaded();
  hold(900);
  await vi.advanceTimersByTimeAsync(1800);
  expect(gone.count).toBeGreaterThan(250);
  expect(gone.count).toBeLessThan(350);
  await vi.advanceTimersByTimeAsync(2100);
  expect(gone.count).toBe(900);
});

it('of thousands, more go at the same time', async () => {
  const { gone, hold } = overloaded();
  hold(4000);
  await vi.advanceTimersByTimeAsync(1800);
  expect(gone.count).toBeGreaterThan(650);
  expect(gone.count).toBeLessThan(850);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(gone.count).toBe(4000);
  expect(vi.getTimerCount()).toBe(0);
});
