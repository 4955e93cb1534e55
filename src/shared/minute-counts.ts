/** Counts calls by key, and refuses those beyond a number in a minute. */
import type { KindError } from './errors.js';
import { lruCache } from './maps.js';

const MINUTE = 60_000;
/** Keys whose calls are counted; beyond it, the least recently used one is forgotten. */
const MOST_COUNTED = 20_000;

interface CountedMinute {
  calls: number;
  /** When it began, in milliseconds. */
  readonly since: number;
}

export class MinuteCounts {
  readonly #minutes = lruCache<CountedMinute>(MOST_COUNTED);

  /** @param refusal makes the error for a call too many, which may come again after some seconds */
  constructor(
    private readonly most: number,
    private readonly refusal: (seconds: number) => KindError,
  ) {}

  /** @throws KindError `refusal` */
  count(key: string, now = performance.now()): void {
    let minute = this.#minutes.get(key);
    if (!minute || now - minute.since >= MINUTE) this.#minutes.set(key, (minute = { calls: 0, since: now }));
    if (minute.calls >= this.most) throw this.refusal(Math.ceil((minute.since + MINUTE - now) / 1000));
    minute.calls += 1;
  }
}
