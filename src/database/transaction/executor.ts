/** What statements are run by: the pool, or a transaction. */
import type { Statement } from '../../sql/fragment.js';
import type { Isolation } from '../../sql/transaction.sql.js';
import type { Runs } from './runs.js';
import { StartOver } from './start-over.js';

/** Runs one statement and answers its rows. */
export interface Executor {
  run<Row>(statement: Statement): Promise<Row[]>;
  /** The transaction that its statements are part of; without one each is by itself. */
  readonly tx?: Transaction;
}

/** A transaction. When it is over it runs nothing any more. */
export interface Transaction extends Executor {
  readonly tx: Transaction;
  readonly isolation: Isolation;
  /** What it is one of: they share what may happen once alone, such as the end of a time limit. */
  readonly runs: Runs;
  /** Whether it has its connection: one that begins with its first statement waits for one there. */
  readonly begun: boolean;
  /**
   * Sends a statement before COMMIT, the same one once: where it fails, so does the transaction. To be used for what a
   * statement at READ COMMITTED sees by itself: there it is not sent.
   */
  atCommit(statement: Statement): void;
  /** Runs after COMMIT; a failure is logged and changes nothing. Dropped with the transaction. */
  afterCommit(work: () => void | Promise<void>): void;
  /**
   * Where the signal aborts, the transaction is undone: whoever began it is told the reason at once, the statement under
   * way is cancelled, and the connection serves nobody else.
   */
  until(signal: AbortSignal): void;
  /** Runs when its connection is free again, whichever way it ended. */
  atEnd(work: () => void): void;
  /**
   * Makes it one of those that have a part of the connections among themselves, where it is not. @throws NoPlace where
   * that part is in use: it is then undone, and begun again when there is a place.
   */
  join(share: Share): void;
}

/** A part of the connections, for transactions that may hold theirs for long. */
export interface Share {
  /** Comes back when a place is free; what it answers gives it back. @throws KindError 503 where that takes too long */
  enter(): Promise<() => void>;
  /** The same without waiting: undefined where none is free. */
  enterNow(): (() => void) | undefined;
}

/** A transaction needs a place that is not to be had while it holds a connection. */
export class NoPlace extends StartOver {
  override readonly name = 'NoPlace';

  constructor(readonly share: Share) {
    super('the transaction begins again when there is a place for it');
  }
}
