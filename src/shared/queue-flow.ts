/** How much work a queue has started in the last second, and how long all of it had waited. */

interface Flow {
  readonly started: number;
  /** Milliseconds that the work waited that waited least. */
  readonly shortestWait: number;
}

/** The second consists of so many steps, so that work that began to wait long is noticed soon. */
const STEPS = 4;
const STEP_MS = 1000 / STEPS;
const NOTHING: Flow = { started: 0, shortestWait: 0 };
const EMPTY_STEP: Flow = { started: 0, shortestWait: Infinity };
const NO_STEPS: readonly Flow[] = [];

export class QueueFlow {
  /** The step in which work was started last. */
  #step = 0;
  #started = 0;
  #shortestWait = Infinity;
  /** The steps before it, newest first. */
  #before = NO_STEPS;

  start(wait: number, now: number): void {
    this.#turn(now);
    this.#started += 1;
    if (wait < this.#shortestWait) this.#shortestWait = wait;
  }

  /** Of the last whole steps that make a second. */
  last(now: number): Flow {
    this.#turn(now);
    const started = this.#before.reduce((sum, step) => sum + step.started, 0);
    if (started === 0) return NOTHING;
    return { started, shortestWait: Math.min(...this.#before.map(({ shortestWait }) => shortestWait)) };
  }

  #turn(now: number): void {
    const step = Math.floor(now / STEP_MS);
    const passed = step - this.#step;
    if (passed <= 0) return;
    this.#before = passed > STEPS ? NO_STEPS : this.#with(passed - 1);
    this.#step = step;
    this.#started = 0;
    this.#shortestWait = Infinity;
  }

  /** The steps, after this one and so many empty ones. */
  #with(empty: number): readonly Flow[] {
    const ended = { started: this.#started, shortestWait: this.#shortestWait };
    const skipped = Array.from({ length: empty }, () => EMPTY_STEP);
    return [...skipped, ended, ...this.#before].slice(0, STEPS);
  }
}
