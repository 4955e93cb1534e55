/** What a call of authored code consists of: its time limit, and its transaction, which begins with its first statement. */
import type { Transaction } from '../database/database.js';
import { refusal, type KindError } from '../shared/errors.js';
import type { Statement } from '../sql/fragment.js';

/** What one piece of authored code, or several in one transaction, have in common. */
export interface CallScope {
  readonly limit: TimeLimit;
  /** Runs after the commit; dropped without one. */
  afterCommit(work: () => void): void;
  /** Notes what makes the transaction worthless, whatever the author makes of it. */
  doom(error: unknown): void;
}

/** The time that a call may take, in all. What costs something is made for those alone who ask for it. */
export class TimeLimit {
  #abort: AbortController | undefined;
  #over: KindError | undefined;
  readonly #waiting = new Set<(reason: KindError) => void>();
  #timer: NodeJS.Timeout | undefined;
  #begun = 0;
  #left: number;

  /** @param milliseconds of all stretches together */
  constructor(
    private readonly name: string,
    private readonly milliseconds: number,
  ) {
    this.#left = milliseconds;
  }

  start(): void {
    this.#begun = performance.now();
    this.#timer = setTimeout(() => this.#end(), this.#left);
  }

  stop(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#begun));
  }

  /** Aborts at the end. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#over) this.#abort.abort(this.#over);
    return this.#abort.signal;
  }

  /** @throws KindError 504 when it is over */
  check(): void {
    if (this.#over) throw this.#over;
  }

  /** Comes back with the work, or at the end. @throws KindError 504 */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#over);
      const done = () => this.#waiting.delete(reject);
      this.#waiting.add(reject);
      work.then(resolve, reject).finally(done);
    });
  }

  #end(): void {
    const over = timedOut(this.name, this.milliseconds);
    this.#over = over;
    this.#abort?.abort(over);
    for (const reject of this.#waiting) reject(over);
  }
}

function timedOut(name: string, milliseconds: number): KindError {
  return refusal('function.timeout', `'${name}' took longer than its limit of ${milliseconds} milliseconds`);
}

/** Runs the work of a transaction in one, as `Database.transaction` does. */
export type Begin = (work: (tx: Transaction) => Promise<void>) => Promise<void>;

/** A transaction that begins with its first statement, if there is one. */
export class LateTransaction implements Transaction {
  #begun: Promise<Transaction> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #end: { commit: () => void; rollback: (reason: unknown) => void } | undefined;
  #closed = false;
  readonly #after: (() => void | Promise<void>)[] = [];

  constructor(private readonly begin: Begin) {}

  async run<Row>(statement: Statement): Promise<Row[]> {
    if (this.#closed) throw new Error('the transaction is over');
    const transaction = await (this.#begun ??= this.#begin());
    return transaction.run<Row>(statement);
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.#after.push(work);
  }

  async commit(): Promise<void> {
    this.#closed = true;
    this.#end?.commit();
    await this.#ended;
    if (!this.#begun) for (const work of this.#after) await work();
  }

  /** Comes back when the connection is free again. */
  async rollback(reason: unknown): Promise<void> {
    this.#closed = true;
    this.#end?.rollback(reason);
    await this.#ended.catch(() => undefined);
  }

  #begin(): Promise<Transaction> {
    return new Promise((begun, failed) => {
      const work = async (tx: Transaction): Promise<void> => {
        if (this.#closed) throw new Error('the call was over before its transaction began');
        await new Promise<void>((commit, rollback) => {
          this.#end = { commit, rollback };
          begun(tx);
        });
        for (const job of this.#after) tx.afterCommit(job);
      };
      this.#ended = this.begin(work);
      this.#ended.catch(failed);
    });
  }
}
