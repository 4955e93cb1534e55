import { LRUCache } from 'lru-cache';

/** Events that are told apart at most: of more, those that came longest ago are forgotten. */
const KNOWN = 1_000;

/** Intervals after which an event that did not pass again is forgotten. */
const KEPT = 100;

interface Seen {
  readonly passed: number;
  held: number;
}

/** Holds events that are alike back: the first passes, and then one an interval, with the number of those before it. */
export class EventThrottle {
  readonly #seen: LRUCache<string, Seen>;

  /** @param interval in milliseconds */
  constructor(
    private readonly interval: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#seen = new LRUCache({ max: KNOWN, ttl: KEPT * interval, ttlResolution: 0, perf: { now } });
  }

  /** How many there were since the last one that passed, with this one; undefined for one that is held back. */
  pass(what: string): number | undefined {
    const seen = this.#seen.get(what);
    if (seen && this.now() - seen.passed < this.interval) {
      seen.held += 1;
      return undefined;
    }
    this.#seen.set(what, { passed: this.now(), held: 0 });
    return (seen?.held ?? 0) + 1;
  }
}
