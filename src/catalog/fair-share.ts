/**
 * Lets each project have only a share of what all of them share: requests beyond it wait here, without a connection, so
 * that one tenant's slow queries never take the pool from the others.
 */
import { comeBack } from '../shared/errors.js';

/** Milliseconds that a request waits for its turn: as long as for a connection. */
const PATIENCE = 5000;

/** Requests of one project that may wait. */
const QUEUE = 2000;

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

export class FairShare {
  readonly #lanes = new Map<string, Lane>();

  /** @param share pieces of work of one key at once */
  constructor(private readonly share: number) {}

  /** @throws KindError 503 where too many wait already */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.running < this.share) lane.running += 1;
    else await this.#wait(lane);
    try {
      return await work();
    } finally {
      this.#leave(key, lane);
    }
  }

  #wait({ waiting }: Lane): Promise<void> {
    const busy = () => comeBack('server.busy', 'Too many requests of this project are under way; try again shortly');
    if (waiting.length >= QUEUE) throw busy();
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(enter), 1);
        reject(busy());
      }, PATIENCE);
      waiting.push(enter);
    });
  }

  /** The place goes to the next in line, or is free. */
  #leave(key: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next) return next();
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(key);
  }
}
