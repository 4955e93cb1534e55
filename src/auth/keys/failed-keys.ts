/**
 * Counts unknown API keys by the address that sent them, so that guessing costs few statements. In memory, and so for
 * each process: a secret cannot be guessed, and this only bounds the work.
 */
import { retryLater } from '../../shared/errors.js';
import { lruCache } from '../../shared/lru-cache.js';
import { ATTEMPT_LIMITS } from '../throttle.js';

const WINDOW_MS = 15 * 60_000;
/** Addresses in memory. */
const MOST_ADDRESSES = 10_000;

export class FailedKeys {
  readonly #failures = lruCache<number>(MOST_ADDRESSES, { ttl: WINDOW_MS, noUpdateTTL: true });

  /** @throws KindError 429 after too many unknown keys */
  refuseTooMany(projectId: string, address: string): void {
    const source = sourceOf(projectId, address);
    if ((this.#failures.get(source) ?? 0) < ATTEMPT_LIMITS.address) return;
    const seconds = Math.ceil(this.#failures.getRemainingTTL(source) / 1000);
    throw retryLater(
      'request.throttled',
      'Too many unknown API keys; Retry-After says when to come back',
      Math.max(1, seconds),
    );
  }

  count(projectId: string, address: string): void {
    const source = sourceOf(projectId, address);
    this.#failures.set(source, (this.#failures.get(source) ?? 0) + 1);
  }
}

function sourceOf(projectId: string, address: string): string {
  return `${projectId} ${address}`;
}
