/** A transaction that has not begun: it stops a request at its first statement, after the checks that need none. */
import type { Transaction } from '../../database/database.js';
import type { TransactionRuns } from '../../database/transaction/conflict-retries.js';
import type { Isolation } from '../../sql/server/transaction.sql.js';

/** The request has to be run again in a transaction. */
export class NotBegunError extends Error {
  override readonly name = 'NotBegunError';

  constructor() {
    super('the request is run again in a transaction');
  }
}

export class UnbegunTransaction implements Transaction {
  readonly isolation: Isolation = 'repeatable read';
  readonly hasBegun = true;
  /** Whether it stopped the request. Code in between may have replaced the error. */
  stopped = false;

  get tx(): this {
    return this;
  }

  get runs(): TransactionRuns {
    throw this.#stop();
  }

  run<Row>(): Promise<Row[]> {
    return Promise.reject(this.#stop());
  }

  stream(): Promise<number> {
    return Promise.reject(this.#stop());
  }

  /** Called before user code runs. */
  becomeLong(): never {
    throw this.#stop();
  }

  beforeCommit(): void {
    // There is nothing to commit.
  }

  tellAtCommit(): void {
    // There is nothing to commit.
  }

  afterCommit(): void {
    // There is nothing to commit.
  }

  abortOn(): void {
    // There is nothing to abort.
  }

  onEnd(): void {
    // It holds no connection.
  }

  #stop(): NotBegunError {
    this.stopped = true;
    return new NotBegunError();
  }
}
