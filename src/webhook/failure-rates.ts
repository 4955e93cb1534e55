/** Limits how many attempts of a project to one host fail in a second. Of one process: it has the project alone. */
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../shared/limits.js';
import { lruCache } from '../shared/maps.js';

/** Milliseconds in which failed attempts are counted. */
const WINDOW = 1000;
const MAX_HOSTS = 10_000;

export class FailureRates {
  /** The times of the latest failures, by project and host. */
  readonly #failures = lruCache<readonly number[]>(MAX_HOSTS);
  /** Attempts under way, by the same. */
  readonly #running = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Runs an attempt when it may fail. @param failed whether it has */
  async run<T>(project: string, host: string, attempt: () => Promise<T>, failed: (result: T) => boolean): Promise<T> {
    const key = `${project} ${host}`;
    for (let wait = this.#wait(key); wait > 0; wait = this.#wait(key)) await delay(wait);
    this.#count(key, 1);
    try {
      const result = await attempt();
      if (failed(result)) this.#failures.set(key, [...this.#recent(key), this.now()]);
      return result;
    } finally {
      this.#count(key, -1);
    }
  }

  /** Milliseconds until the next attempt may begin, if those under way fail too. */
  #wait(key: string): number {
    const recent = this.#recent(key);
    const [first] = recent;
    if (first === undefined || recent.length + (this.#running.get(key) ?? 0) < LIMITS.deliveryFailures) return 0;
    return Math.max(1, first + WINDOW - this.now());
  }

  #recent(key: string): readonly number[] {
    const since = this.now() - WINDOW;
    return (this.#failures.get(key) ?? []).filter((time) => time > since);
  }

  #count(key: string, change: number): void {
    const count = (this.#running.get(key) ?? 0) + change;
    if (count === 0) this.#running.delete(key);
    else this.#running.set(key, count);
  }
}
