import type { Transaction } from '../../database/database.js';
import type { TimeLimit } from './time-limit.js';

/** Shared by all user code in one transaction. */
export interface CallScope {
  readonly limit: TimeLimit;
  readonly tx: Transaction;
  /** Makes the transaction fail with this error, even if user code catches it. */
  failWith(error: unknown): void;
}
