/** What statements are run by: the pool, or a transaction. */
import type { Statement } from '../sql/fragment.js';

/** Runs one statement and answers its rows. */
export interface Executor {
  run<Row>(statement: Statement): Promise<Row[]>;
  /** The transaction that its statements are part of; without one each is by itself. */
  readonly tx?: Transaction;
}

/** A transaction. When it is over it runs nothing any more. */
export interface Transaction extends Executor {
  readonly tx: Transaction;
  /** Whether it has its connection: one that begins with its first statement waits for one there. */
  readonly begun: boolean;
  /** Runs after COMMIT; a failure is logged and changes nothing. Dropped with the transaction. */
  afterCommit(work: () => void | Promise<void>): void;
  /**
   * Where the signal aborts, the transaction is undone: whoever began it is told the reason at once, the statement under
   * way is cancelled, and the connection serves nobody else.
   */
  until(signal: AbortSignal): void;
}
