/** Options of the database, and of its transactions. */
import type { Isolation } from '../sql/server/transaction.sql.js';
import type { ConnectionOptions } from './connection/connection.js';
import type { TransactionRuns, TransactionRunsOptions } from './transaction/conflict-retries.js';
import type { Executor } from './transaction/transaction.js';

/** The project that a connection is used for. */
export interface ConnectionUser {
  readonly id: string;
  readonly schema: string;
}

export interface UseOptions {
  /** Statement timeout in milliseconds, if it is shorter than that of the pool. */
  readonly limit?: number | undefined;
  /** The part of the project's work, such as a kind, each of which has a share of its connections. */
  readonly part?: string | undefined;
}

/** `timeout` and `workKey` are of its runs, if these are not given. */
export interface TransactionOptions extends TransactionRunsOptions {
  /**
   * REPEATABLE READ by default: if data that was read has changed, the transaction is run again (see
   * `TransactionRuns`). READ COMMITTED is for transactions that must see what was committed while they waited for a
   * lock.
   */
  readonly isolation?: Isolation;
  readonly readOnly?: boolean;
  /**
   * Lock timeout in milliseconds at READ COMMITTED; the transaction is then repeated, and finally refused with 503.
   * Without one it is refused at once, after `LOCK_TIMEOUTS.transaction`.
   */
  readonly lockTimeout?: number;
  /** Statement timeout in milliseconds, if it differs from that of the pool. */
  readonly statementTimeout?: number;
  /** Idle timeout in milliseconds, if it is longer than that of the pool. */
  readonly idleTimeout?: number | undefined;
  /** The project that it is for; undefined for the service itself. */
  readonly project?: ConnectionUser | undefined;
  /** Its runs, for a caller that looks at them, or has several transactions in them. That caller ends them. */
  readonly runs?: TransactionRuns;
  /** Set if it begins with its first statement, and holds no connection before. Its refusals are not completed. */
  readonly lazy?: boolean;
  /**
   * Whether it may hold its connection long: it waits for a place among those of its project that may, as long as its
   * runs have time.
   */
  readonly long?: boolean;
  /** Of a long one: it waits for its place as short as others, because another statement has held its lock long. */
  readonly waitsBriefly?: boolean;
  /** Set if it is not run again, and its errors are those of PostgreSQL. */
  readonly once?: boolean;
  /** Called before each run but the first one, without a connection. */
  readonly beforeNextRun?: () => Promise<void>;
  /** Set if all of it is undone at its end. */
  readonly undo?: boolean;
}

/** Offers older data. */
export interface ReadReplica {
  /** Its age in seconds; infinite while it cannot be used. */
  readonly lag: number;
  /** Statements that it answered, and those that were sent to the primary instead. */
  readonly reads: { readonly replica: number; readonly primary: number };
  /** For single reads of a project; undefined while it cannot be used. */
  readsOf(project: ConnectionUser, options: UseOptions): Executor | undefined;
}

export interface DatabaseOptions {
  readonly replica?: ReadReplica;
  /** Called with errors of `afterCommit` work. */
  readonly onAfterCommitError?: (error: unknown) => void;
  /** Whether a pooler is in between, so that the process id of a connection is not that of a backend. */
  readonly pooled?: boolean;
  /** Whether repeated statements are prepared by name. By default, until an error shows that names are lost. */
  readonly prepares?: boolean;
  /** Called once when names turn out to be lost. */
  readonly onUnprepared?: (error: Error) => void;
  /** The idle timeout of the connections in milliseconds. */
  readonly idleTimeout?: number;
  /** Milliseconds for all runs of a transaction without another limit; 10 seconds by default. */
  readonly retryTimeout?: number;
  /** Slow statements of one project at the same time, while other projects are active; unlimited by default. */
  readonly slowStatements?: number;
  /** The connection for work that needs a session; that of the pool by default. */
  readonly direct?: ConnectionOptions;
}
