/** A transaction on its connection, from BEGIN to its end. */
import type { Statement } from '../../sql/fragment.js';
import type { Isolation } from '../../sql/transaction.sql.js';
import { ShareFullError, type ConnectionShare, type Transaction } from './executor.js';
import type { TransactionRuns } from './runs.js';

/** What comes of a transaction beside its result. */
export interface TransactionOutcome {
  readonly isolation: Isolation;
  readonly runs: TransactionRuns;
  /** What is sent before COMMIT, by its text. */
  readonly last: Set<string>;
  /** What is to be done after its commit. */
  readonly after: (() => void | Promise<void>)[];
  /** What is to be done at its end. */
  readonly ends: (() => void)[];
  /** That it is part of. */
  readonly share: ConnectionShare | undefined;
}

export class OpenTransaction implements Transaction {
  readonly hasBegun = true;
  readonly #signals = new Map<AbortSignal, () => void>();
  #share: ConnectionShare | undefined;
  #over = false;

  constructor(
    private readonly query: <Row>(statement: Statement) => Promise<Row[]>,
    private readonly outcome: TransactionOutcome,
    /** Called where a signal ends it. */
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
    if (this.#over) return Promise.reject(over());
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
    const leave = share.tryAcquire();
    if (!leave) throw new ShareFullError(share);
    this.#share = share;
    this.outcome.ends.push(leave);
  }

  abortOn(signal: AbortSignal): void {
    const end = (): void => {
      if (this.#over) return;
      this.close();
      this.interrupt(signal.reason);
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', end);
    this.#signals.set(signal, end);
  }

  /** Now comes COMMIT. @throws Error where a signal has ended it: whoever went on all the same has done nothing */
  finish(): void {
    if (this.#over) throw over();
    this.close();
  }

  /** What comes now is the last that its connection does for it. */
  close(): void {
    this.#over = true;
    for (const [signal, end] of this.#signals) signal.removeEventListener('abort', end);
    this.#signals.clear();
  }
}

function over(): Error {
  return new Error('the transaction is over');
}
