/** Transactions that hold no connection before they need one: they begin with their first statement. */
import type { Statement } from '../sql/fragment.js';
import type { Executor, Transaction } from './database.js';

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

  get begun(): boolean {
    return this.#begun !== undefined;
  }

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

/**
 * Transactions one after the other, for work that waits in between for what is not the database: `commit` ends one, and
 * the next statement begins another.
 */
export class TransactionChain implements Transaction {
  #current: LateTransaction;

  constructor(private readonly begin: Begin) {
    this.#current = new LateTransaction(begin);
  }

  get begun(): boolean {
    return this.#current.begun;
  }

  run<Row>(statement: Statement): Promise<Row[]> {
    return this.#current.run<Row>(statement);
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.#current.afterCommit(work);
  }

  commit(): Promise<void> {
    const ended = this.#current;
    this.#current = new LateTransaction(this.begin);
    return ended.commit();
  }

  /** Undoes what was done since the last commit; comes back when the connection is free again. */
  rollback(reason: unknown): Promise<void> {
    return this.#current.rollback(reason);
  }
}

/** Whether a statement of a transaction waits for no other connection than the one that it has. */
export function holdsConnection(executor: Executor): boolean {
  const late = executor instanceof LateTransaction || executor instanceof TransactionChain;
  return !late || executor.begun;
}
