/** How much work a queue has started in the last second, and how long all of it had waited. */

export interface Flow {
  readonly started: number;
  /** Milliseconds that the work waited that waited least. */
  readonly shortestWait: number;
}

const WINDOW_MS = 1000;
const NOTHING: Flow = { started: 0, shortestWait: 0 };

export class QueueFlow {
  #begin = 0;
  #current = NOTHING;
  #last = NOTHING;

  start(wait: number, now: number): void {
    this.#turn(now);
    const { started, shortestWait } = this.#current;
    this.#current = { started: started + 1, shortestWait: started === 0 ? wait : Math.min(shortestWait, wait) };
  }

  /** Of the last whole second. */
  last(now: number): Flow {
    this.#turn(now);
    return this.#last;
  }

  #turn(now: number): void {
    const passed = now - this.#begin;
    if (passed < WINDOW_MS) return;
    this.#last = passed < 2 * WINDOW_MS ? this.#current : NOTHING;
    this.#current = NOTHING;
    this.#begin = now;
  }
}
