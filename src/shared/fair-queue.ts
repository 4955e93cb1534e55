/**
 * Lanes in which work goes on, one for each key, such as a project: so much at once, and a line of limited length and
 * patience before it. Keys are served in turn, so that one tenant's rush is not everybody's; and so are the parts of a key,
 * such as a project's kinds, so that work that is held up in one does not hold up the others.
 */
import type { KindError } from './errors.js';

export interface LaneOptions {
  /** Pieces of work at once: of one key, and of all keys. */
  readonly perKey?: number;
  readonly atOnce?: number;
  /** The part that one key may have of the places that the others leave; whoever has none gets one all the same. */
  readonly share?: number;
  /** Likewise of one part of a key: of the places, and of the line, that the other parts of that key leave. */
  readonly partShare?: number;
  /** How many may wait: of one key, and of all keys. */
  readonly waitingPerKey?: number;
  readonly waiting?: number;
  /** Milliseconds that one waits at most; without it, as long as it takes. */
  readonly patience?: number;
  /** What whoever finds the line too long, or has waited too long, is told. */
  readonly refusal: () => KindError;
}

interface Part {
  readonly name: string;
  running: number;
  readonly waiting: Set<() => void>;
}

interface Lane {
  readonly key: string;
  running: number;
  waiting: number;
  readonly parts: Map<string, Part>;
  /** The parts in which somebody waits: the one that was served last comes last. */
  readonly turns: Set<Part>;
}

const UNBOUNDED = {
  perKey: Infinity,
  atOnce: Infinity,
  share: 1,
  partShare: 1,
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
  async run<T>(key: string, work: () => Promise<T>, part = ''): Promise<T> {
    const leave = this.enterNow(key, part) ?? (await this.enter(key, this.#options.patience, part));
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
  async enter(key: string, patience = this.#options.patience, part = ''): Promise<() => void> {
    const lane = this.#laneOf(key);
    const own = partOf(lane, part);
    if (this.#isFree(lane, own)) this.#enter(lane, own);
    else await this.#wait(lane, own, patience);
    return () => this.#leave(lane, own);
  }

  /** The same without waiting: undefined where no place is free. */
  enterNow(key: string, part = ''): (() => void) | undefined {
    const lane = this.#laneOf(key);
    const own = partOf(lane, part);
    if (!this.#isFree(lane, own)) return undefined;
    this.#enter(lane, own);
    return () => this.#leave(lane, own);
  }

  #laneOf(key: string): Lane {
    return this.#lanes.get(key) ?? { key, running: 0, waiting: 0, parts: new Map(), turns: new Set() };
  }

  #isFree({ running }: Lane, part: Part): boolean {
    const { perKey, atOnce, share, partShare } = this.#options;
    if (running >= perKey || this.#running >= atOnce) return false;
    const most = Math.min(perKey, (atOnce - (this.#running - running)) * share);
    if (running > 0 && running + 1 > most) return false;
    return part.running === 0 || part.running + 1 <= (most - (running - part.running)) * partShare;
  }

  #enter(lane: Lane, part: Part): void {
    part.running += 1;
    lane.running += 1;
    this.#running += 1;
    this.#keep(lane, part);
  }

  #keep(lane: Lane, part: Part): void {
    lane.parts.set(part.name, part);
    this.#lanes.set(lane.key, lane);
  }

  #wait(lane: Lane, part: Part, patience: number): Promise<void> {
    const { waiting, waitingPerKey, partShare, refusal } = this.#options;
    if (this.#waiting >= waiting || lane.waiting >= waitingPerKey) throw refusal();
    const ofOthers = lane.waiting - part.waiting.size;
    if (part.waiting.size > 0 && part.waiting.size + 1 > (waitingPerKey - ofOthers) * partShare) throw refusal();
    this.#keep(lane, part);
    this.#turns.add(lane);
    lane.turns.add(part);
    lane.waiting += 1;
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const called = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        this.#stepOut(lane, part, called);
        reject(refusal());
      };
      const timer = patience === Infinity ? undefined : setTimeout(giveUp, patience);
      part.waiting.add(called);
    });
  }

  #stepOut(lane: Lane, part: Part, called: () => void): void {
    part.waiting.delete(called);
    lane.waiting -= 1;
    this.#waiting -= 1;
    if (part.waiting.size === 0) lane.turns.delete(part);
    if (lane.waiting === 0) this.#turns.delete(lane);
    this.#forgetIdle(lane, part);
  }

  /** The place goes to the first of the next lane that may have it, or is free. Where a share grew, others follow. */
  #leave(lane: Lane, part: Part): void {
    part.running -= 1;
    lane.running -= 1;
    this.#running -= 1;
    for (const next of this.#turns) {
      const own = this.#nextOf(next);
      const [called] = own?.waiting ?? [];
      if (!own || !called) continue;
      moveLast(this.#turns, next);
      moveLast(next.turns, own);
      this.#enter(next, own);
      this.#stepOut(next, own, called);
      called();
    }
    this.#forgetIdle(lane, part);
  }

  /** The next part of a lane that may have a place. */
  #nextOf(lane: Lane): Part | undefined {
    for (const part of lane.turns) {
      if (this.#isFree(lane, part)) return part;
    }
    return undefined;
  }

  #forgetIdle(lane: Lane, part: Part): void {
    if (part.running === 0 && part.waiting.size === 0) lane.parts.delete(part.name);
    if (lane.parts.size === 0) this.#lanes.delete(lane.key);
  }
}

function partOf({ parts }: Lane, name: string): Part {
  return parts.get(name) ?? { name, running: 0, waiting: new Set() };
}

function moveLast<T>(set: Set<T>, item: T): void {
  set.delete(item);
  set.add(item);
}
