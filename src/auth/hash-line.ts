/**
 * Bounds what hashing takes of the machine: so many pieces of work at once, and a waiting line that is refused where it
 * gets too long. Those who wait are served in turn by key, so that one tenant's rush is not everybody's.
 */
import { comeBack } from '../shared/errors.js';

export interface HashLineOptions {
  readonly atOnce: number;
  /** How many may wait, of all keys. */
  readonly waiting: number;
  /** Milliseconds that one waits at most. */
  readonly patience: number;
}

export class HashLine {
  /** The key that was served last comes last. */
  readonly #lanes = new Map<string, (() => void)[]>();
  #running = 0;
  #waiting = 0;

  constructor(private readonly options: HashLineOptions) {}

  /** @throws KindError 503 where too many wait, or one has waited too long */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.options.atOnce) this.#running += 1;
    else await this.#wait(key);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #wait(key: string): Promise<void> {
    if (this.#waiting >= this.options.waiting) throw busy();
    const lane = this.#lanes.get(key) ?? [];
    this.#lanes.set(key, lane);
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        this.#waiting -= 1;
        resolve();
      };
      const timer = setTimeout(() => {
        lane.splice(lane.indexOf(enter), 1);
        if (lane.length === 0) this.#lanes.delete(key);
        this.#waiting -= 1;
        reject(busy());
      }, this.options.patience);
      lane.push(enter);
    });
  }

  /** The place goes to the next key's first in line, or is free. */
  #leave(): void {
    const [next] = this.#lanes;
    if (!next) {
      this.#running -= 1;
      return;
    }
    const [key, lane] = next;
    const enter = lane.shift();
    this.#lanes.delete(key);
    if (lane.length > 0) this.#lanes.set(key, lane);
    enter?.();
  }
}

function busy() {
  return comeBack('server.busy', 'Too many passwords wait to be checked; try again shortly', 2);
}
