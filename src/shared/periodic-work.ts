/** Milliseconds between two rounds. */
export const ROUND_INTERVAL = 60_000;

/** Work in the background: a round every minute, or more often, one at a time, until it is stopped. */
export class PeriodicWork {
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  /** @param round ends soon after the signal aborts, and throws nothing; `all`: without limits of time */
  constructor(
    private readonly round: (all: boolean) => Promise<void>,
    private readonly interval = ROUND_INTERVAL,
  ) {}

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The first round begins after the interval. */
  start(): void {
    this.#timer ??= setInterval(() => void this.run(), this.interval).unref();
  }

  /** No round begins until it is started again. */
  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A round now, unless one runs; with `all` after that one. */
  async run({ all = false } = {}): Promise<void> {
    if (this.#running) {
      if (!all) return;
      await this.#running;
    }
    if (this.signal.aborted) return;
    this.#running = this.round(all).finally(() => (this.#running = undefined));
    await this.#running;
  }

  /** Ends the round that runs. */
  async stop(): Promise<void> {
    this.pause();
    this.#stop.abort();
    await this.#running;
  }
}
