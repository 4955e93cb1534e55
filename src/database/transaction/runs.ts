/**
 * The runs of one transaction. At REPEATABLE READ a transaction that would change what another one has changed meanwhile
 * fails; it is run again from its beginning, and first locks what it failed on, so that the others wait for it and not it
 * for them. See docs/adr/0008-repeatable-read-and-reruns.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { retryLater, type KindError } from '../../shared/errors.js';
import { FairQueue } from '../../shared/fair-queue.js';
import type { Statement } from '../../sql/fragment.js';
import { contentionTargetOf, OutdatedError } from './contention.js';
import { Locks } from './locks.js';
import { isContention, isStaleModel } from '../statement/sqlstate.js';
import { RestartError } from './restart-error.js';

/** Runs after which a transaction keeps all others out of the tables that it failed on. */
const BEFORE_TABLES = 4;

/** Milliseconds before a run of which it is not known what to lock, at most. */
const PAUSE = 100;

/** What work was about that failed a moment ago, to be locked at once by who does the same: how much, and milliseconds. */
const REMEMBERED = { max: 10_000, ttl: 1000 };
const UNITS_REMEMBERED = 10;

export interface TransactionRunsOptions {
  /** Milliseconds for all runs together. */
  readonly timeout?: number;
  /** What is the same for work that writes the same: asked for where somebody may have to know. */
  readonly workKey?: () => string | undefined;
}

/** What the runs of one process have in common. */
export class ContentionState {
  /** Where runs wait for their turn on one unit, without a connection. */
  readonly turns = new FairQueue({ perKey: 1, refusal: contentionRefusal });
  readonly remembered = new LRUCache<string, Locks>(REMEMBERED);
}

export class TransactionRuns {
  readonly #until: number;
  readonly #about: () => string | undefined;
  #locks = Locks.none;
  #failed = 0;
  #waited = false;
  #patient = false;
  #told: (() => void)[] = [];
  #over = false;

  constructor(
    private readonly contention: ContentionState,
    { timeout: patience = 0, workKey: about = () => undefined }: TransactionRunsOptions,
  ) {
    this.#until = performance.now() + patience;
    this.#about = about;
  }

  /** Whether the next run locks something before it sees anything. */
  get hasLocks(): boolean {
    return this.#locks.any;
  }

  /** Whether others stood in the way so far. */
  get contended(): boolean {
    return this.#failed > 0 || this.#waited;
  }

  /** Whether a statement waits for a lock as long as there is time: what it is held by is not known, and can't be locked first. */
  get waitsForLocks(): boolean {
    return this.#patient;
  }

  /** Milliseconds that are left. */
  get timeLeft(): number {
    return Math.max(0, this.#until - performance.now());
  }

  /** What the next run locks. */
  get locks(): readonly Statement[] {
    return this.#locks.statements;
  }

  /** Locks of units that could not be had, though nothing was in between: whole tables can. */
  lockTables(): void {
    this.#locks = this.#locks.ofTables();
  }

  /**
   * To be called where a run failed: comes back where another one may come through.
   * @throws the error where that is of no use, KindError 503 where there is no time left
   */
  async afterFailure(error: unknown): Promise<void> {
    if (error instanceof RestartError || isStaleModel(error)) this.#told = [];
    if (!isContention(error) && !(error instanceof OutdatedError)) throw error;
    this.#failed += 1;
    if (this.timeLeft === 0) throw contentionRefusal(error);
    this.#told = [];
    const contended = contentionTargetOf(error);
    if (contended) this.#locks = this.#locks.with(contended);
    if (this.#failed >= BEFORE_TABLES) this.lockTables();
    if (contended?.units) return this.#remember();
    if (this.#locks.whole) return;
    this.#patient = true;
    await delay(Math.random() * PAUSE);
  }

  /** Takes over what others failed on who do the same, where nothing is known yet. Answers whether there was something. */
  adoptRememberedLocks(): boolean {
    const { remembered } = this.contention;
    if (this.hasLocks || remembered.size === 0) return false;
    const key = this.#about();
    const found = key === undefined ? undefined : remembered.get(key);
    if (found) this.#locks = found;
    return found !== undefined;
  }

  #remember(): void {
    const key = this.#about();
    if (key === undefined) return;
    const { remembered } = this.contention;
    const both = remembered.get(key)?.and(this.#locks) ?? this.#locks;
    // What fails on ever other units is not helped by locking those of others.
    remembered.set(key, both.size > UNITS_REMEMBERED ? this.#locks : both);
  }

  /** Waits for its turn on what it locks; what is answered gives that up. @throws KindError 503 where it takes too long */
  async waitForTurn(): Promise<() => void> {
    const { turns } = this.contention;
    const taken: (() => void)[] = [];
    const leave = (): void => {
      for (const each of taken.splice(0)) each();
    };
    try {
      for (const name of this.#locks.names) taken.push(turns.tryAcquire(name) ?? (await this.#wait(name)));
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  #wait(name: string): Promise<() => void> {
    this.#waited = true;
    // As long as some wait, others have to.
    this.#remember();
    return this.contention.turns.acquire(name, this.timeLeft);
  }

  /** Keeps what a run has to tell of itself, until no further one follows: of others it is not told. */
  onEnd(tell: () => void): void {
    if (this.#over) tell();
    else this.#told.push(tell);
  }

  /** To be called when no further run follows. */
  end(): void {
    this.#over = true;
    for (const tell of this.#told.splice(0)) tell();
  }
}

export function contentionRefusal(cause?: unknown): KindError {
  return retryLater('server.busy', 'Others change the same units all the time', 1, cause);
}
