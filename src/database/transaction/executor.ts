/** What statements are run by: the pool, or a transaction. */
import type { Statement } from '../../sql/fragment.js';
import type { Isolation } from '../../sql/transaction.sql.js';
import type { TransactionRuns } from './runs.js';
import { RestartError } from './restart-error.js';

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
  readonly runs: TransactionRuns;
  /** Whether it has its connection: one that begins with its first statement waits for one there. */
  readonly hasBegun: boolean;
  /**
   * Sends a statement before COMMIT, the same one once: where it fails, so does the transaction. To be used for what a
   * statement at READ COMMITTED sees by itself: there it is not sent.
   */
  beforeCommit(statement: Statement): void;
  /** Runs after COMMIT; a failure is logged and changes nothing. Dropped with the transaction. */
  afterCommit(work: () => void | Promise<void>): void;
  /**
   * Where the signal aborts, the transaction is undone: whoever began it is told the reason at once, the statement under
   * way is cancelled, and the connection serves nobody else.
   */
  abortOn(signal: AbortSignal): void;
  /** Runs when its connection is free again, whichever way it ended. */
  onEnd(work: () => void): void;
  /**
   * Makes it one of those that have a part of the connections among themselves, where it is not. @throws NoPlace where
   * that part is in use: it is then undone, and begun again when there is a place.
   */
  joinShare(share: ConnectionShare): void;
}

/** A part of the connections, for transactions that may hold theirs for long. */
export interface ConnectionShare {
  /** Comes back when a place is free; what it answers gives it back. @throws KindError 503 where that takes too long */
  acquire(): Promise<() => void>;
  /** The same without waiting: undefined where none is free. */
  tryAcquire(): (() => void) | undefined;
}

/** A transaction needs a place that is not to be had while it holds a connection. */
export class ShareFullError extends RestartError {
  override readonly name = 'ShareFullError';

  constructor(readonly share: ConnectionShare) {
    super('the transaction begins again when there is a place for it');
  }
}
