/** A transaction that begins with its first statement, and holds no connection before. */
import type { Statement } from '../../sql/fragment.js';
import type { Isolation } from '../../sql/server/transaction.sql.js';
import type { CommitWitness, TextSink, Transaction } from './executor.js';
import type { TransactionRuns } from './conflict-retries.js';

/** Runs `work` in a transaction, like `Database.transaction`. */
export type BeginTransaction = (work: (tx: Transaction) => Promise<void>) => Promise<void>;

export class LazyTransaction implements Transaction {
  readonly isolation: Isolation = 'repeatable read';
  #begun: Promise<Transaction> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #end: { commit: () => void; rollback: (reason: unknown) => void } | undefined;
  #closed = false;
  #open: Transaction | undefined;
  readonly #beforeCommit: Statement[] = [];
  readonly #told: (readonly [CommitWitness<unknown>, unknown])[] = [];
  readonly #afterCommit: (() => void | Promise<void>)[] = [];
  readonly #signals: AbortSignal[] = [];
  readonly #onEnd: (() => void)[] = [];

  /** @param runs the runs that this transaction, and the one that `begin` opens, belong to */
  constructor(
    private readonly begin: BeginTransaction,
    readonly runs: TransactionRuns,
  ) {}

  get tx(): this {
    return this;
  }

  get hasBegun(): boolean {
    return this.#begun !== undefined;
  }

  async run<Row>(statement: Statement): Promise<Row[]> {
    return (await this.#opened()).run<Row>(statement);
  }

  async stream(statement: Statement, sink: TextSink): Promise<number> {
    return (await this.#opened()).stream(statement, sink);
  }

  #opened(): Promise<Transaction> {
    if (this.#closed) return Promise.reject(new Error('the transaction is over'));
    return (this.#begun ??= this.#begin());
  }

  beforeCommit(statement: Statement): void {
    this.#beforeCommit.push(statement);
  }

  tellAtCommit<T>(witness: CommitWitness<T>, written: T): void {
    this.#told.push([witness, written]);
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.#afterCommit.push(work);
  }

  abortOn(signal: AbortSignal): void {
    this.#signals.push(signal);
    this.#open?.abortOn(signal);
  }

  onEnd(work: () => void): void {
    this.#onEnd.push(work);
  }

  /** Before it has begun, `begin` takes the place. */
  becomeLong(): void {
    this.#open?.becomeLong();
  }

  async commit(): Promise<void> {
    this.#closed = true;
    this.#end?.commit();
    await this.#ended;
    if (!this.#begun) for (const work of this.#afterCommit) await work();
    this.#runOnEnd();
  }

  /** Resolves when the connection is released, or a signal has aborted the transaction. */
  async rollback(reason: unknown): Promise<void> {
    this.#closed = true;
    this.#end?.rollback(reason);
    await this.#ended.catch(() => undefined);
    this.#runOnEnd();
  }

  #runOnEnd(): void {
    for (const work of this.#onEnd.splice(0)) work();
  }

  #begin(): Promise<Transaction> {
    return new Promise((begun, failed) => {
      const work = async (tx: Transaction): Promise<void> => {
        if (this.#closed) throw new Error('the call was over before its transaction began');
        this.#open = tx;
        await new Promise<void>((commit, rollback) => {
          this.#end = { commit, rollback };
          for (const signal of this.#signals) tx.abortOn(signal);
          begun(tx);
        });
        for (const statement of this.#beforeCommit) tx.beforeCommit(statement);
        for (const told of this.#told) tx.tellAtCommit(...told);
        for (const job of this.#afterCommit) tx.afterCommit(job);
      };
      this.#ended = this.begin(work);
      this.#ended.catch(failed);
    });
  }
}
