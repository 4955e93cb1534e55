/** Lets others have their turn on the event loop where work that waits for nothing goes on and on. */
export class Breather {
  #since = performance.now();

  /** @param stretch milliseconds of work at a time */
  constructor(private readonly stretch = 25) {}

  /** Whether it is time for `pause`. */
  get due(): boolean {
    return performance.now() - this.#since > this.stretch;
  }

  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
