/**
 * Lanes in which work goes on, one for each key, such as a project: so much at once, and a line of limited length and
 * patience before it. Keys are served in turn, so that one tenant's rush is not everybody's.
 */
import type { KindError } from './errors.js';

export interface LaneOptions {
  /** Pieces of work at once: of one key, and of all keys. */
  readonly perKey?: number;
  readonly atOnce?: number;
  /** The part that one key may have of the places that the others leave; whoever has none gets one all the same. */
  readonly share?: number;
  /** How many may wait: of one key, and of all keys. */
  readonly waitingPerKey?: number;
  readonly waiting?: number;
  /** Milliseconds that one waits at most; without it, as long as it takes. */
  readonly patience?: number;
  /** What whoever finds the line too long, or has waited too long, is told. */
  readonly refusal: () => KindError;
}

interface Lane {
  readonly key: string;
  running: number;
  readonly waiting: Set<() => void>;
}

const UNBOUNDED = {
  perKey: Infinity,
  atOnce: Infinity,
  share: 1,
  waitingPerKey: Infinity,
  waiting: Infinity,
  patience: Infinity,
};

export class Lanes {
  readonly #options: Required<LaneOptions>;
  readonly #lanes = new Map<string, Lane>();
  /** The lanes in which somebody waits: the one that was served last comes last. */
  readonly #turns = new Set<Lane>();
  #running = 0;
  #waiting = 0;

  constructor(options: LaneOptions) {
    this.#options = { ...UNBOUNDED, ...options };
  }

  /** @throws KindError the refusal, where too many wait or one has waited too long */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const leave = this.enterNow(key) ?? (await this.enter(key));
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Takes a place, which what is answered gives back. @throws KindError as `run` does
   * @param patience milliseconds that it waits at most, where that differs from others
   */
  async enter(key: string, patience = this.#options.patience): Promise<() => void> {
    const lane = this.#laneOf(key);
    if (this.#isFree(lane)) this.#enter(lane);
    else await this.#wait(lane, patience);
    return () => this.#leave(lane);
  }

  /** The same without waiting: undefined where no place is free. */
  enterNow(key: string): (() => void) | undefined {
    const lane = this.#laneOf(key);
    if (!this.#isFree(lane)) return undefined;
    this.#enter(lane);
    return () => this.#leave(lane);
  }

  #laneOf(key: string): Lane {
    return this.#lanes.get(key) ?? { key, running: 0, waiting: new Set() };
  }

  #isFree({ running }: Lane): boolean {
    const { perKey, atOnce, share } = this.#options;
    if (running >= perKey || this.#running >= atOnce) return false;
    const left = atOnce - (this.#running - running);
    return running === 0 || running + 1 <= left * share;
  }

  #enter(lane: Lane): void {
    lane.running += 1;
    this.#running += 1;
    this.#lanes.set(lane.key, lane);
  }

  #wait(lane: Lane, patience: number): Promise<void> {
    const { waiting, waitingPerKey, refusal } = this.#options;
    if (this.#waiting >= waiting || lane.waiting.size >= waitingPerKey) throw refusal();
    this.#lanes.set(lane.key, lane);
    this.#turns.add(lane);
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const called = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        this.#stepOut(lane, called);
        reject(refusal());
      };
      const timer = patience === Infinity ? undefined : setTimeout(giveUp, patience);
      lane.waiting.add(called);
    });
  }

  #stepOut(lane: Lane, called: () => void): void {
    lane.waiting.delete(called);
    this.#waiting -= 1;
    if (lane.waiting.size === 0) this.#turns.delete(lane);
    this.#forgetIdle(lane);
  }

  /** The place goes to the first of the next lane that may have it, or is free. Where a share grew, others follow. */
  #leave(lane: Lane): void {
    lane.running -= 1;
    this.#running -= 1;
    for (const next of this.#turns) {
      const [called] = next.waiting;
      if (!called || !this.#isFree(next)) continue;
      this.#turns.delete(next);
      this.#turns.add(next);
      this.#enter(next);
      this.#stepOut(next, called);
      called();
    }
    this.#forgetIdle(lane);
  }

  #forgetIdle({ key, running, waiting }: Lane): void {
    if (running === 0 && waiting.size === 0) this.#lanes.delete(key);
  }
}
