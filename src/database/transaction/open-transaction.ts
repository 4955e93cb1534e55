/** A transaction that has a connection, from BEGIN to its end. */
import type { Statement } from '../../sql/fragment.js';
import type { Isolation } from '../../sql/transaction.sql.js';
import { ShareFullError, type ConnectionShare, type Transaction } from './executor.js';
import type { TransactionRuns } from './conflict-retries.js';

/** State of a transaction that outlives its work. */
export interface TransactionOutcome {
  readonly isolation: Isolation;
  readonly runs: TransactionRuns;
  /** Texts of statements to send with COMMIT. */
  readonly last: Set<string>;
  /** Work to run after COMMIT. */
  readonly after: (() => void | Promise<void>)[];
  /** Work to run when the connection is released. */
  readonly ends: (() => void)[];
  /** The share of connections that it has a place of. */
  readonly share: ConnectionShare | undefined;
}

export class OpenTransaction implements Transaction {
  readonly hasBegun = true;
  readonly #signals = new Map<AbortSignal, () => void>();
  #share: ConnectionShare | undefined;
  #endedError = false;

  constructor(
    private readonly query: <Row>(statement: Statement) => Promise<Row[]>,
    private readonly outcome: TransactionOutcome,
    /** Called when a signal aborts it. */
    private readonly interrupt: (reason: unknown) => void,
  ) {
    this.#share = outcome.share;
  }

  get tx(): this {
    return this;
  }

  get isolation(): Isolation {
    return this.outcome.isolation;
  }

  get runs(): TransactionRuns {
    return this.outcome.runs;
  }

  run<Row>(statement: Statement): Promise<Row[]> {
    if (this.#endedError) return Promise.reject(endedError());
    return this.query(statement);
  }

  beforeCommit({ text, values }: Statement): void {
    if (values.length > 0) throw new Error('what is sent before COMMIT has no parameters');
    if (this.isolation === 'repeatable read') this.outcome.last.add(text);
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.outcome.after.push(work);
  }

  onEnd(work: () => void): void {
    this.outcome.ends.push(work);
  }

  joinShare(share: ConnectionShare): void {
    if (this.#share) return;
    const release = share.tryAcquire();
    if (!release) throw new ShareFullError(share);
    this.#share = share;
    this.outcome.ends.push(release);
  }

  abortOn(signal: AbortSignal): void {
    const end = (): void => {
      if (this.#endedError) return;
      this.close();
      this.interrupt(signal.reason);
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', end);
    this.#signals.set(signal, end);
  }

  /** Call it before COMMIT. @throws Error if a signal has aborted it */
  finish(): void {
    if (this.#endedError) throw endedError();
    this.close();
  }

  /** Refuses further statements and stops listening to signals. */
  close(): void {
    this.#endedError = true;
    for (const [signal, end] of this.#signals) signal.removeEventListener('abort', end);
    this.#signals.clear();
  }
}

function endedError(): Error {
  return new Error('the transaction is over');
}
