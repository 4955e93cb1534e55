/**
 * `vi.waitFor` and `vi.waitUntil` give up after a second by default, which is not enough on a busy machine. A condition
 * that holds is noticed at once in any case. `expect.poll` has its time from vitest.config.ts.
 */
import { vi } from 'vitest';
import { WAIT } from './wait-time.js';

type Options<T> = number | (T & { timeout?: number }) | undefined;

const withTime = <T extends object>(options: Options<T>) =>
  typeof options === 'object' ? { timeout: WAIT, ...options } : (options ?? WAIT);

const { waitFor, waitUntil } = vi;
// Test files of a worker share `vi`.
if (!Object.hasOwn(waitFor, 'patient')) {
  vi.waitFor = Object.assign<typeof waitFor, object>((callback, options) => waitFor(callback, withTime(options)), {
    patient: true,
  });
  vi.waitUntil = (callback, options) => waitUntil(callback, withTime(options));
}
