/**
 * A queue with concurrency limits that is fair among keys, such as projects: keys are served round robin, so that one
 * key with much work does not delay the others. The same holds for the parts of a key, such as the kinds of a project.
 */
import type { KindError } from './errors.js';

export interface FairQueueOptions {
  /** Maximum of concurrent work of one key. */
  readonly perKey?: number;
  /** Maximum of concurrent work of all keys. */
  readonly concurrency?: number;
  /** The fraction that one key may take of the places that other keys don't use; each key may always take one. */
  readonly keyShare?: number;
  /** The same for one named part of a key: the fraction of what the other parts of the key don't use, of places and of the queue. */
  readonly partShare?: number;
  /** Maximum of waiting work of one key. */
  readonly maxWaitingPerKey?: number;
  /** Maximum of waiting work of all keys. */
  readonly maxWaiting?: number;
  /**
   * Maximum of waiting work of all keys; a key with less than its share of it, and than `maxWaitingPerKey`, may wait all
   * the same.
   */
  readonly maxWaitingShared?: number;
  /** When a part of a key is congested; see `refuseIfCongested`. */
  readonly congestion?: Congestion;
  /** Milliseconds to wait at most; unlimited by default. */
  readonly timeout?: number;
  /** Makes the error for work that finds the queue full or has waited too long. */
  readonly refusal: () => KindError;
}

/** More waits than `waiting`, and the work whose turn is next has waited longer than `milliseconds`. */
interface Congestion {
  readonly milliseconds: number;
  readonly waiting: number;
}

interface PartQueue {
  readonly name: string;
  running: number;
  /** With the time at which each began to wait. */
  readonly waiting: Map<() => void, number>;
  /** When work was started last. */
  startedAt: number;
}

interface KeyQueue {
  readonly key: string;
  running: number;
  waiting: number;
  readonly parts: Map<string, PartQueue>;
  /** The parts with waiting work, least recently served first. */
  readonly turns: Set<PartQueue>;
}

/** Milliseconds without a start after which a queue does not move. */
const STANDSTILL = 1000;

const UNLIMITED_QUEUE = {
  perKey: Infinity,
  concurrency: Infinity,
  keyShare: 1,
  partShare: 1,
  maxWaitingPerKey: Infinity,
  maxWaiting: Infinity,
  maxWaitingShared: Infinity,
  congestion: { milliseconds: Infinity, waiting: Infinity },
  timeout: Infinity,
};

/** A fraction of so many places, rounded down; one at least. */
export function fractionOf(places: number, fraction: number): number {
  return Math.max(1, Math.floor(places * fraction));
}

/** The work of all keys. */
interface QueueCounts {
  readonly running: number;
  readonly waiting: number;
  /** Since the start of the process. */
  readonly refused: number;
}

export class FairQueue {
  readonly #options: Required<FairQueueOptions>;
  readonly #queues = new Map<string, KeyQueue>();
  /** The queues with waiting work, least recently served first. */
  readonly #turns = new Set<KeyQueue>();
  #running = 0;
  #waiting = 0;
  #refused = 0;
  /** One for all, because there can be thousands of them in a second. */
  #congested: KindError | undefined;

  constructor(options: FairQueueOptions) {
    this.#options = { ...UNLIMITED_QUEUE, ...options };
  }

  /** What runs and waits now, and how often work was refused. */
  get counts(): QueueCounts {
    return { running: this.#running, waiting: this.#waiting, refused: this.#refused };
  }

  /** Whether no key finds a place. */
  get isFull(): boolean {
    return this.#running >= this.#options.concurrency;
  }

  /** Runs `work` in a place of its key. @throws KindError `refusal` if the queue is full or the wait takes too long */
  run<T>(key: string, work: () => Promise<T>, part = ''): Promise<T> {
    const release = this.tryAcquire(key, part);
    if (release) return runAndRelease(work, release);
    return this.acquire(key, this.#options.timeout, part).then((acquired) => runAndRelease(work, acquired));
  }

  /** Waits for a place. The returned function releases it. @throws KindError as `run` does */
  async acquire(key: string, timeout = this.#options.timeout, part = ''): Promise<() => void> {
    const queue = this.#queueOf(key);
    const partQueue = partOf(queue, part);
    if (this.#hasPlace(queue, partQueue)) this.#take(queue, partQueue);
    else await this.#wait(queue, partQueue, timeout);
    return () => this.#release(queue, partQueue);
  }

  /** Takes a place without waiting; undefined if none is free. */
  tryAcquire(key: string, part = ''): (() => void) | undefined {
    const queue = this.#queueOf(key);
    const partQueue = partOf(queue, part);
    if (!this.#hasPlace(queue, partQueue)) return undefined;
    this.#take(queue, partQueue);
    return () => this.#release(queue, partQueue);
  }

  /**
   * The refusal of work that has not begun to wait, if its part of the key is congested: what is next has waited long, so
   * that more work only waits longer. A part that starts nothing for a second, as its table is locked, is not.
   */
  refuseIfCongested(key: string, part: string): KindError | undefined {
    const { milliseconds, waiting } = this.#options.congestion;
    if (this.#waiting <= waiting) return undefined;
    const queue = this.#queues.get(key)?.parts.get(part);
    if (!queue || queue.waiting.size <= waiting) return undefined;
    const now = performance.now();
    const [next = now] = queue.waiting.values();
    if (now - next < milliseconds || now - queue.startedAt > STANDSTILL) return undefined;
    this.#refused += 1;
    return (this.#congested ??= this.#options.refusal());
  }

  #queueOf(key: string): KeyQueue {
    return this.#queues.get(key) ?? { key, running: 0, waiting: 0, parts: new Map(), turns: new Set() };
  }

  #hasPlace({ running }: KeyQueue, part: PartQueue): boolean {
    const { perKey, concurrency, keyShare, partShare } = this.#options;
    if (running >= perKey || this.#running >= concurrency) return false;
    const max = Math.min(perKey, (concurrency - (this.#running - running)) * keyShare);
    if (running > 0 && running + 1 > max) return false;
    if (part.running === 0 || part.name === '') return true;
    return part.running + 1 <= (max - (running - part.running)) * partShare;
  }

  #take(queue: KeyQueue, part: PartQueue): void {
    part.startedAt = performance.now();
    part.running += 1;
    queue.running += 1;
    this.#running += 1;
    this.#store(queue, part);
  }

  #store(queue: KeyQueue, part: PartQueue): void {
    queue.parts.set(part.name, part);
    this.#queues.set(queue.key, queue);
  }

  #wait(queue: KeyQueue, part: PartQueue, timeout: number): Promise<void> {
    const { maxWaiting, maxWaitingPerKey, maxWaitingShared, partShare } = this.#options;
    if (this.#waiting >= maxWaiting || queue.waiting >= maxWaitingPerKey) throw this.#refuse();
    if (this.#waiting >= maxWaitingShared && queue.waiting >= maxWaitingShared / this.#turns.size) throw this.#refuse();
    const ofOtherParts = queue.waiting - part.waiting.size;
    const most = (maxWaitingPerKey - ofOtherParts) * partShare;
    if (part.waiting.size > 0 && part.waiting.size + 1 > most) throw this.#refuse();
    this.#store(queue, part);
    this.#turns.add(queue);
    queue.turns.add(part);
    queue.waiting += 1;
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        this.#dequeue(queue, part, start);
        reject(this.#refuse());
      };
      const timer = timeout === Infinity ? undefined : setTimeout(giveUp, timeout);
      part.waiting.set(start, performance.now());
    });
  }

  #refuse(): KindError {
    this.#refused += 1;
    return this.#options.refusal();
  }

  #dequeue(queue: KeyQueue, part: PartQueue, start: () => void): void {
    part.waiting.delete(start);
    queue.waiting -= 1;
    this.#waiting -= 1;
    if (part.waiting.size === 0) queue.turns.delete(part);
    if (queue.waiting === 0) this.#turns.delete(queue);
    this.#deleteIfIdle(queue, part);
  }

  /** Starts the next waiting work that has a place. More than one can start, because a released place can enlarge shares. */
  #release(queue: KeyQueue, part: PartQueue): void {
    part.running -= 1;
    queue.running -= 1;
    this.#running -= 1;
    for (const next of this.#turns) {
      const nextPart = this.#nextPartOf(next);
      const [first] = nextPart?.waiting.keys() ?? [];
      if (!nextPart || !first) continue;
      moveToEnd(this.#turns, next);
      moveToEnd(next.turns, nextPart);
      this.#take(next, nextPart);
      this.#dequeue(next, nextPart, first);
      first();
    }
    this.#deleteIfIdle(queue, part);
  }

  /** The next part of a queue that has a place. */
  #nextPartOf(queue: KeyQueue): PartQueue | undefined {
    for (const part of queue.turns) {
      if (this.#hasPlace(queue, part)) return part;
    }
    return undefined;
  }

  #deleteIfIdle(queue: KeyQueue, part: PartQueue): void {
    if (part.running === 0 && part.waiting.size === 0) queue.parts.delete(part.name);
    if (queue.parts.size === 0) this.#queues.delete(queue.key);
  }
}

/** Callbacks instead of `async`, because all requests pass here and each promise has a cost. */
function runAndRelease<T>(work: () => Promise<T>, release: () => void): Promise<T> {
  let running: Promise<T>;
  try {
    running = work();
  } catch (error) {
    release();
    throw error;
  }
  return running.then(
    (value) => {
      release();
      return value;
    },
    (error: unknown) => {
      release();
      throw error;
    },
  );
}

function partOf({ parts }: KeyQueue, name: string): PartQueue {
  return parts.get(name) ?? { name, running: 0, waiting: new Map(), startedAt: -Infinity };
}

function moveToEnd<T>(set: Set<T>, item: T): void {
  set.delete(item);
  set.add(item);
}
