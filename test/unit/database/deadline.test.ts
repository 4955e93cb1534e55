/** The timeout of one statement. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadline } from '../../../src/database/statement/deadline.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('cancels the statement when it has passed, and every second until it has ended', () => {
  const end = vi.fn();
  const deadline = new Deadline(5000, end);
  vi.advanceTimersByTime(4999);
  expect([deadline.passed, end.mock.calls.length]).toEqual([false, 0]);
  vi.advanceTimersByTime(1);
  expect([deadline.passed, end.mock.calls.length]).toEqual([true, 1]);
  vi.advanceTimersByTime(3000);
  expect(end).toHaveBeenCalledTimes(4);
  deadline.stop();
  vi.advanceTimersByTime(60_000);
  expect(end).toHaveBeenCalledTimes(4);
});

it('cancels nothing if the statement ends in time', () => {
  const end = vi.fn();
  new Deadline(5000, end).stop();
  vi.advanceTimersByTime(60_000);
  expect(end).not.toHaveBeenCalled();
});
