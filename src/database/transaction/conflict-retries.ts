/**
 * The runs of one transaction. At REPEATABLE READ, a transaction fails if it changes a row that another one has changed
 * since its snapshot. It is then run again from the start, and first locks the rows on which it failed, so that the
 * other transactions wait. See docs/adr/0008-repeatable-read-and-reruns.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { retryLater, type KindError } from '../../shared/errors.js';
import { FairQueue } from '../../shared/fair-queue.js';
import type { Statement } from '../../sql/fragment.js';
import { contentionTargetOf, OutdatedError, RestartError } from './contention.js';
import { Locks } from './locks.js';
import { isContention, isStaleModel } from '../statement/sqlstate.js';

/** Milliseconds for all runs of a transaction at REPEATABLE READ, if its options name no other time. */
export const RETRY_TIMEOUT = 10_000;

/** Attempts of a transaction at READ COMMITTED after deadlocks or lock timeouts. */
export const READ_COMMITTED_ATTEMPTS = 5;

/** Failed runs after which a transaction locks whole tables. */
const RUNS_BEFORE_TABLE_LOCKS = 4;

/** Maximum of the random pause, in milliseconds, before a run that has nothing to lock. */
const MAX_PAUSE = 100;

/** Remembers the locks of failed work, so that similar work takes them in its first run: entries, and milliseconds. */
const REMEMBERED_LOCKS = { max: 10_000, ttl: 1000 };
const MAX_REMEMBERED_UNITS = 10;

export interface TransactionRunsOptions {
  /** Milliseconds for all runs together. */
  readonly timeout?: number | undefined;
  /** The key of similar work, which writes the same units. Called only when needed. */
  readonly workKey?: (() => string | undefined) | undefined;
}

/** State that all transactions of one process share. */
export class ContentionState {
  /** Runs queue here for a unit, without a connection. */
  readonly turns = new FairQueue({ perKey: 1, refusal: contentionRefusal });
  readonly remembered = new LRUCache<string, Locks>(REMEMBERED_LOCKS);
}

export class TransactionRuns {
  readonly #deadline: number;
  #locks = Locks.none;
  #failedRuns = 0;
  #waited = false;
  #waitsForLocks = false;
  #onEnd: (() => void)[] = [];
  #ended = false;

  constructor(
    private readonly contention: ContentionState,
    timeout: number,
    private readonly workKey: TransactionRunsOptions['workKey'],
  ) {
    this.#deadline = performance.now() + timeout;
  }

  /** Whether the next run starts with locks. */
  get hasLocks(): boolean {
    return this.#locks.any;
  }

  /** Whether there were conflicts so far. */
  get contended(): boolean {
    return this.#failedRuns > 0 || this.#waited;
  }

  /**
   * Whether statements wait for locks as long as there is time, because what they conflicted on is unknown and can't be
   * locked first.
   */
  get waitsForLocks(): boolean {
    return this.#waitsForLocks;
  }

  /** Whether the run has locked whole tables before its snapshot, so that it sees all that was written to them. */
  get hasTableLocks(): boolean {
    return this.#locks.whole;
  }

  /** Milliseconds left. */
  get timeLeft(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** The statements of the locks of the next run. */
  get locks(): readonly Statement[] {
    return this.#locks.statements;
  }

  /** Locks whole tables from now on, because locking single units failed repeatedly. */
  lockTables(): void {
    this.#locks = this.#locks.ofTables();
  }

  /**
   * Call it after a failed run; resolves if another run may succeed.
   * @throws the error if it is no conflict, KindError 503 if no time is left
   */
  async afterFailure(error: unknown): Promise<void> {
    if (error instanceof RestartError || isStaleModel(error)) this.#onEnd = [];
    if (!isContention(error) && !(error instanceof OutdatedError)) throw error;
    this.#failedRuns += 1;
    if (this.timeLeft === 0) throw contentionRefusal(error);
    this.#onEnd = [];
    const contended = contentionTargetOf(error);
    if (contended) this.#locks = this.#locks.with(contended);
    if (this.#failedRuns >= RUNS_BEFORE_TABLE_LOCKS) this.lockTables();
    if (contended?.units) return this.#remember();
    if (this.#locks.whole) return;
    this.#waitsForLocks = true;
    await delay(Math.random() * MAX_PAUSE);
  }

  /** Takes the locks on which similar work failed, unless this one has some. Returns whether there were any. */
  adoptRememberedLocks(): boolean {
    const { remembered } = this.contention;
    if (this.hasLocks || remembered.size === 0) return false;
    const key = this.workKey?.();
    const found = key === undefined ? undefined : remembered.get(key);
    if (found) this.#locks = found;
    return found !== undefined;
  }

  #remember(): void {
    const key = this.workKey?.();
    if (key === undefined) return;
    const { remembered } = this.contention;
    const both = remembered.get(key)?.and(this.#locks) ?? this.#locks;
    // If similar work fails on other units each time, locking the earlier ones does not help.
    remembered.set(key, both.size > MAX_REMEMBERED_UNITS ? this.#locks : both);
  }

  /**
   * Waits for its turn on all units to lock; the returned function ends the turn. @throws KindError 503 if it takes too
   * long
   */
  async waitForTurn(): Promise<() => void> {
    const { turns } = this.contention;
    const taken: (() => void)[] = [];
    const endTurn = (): void => {
      for (const each of taken.splice(0)) each();
    };
    try {
      for (const name of this.#locks.names) taken.push(turns.tryAcquire(name) ?? (await this.#wait(name)));
    } catch (error) {
      endTurn();
      throw error;
    }
    return endTurn;
  }

  #wait(name: string): Promise<() => void> {
    this.#waited = true;
    // Remembers the locks, so that similar work queues too.
    this.#remember();
    return this.contention.turns.acquire(name, this.timeLeft);
  }

  /** Runs `work` after the last run. Work of runs that are repeated is dropped. */
  onEnd(work: () => void): void {
    if (this.#ended) work();
    else this.#onEnd.push(work);
  }

  /** Call it when no further run follows. */
  end(): void {
    this.#ended = true;
    for (const work of this.#onEnd.splice(0)) work();
  }
}

export function contentionRefusal(cause?: unknown): KindError {
  return retryLater('server.busy', 'Others change the same units all the time', 1, cause);
}
