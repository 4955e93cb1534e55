/** Which projects are requested most: counts of the last minutes, of some projects only. */

/** Projects in the metrics. */
const SHOWN = 10;
/** Projects that are counted at once. */
const COUNTED = 10_000;
const WINDOW_MS = 60_000;

interface ProjectLoad {
  readonly project: string;
  /** Requests in the last whole minute. */
  readonly requests: number;
  /** Seconds that they took together. */
  readonly seconds: number;
}

interface Counts {
  requests: number;
  milliseconds: number;
}

export class BusiestProjects {
  #current = new Map<string, Counts>();
  #last: ReadonlyMap<string, Counts> = new Map();
  #begin: number;

  /** @param now milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#begin = now();
  }

  observe(project: string, milliseconds: number): void {
    this.#turn();
    const counts = this.#current.get(project);
    if (counts) {
      counts.requests += 1;
      counts.milliseconds += milliseconds;
    } else if (this.#current.size < COUNTED) this.#current.set(project, { requests: 1, milliseconds });
  }

  /** The projects with the most requests, the busiest first. */
  busiest(): ProjectLoad[] {
    this.#turn();
    return [...this.#last]
      .sort(([, a], [, b]) => b.requests - a.requests)
      .slice(0, SHOWN)
      .map(([project, { requests, milliseconds }]) => ({ project, requests, seconds: milliseconds / 1000 }));
  }

  /** Begins a new minute if the current one is over. */
  #turn(): void {
    const passed = this.now() - this.#begin;
    if (passed < WINDOW_MS) return;
    this.#last = passed < 2 * WINDOW_MS ? this.#current : new Map<string, Counts>();
    this.#current = new Map();
    this.#begin += Math.floor(passed / WINDOW_MS) * WINDOW_MS;
  }
}
