/** Transactions that hold no connection before they need one: they begin with their first statement. */
import type { Statement } from '../../sql/fragment.js';
import type { Isolation } from '../../sql/transaction.sql.js';
import type { ConnectionShare, Transaction } from './executor.js';
import type { TransactionRuns } from './runs.js';

/** Runs the work of a transaction in one, as `Database.transaction` does. */
export type Begin = (work: (tx: Transaction) => Promise<void>) => Promise<void>;

/** A transaction that begins with its first statement, if there is one. */
export class LazyTransaction implements Transaction {
  readonly isolation: Isolation = 'repeatable read';
  #begun: Promise<Transaction> | undefined;
  #ended: Promise<void> = Promise.resolve();
  #end: { commit: () => void; rollback: (reason: unknown) => void } | undefined;
  #closed = false;
  #open: Transaction | undefined;
  readonly #last: Statement[] = [];
  readonly #after: (() => void | Promise<void>)[] = [];
  readonly #signals: AbortSignal[] = [];
  readonly #ends: (() => void)[] = [];

  /** @param runs it is one of them, and so is the transaction that `begin` makes */
  constructor(
    private readonly begin: Begin,
    readonly runs: TransactionRuns,
  ) {}

  get tx(): this {
    return this;
  }

  get hasBegun(): boolean {
    return this.#begun !== undefined;
  }

  async run<Row>(statement: Statement): Promise<Row[]> {
    if (this.#closed) throw new Error('the transaction is over');
    const transaction = await (this.#begun ??= this.#begin());
    return transaction.run<Row>(statement);
  }

  beforeCommit(statement: Statement): void {
    this.#last.push(statement);
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.#after.push(work);
  }

  abortOn(signal: AbortSignal): void {
    this.#signals.push(signal);
    this.#open?.abortOn(signal);
  }

  onEnd(work: () => void): void {
    this.#ends.push(work);
  }

  /** Whoever lets it begin sees to its place. */
  joinShare(share: ConnectionShare): void {
    this.#open?.joinShare(share);
  }

  async commit(): Promise<void> {
    this.#closed = true;
    this.#end?.commit();
    await this.#ended;
    if (!this.#begun) for (const work of this.#after) await work();
    this.#leave();
  }

  /** Comes back when the connection is free again, or where a signal has ended it. */
  async rollback(reason: unknown): Promise<void> {
    this.#closed = true;
    this.#end?.rollback(reason);
    await this.#ended.catch(() => undefined);
    this.#leave();
  }

  #leave(): void {
    for (const work of this.#ends.splice(0)) work();
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
        for (const statement of this.#last) tx.beforeCommit(statement);
        for (const job of this.#after) tx.afterCommit(job);
      };
      this.#ended = this.begin(work);
      this.#ended.catch(failed);
    });
  }
}
