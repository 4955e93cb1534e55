import type { Transaction } from '../../database/database.js';
import type { TimeLimit } from './time-limit.js';

/** What one piece of authored code, or several in one transaction, have in common. */
export interface CallScope {
  readonly limit: TimeLimit;
  readonly tx: Transaction;
  /** Notes what makes the transaction worthless, whatever the author makes of it. */
  failWith(error: unknown): void;
}
