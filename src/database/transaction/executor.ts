/** Interfaces of what runs statements: the pool, or a transaction. */
import type { Statement } from '../../sql/fragment.js';
import type { Isolation } from '../../sql/server/transaction.sql.js';
import type { TransactionRuns } from './conflict-retries.js';
import type { TextSink } from '../statement/row-stream.js';
import { RestartError } from './restart-error.js';

export interface Executor {
  run<Row>(statement: Statement): Promise<Row[]>;
  /** The transaction of its statements; undefined if each runs alone. */
  readonly tx?: Transaction;
}

export type { TextSink } from '../statement/row-stream.js';

/** Is told of COMMIT what was written, all at once, and nothing of a rollback. */
export interface CommitWitness<T> {
  /** Right before it is sent: every other statement has succeeded. */
  before(written: readonly T[]): void;
  /** It was refused, or its answer lost. */
  failed(written: readonly T[], error: unknown): void;
}

/** A transaction. After its end it refuses statements. */
export interface Transaction extends Executor {
  readonly tx: Transaction;
  /**
   * Runs a query of one text column that is never null, and passes each text on as it arrives. Returns the number of
   * rows.
   */
  stream(statement: Statement, sink: TextSink): Promise<number>;
  readonly isolation: Isolation;
  /** All runs of this transaction. */
  readonly runs: TransactionRuns;
  /** Whether it has a connection. A lazy transaction gets one with its first statement. */
  readonly hasBegun: boolean;
  /**
   * Sends a statement together with COMMIT, equal ones once; if it fails, so does the transaction. Not sent at READ
   * COMMITTED, where every statement sees current data.
   */
  beforeCommit(statement: Statement): void;
  /** The witness will be told of it, unless it is undone. */
  tellAtCommit<T>(witness: CommitWitness<T>, written: T): void;
  /** Runs after COMMIT; errors are only logged. Not run after a rollback. */
  afterCommit(work: () => void | Promise<void>): void;
  /**
   * When the signal aborts, the transaction is rolled back: its promise rejects with the reason immediately, the
   * running statement is cancelled, and the connection is closed.
   */
  abortOn(signal: AbortSignal): void;
  /** Runs when its connection is released, after COMMIT and ROLLBACK alike. */
  onEnd(work: () => void): void;
  /**
   * Counts from now on among the transactions that may hold their connection long. @throws NoLongPlaceError if no place
   * is free there; the transaction is then rolled back, and begins again when there is one
   */
  becomeLong(): void;
}

/** A transaction needs a place among the long ones, and must not wait for it while it holds a connection. */
export class NoLongPlaceError extends RestartError {
  override readonly name = 'NoLongPlaceError';

  constructor() {
    super('the transaction begins again when there is a place for it');
  }
}
