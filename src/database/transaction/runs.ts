/**
 * The runs of one transaction. At REPEATABLE READ a transaction that would change what another one has changed meanwhile
 * fails; it is run again from its beginning, and first locks what it failed on, so that the others wait for it and not it
 * for them. See docs/adr/0008-repeatable-read-and-reruns.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { comeBack, type KindError } from '../../shared/errors.js';
import { Lanes } from '../../shared/fair-queue.js';
import type { Statement } from '../../sql/fragment.js';
import { contendedOf, Outdated } from './contended.js';
import { Locks } from './locks.js';
import { isContention, isStaleModel } from '../statement/sqlstate.js';
import { StartOver } from './start-over.js';

/** Runs after which a transaction keeps all others out of the tables that it failed on. */
const BEFORE_TABLES = 4;

/** Milliseconds before a run of which it is not known what to lock, at most. */
const PAUSE = 100;

/** What work was about that failed a moment ago, to be locked at once by who does the same: how much, and milliseconds. */
const REMEMBERED = { max: 10_000, ttl: 1000 };
const UNITS_REMEMBERED = 10;

export interface RunsOptions {
  /** Milliseconds for all runs together. */
  readonly patience?: number;
  /** What is the same for work that writes the same: asked for where somebody may have to know. */
  readonly about?: () => string | undefined;
}

/** What the runs of one process have in common. */
export class Contention {
  /** Where runs wait for their turn on one unit, without a connection. */
  readonly turns = new Lanes({ perKey: 1, refusal: busy });
  readonly remembered = new LRUCache<string, Locks>(REMEMBERED);
}

export class Runs {
  readonly #until: number;
  readonly #about: () => string | undefined;
  #locks = Locks.none;
  #failed = 0;
  #waited = false;
  #patient = false;
  #told: (() => void)[] = [];
  #over = false;

  constructor(
    private readonly contention: Contention,
    { patience = 0, about = () => undefined }: RunsOptions,
  ) {
    this.#until = performance.now() + patience;
    this.#about = about;
  }

  /** Whether the next run locks something before it sees anything. */
  get locking(): boolean {
    return this.#locks.any;
  }

  /** Whether others stood in the way so far. */
  get contended(): boolean {
    return this.#failed > 0 || this.#waited;
  }

  /** Whether a statement waits for a lock as long as there is time: what it is held by is not known, and can't be locked first. */
  get patient(): boolean {
    return this.#patient;
  }

  /** Milliseconds that are left. */
  get left(): number {
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
  async again(error: unknown): Promise<void> {
    if (error instanceof StartOver || isStaleModel(error)) this.#told = [];
    if (!isContention(error) && !(error instanceof Outdated)) throw error;
    this.#failed += 1;
    if (this.left === 0) throw busy(error);
    this.#told = [];
    const contended = contendedOf(error);
    if (contended) this.#locks = this.#locks.with(contended);
    if (this.#failed >= BEFORE_TABLES) this.lockTables();
    if (contended?.units) return this.#remember();
    if (this.#locks.whole) return;
    this.#patient = true;
    await delay(Math.random() * PAUSE);
  }

  /** Takes over what others failed on who do the same, where nothing is known yet. Answers whether there was something. */
  learn(): boolean {
    const { remembered } = this.contention;
    if (this.locking || remembered.size === 0) return false;
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
  async enter(): Promise<() => void> {
    const { turns } = this.contention;
    const taken: (() => void)[] = [];
    const leave = (): void => {
      for (const each of taken.splice(0)) each();
    };
    try {
      for (const name of this.#locks.names) taken.push(turns.enterNow(name) ?? (await this.#wait(name)));
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
    return this.contention.turns.enter(name, this.left);
  }

  /** Keeps what a run has to tell of itself, until no further one follows: of others it is not told. */
  atLast(tell: () => void): void {
    if (this.#over) tell();
    else this.#told.push(tell);
  }

  /** To be called when no further run follows. */
  end(): void {
    this.#over = true;
    for (const tell of this.#told.splice(0)) tell();
  }
}

export function busy(cause?: unknown): KindError {
  return comeBack('server.busy', 'Others change the same units all the time', 1, cause);
}
