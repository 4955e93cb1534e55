/**
 * What a statement costs PostgreSQL, estimated from its last runs: the time during which it ran, divided by the number of
 * runs that ended meanwhile. So runs at the same time share the time that they slow each other down.
 */

/** Milliseconds from which a statement is slow. */
const SLOW = 3;
/** Milliseconds that one run counts at most: it may have waited for a lock. */
const MOST = 100;
/** The weight of all runs before, relative to a new one. */
const EARLIER_RUNS = 7;

export class StatementCost {
  #running = 0;
  /** The begin of the first of the present runs, or the end of the last run. */
  #since = 0;
  #mean = 0;

  get isSlow(): boolean {
    return this.#mean > SLOW;
  }

  begin(): void {
    if (this.#running === 0) this.#since = performance.now();
    this.#running += 1;
  }

  end(): void {
    const now = performance.now();
    this.#running -= 1;
    this.#mean = (this.#mean * EARLIER_RUNS + Math.min(now - this.#since, MOST)) / (EARLIER_RUNS + 1);
    this.#since = now;
  }
}
