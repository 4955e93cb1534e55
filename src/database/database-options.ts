/** Options of the database, and of its transactions. */
import { type BeginOptions } from './transaction/begin.js';
import { type ConnectionOptions } from './connection/connection.js';
import { type Executor } from './transaction/executor.js';
import { TransactionRuns } from './transaction/conflict-retries.js';

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

export interface TransactionOptions extends BeginOptions {
  /** The project that it is for; undefined for the service itself. */
  readonly project?: ConnectionUser | undefined;
  /** The earlier runs of this transaction, for a caller that repeats it itself (with `once`). */
  readonly runs?: TransactionRuns;
  /** Whether it may hold its connection long: it waits for a place among those of its project that may. */
  readonly long?: boolean;
  /** Milliseconds that it waits for such a place, if that is not the usual time. */
  readonly longTimeout?: number;
  /** Set if the caller repeats the transaction itself. */
  readonly once?: boolean;
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
