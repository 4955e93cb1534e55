/** Requests and streams that wait for changes: how many there may be, and what wakes them. */
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { projectOfSchema } from '../../model/names.js';
import { type KindError, retryLater } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { getOrInsert } from '../../shared/maps.js';
import { type FeedRow, feedStatement } from '../../sql/changes/number.sql.js';

/** Milliseconds after which the waiting requests of a project are woken again: more for more of them. */
const PAUSE = 100;
const PAUSE_EACH = 4;
/** Milliseconds between two looks for what other processes have written. */
const LOOK_EVERY = 1000;

/**
 * Ends when something may have been written in the project, after some milliseconds, or when the signal says so. Answers
 * whether something may have been written since the call before.
 */
type Wait = (milliseconds: number, signal: AbortSignal) => Promise<boolean>;

@Injectable()
export class Waiting {
  /** How many wait, by what limits them. */
  readonly #counts = new Map<string, number>();
  readonly #projects = new Map<string, WaitingProject>();
  #stopped = false;

  constructor(private readonly database: Database) {}

  get stopped(): boolean {
    return this.#stopped;
  }

  /** How many wait. */
  get size(): number {
    return this.#counts.get('') ?? 0;
  }

  /**
   * Runs `work`, which reads and waits in turns, if not too many wait already. What is written between a read and the wait
   * that follows ends that wait.
   * @param who what the request is of: a member, a key, or an address
   * @throws KindError 503, and 429 if it is `who` that waits too often
   */
  async run<T>(schema: string, who: string, work: (wait: Wait) => Promise<T>): Promise<T> {
    const leave = this.enter(schema, who);
    try {
      return await work(this.waiter(schema));
    } finally {
      leave();
    }
  }

  /** Counts one that waits, until what it returns is called, once. @throws KindError as `run` does */
  enter(schema: string, who: string): () => void {
    const keys = ['', schema, `${schema} ${who}`];
    const [all = 0, ofProject = 0, ofOne = 0] = keys.map((key) => this.#counts.get(key) ?? 0);
    if (all >= LIMITS.streams || ofProject >= LIMITS.streamsOfProject) throw tooMany();
    if (ofOne >= LIMITS.streamsOfCaller) throw tooManyOfOne();
    for (const key of keys) this.#add(key, 1);
    return () => {
      for (const key of keys) this.#add(key, -1);
      if (this.#counts.has(schema)) return;
      this.#projects.get(schema)?.stop();
      this.#projects.delete(schema);
    };
  }

  /** Waits in a project that somebody has entered. */
  waiter(schema: string): Wait {
    const project = getOrInsert(this.#projects, schema, () => new WaitingProject(() => this.#look(schema)));
    let seen = project.writes;
    return async (milliseconds, signal) => {
      if (!this.#stopped) await project.sleep(seen, milliseconds, signal);
      const before = seen;
      seen = project.writes;
      return seen !== before;
    };
  }

  #look(schema: string): Promise<FeedRow[]> {
    return this.database.ofProject({ id: projectOfSchema(schema), schema }).run<FeedRow>(feedStatement(schema));
  }

  #add(key: string, change: number): void {
    const count = (this.#counts.get(key) ?? 0) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }

  /** Something was written in the project. */
  wake(schema: string): void {
    this.#projects.get(schema)?.wake();
  }

  /** Nobody waits any longer. */
  stop(): void {
    this.#stopped = true;
    for (const project of this.#projects.values()) project.wakeNow();
  }
}

/** The waiting requests of one project. */
class WaitingProject {
  readonly #sleepers = new Set<() => void>();
  readonly #looking: NodeJS.Timeout;
  /** The last number of a change that the database had. */
  #last: string | undefined;
  /** How often something was written. */
  writes = 0;
  #woken = -Infinity;
  #later: NodeJS.Timeout | undefined;

  constructor(look: () => Promise<FeedRow[]>) {
    this.#looking = setInterval(() => {
      look().then(
        ([feed]) => {
          if (feed?.waiting === true || feed?.last !== this.#last) this.wake();
          this.#last = feed?.last;
        },
        // Requests that wait find out why.
        () => this.wake(),
      );
    }, LOOK_EVERY);
  }

  /** @param seen the number of writes that the caller knows */
  sleep(seen: number, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#sleepers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#sleepers.add(end);
      signal.addEventListener('abort', end, { once: true });
      if (this.writes !== seen) this.#wakeSoon();
    });
  }

  wake(): void {
    this.writes += 1;
    this.#wakeSoon();
  }

  /** Wakes all at once, but not again before a while. */
  #wakeSoon(): void {
    if (this.#later) return;
    const pause = PAUSE + PAUSE_EACH * this.#sleepers.size;
    const left = this.#woken + pause - performance.now();
    if (left <= 0) this.wakeNow();
    else this.#later = setTimeout(() => this.wakeNow(), left);
  }

  wakeNow(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#woken = performance.now();
    for (const end of [...this.#sleepers]) end();
  }

  stop(): void {
    clearInterval(this.#looking);
    clearTimeout(this.#later);
  }
}

function tooMany(): KindError {
  return retryLater('server.busy', 'Too many requests and streams wait for changes', 5);
}

function tooManyOfOne(): KindError {
  const text = `At most ${LIMITS.streamsOfCaller} requests and streams of one caller wait for changes`;
  return retryLater('stream.too_many', text, 5);
}
