/**
 * Queues work in the process before it takes a connection: of one project one piece at a time, of all projects together
 * no more than some. A tenant whose definitions change all the time never holds the pool that others need.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param slots pieces of work at once, of all keys */
  constructor(private readonly slots: number) {}

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const run = before.then(() => this.#withSlot(work));
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    try {
      return await run;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  async #withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.slots) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
