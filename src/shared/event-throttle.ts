import { LRUCache } from 'lru-cache';

/** Maximum of distinct events; beyond it, the least recently used one is forgotten. */
const MAX_EVENTS = 1_000;

/** Intervals after which an event is forgotten that did not pass again. */
const FORGET_AFTER = 100;

interface ThrottledEvent {
  /** Time at which the last one passed. */
  readonly passed: number;
  /** Number held back since. */
  held: number;
}

/** Lets the first event of a name pass, then at most one per interval, with the number of events since. */
export class EventThrottle {
  readonly #events: LRUCache<string, ThrottledEvent>;

  /** @param interval in milliseconds */
  constructor(
    private readonly interval: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#events = new LRUCache({ max: MAX_EVENTS, ttl: FORGET_AFTER * interval, ttlResolution: 0, perf: { now } });
  }

  /** The number of events since the last one that passed, including this one; undefined if this one is held back. */
  pass(what: string): number | undefined {
    const seen = this.#events.get(what);
    if (seen && this.now() - seen.passed < this.interval) {
      seen.held += 1;
      return undefined;
    }
    this.#events.set(what, { passed: this.now(), held: 0 });
    return (seen?.held ?? 0) + 1;
  }
}
