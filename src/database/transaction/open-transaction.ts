/** A transaction that has a connection, from BEGIN to its end. */
import type { Statement } from '../../sql/fragment.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import type { Isolation } from '../../sql/server/transaction.sql.js';
import { NoLongPlaceError, type CommitWitness, type TextSink, type Transaction } from './executor.js';
import type { TransactionRuns } from './conflict-retries.js';

/** State of one run of a transaction, which is used until its connection is released. */
export interface TransactionState {
  readonly isolation: Isolation;
  readonly runs: TransactionRuns;
  /** Texts of statements to send with COMMIT. */
  readonly beforeCommit: Set<string>;
  /** What witnesses are told at COMMIT. */
  readonly witnesses: Map<CommitWitness<unknown>, unknown[]>;
  /** Work to run after COMMIT. */
  readonly afterCommit: (() => void | Promise<void>)[];
  /** Work to run when the connection is released. */
  readonly onEnd: (() => void)[];
  /** Whether it has a place among those that may hold their connection long, or needs none. */
  readonly isLong: boolean;
  /** Takes such a place; undefined if none is free. */
  readonly takeLongPlace: () => (() => void) | undefined;
}

/** Sends statements on the connection of a transaction. */
export interface TransactionConnection {
  readonly query: <Row>(statement: Statement) => Promise<Row[]>;
  readonly stream: (statement: Statement, sink: TextSink) => Promise<number>;
}

export class OpenTransaction implements Transaction {
  readonly hasBegun = true;
  readonly #signals = new Map<AbortSignal, () => void>();
  #isLong: boolean;
  #ended = false;

  constructor(
    private readonly connection: TransactionConnection,
    private readonly state: TransactionState,
    /** Called when a signal aborts it. */
    private readonly interrupt: (reason: unknown) => void,
  ) {
    this.#isLong = state.isLong;
  }

  get tx(): this {
    return this;
  }

  get isolation(): Isolation {
    return this.state.isolation;
  }

  get runs(): TransactionRuns {
    return this.state.runs;
  }

  run<Row>(statement: Statement): Promise<Row[]> {
    if (this.#ended) return Promise.reject(endedError());
    return this.connection.query(statement);
  }

  stream(statement: Statement, sink: TextSink): Promise<number> {
    if (this.#ended) return Promise.reject(endedError());
    return this.connection.stream(statement, sink);
  }

  beforeCommit({ text, values }: Statement): void {
    if (values.length > 0) throw new Error('a statement that is sent with COMMIT has no parameters');
    if (this.isolation === 'repeatable read') this.state.beforeCommit.add(text);
  }

  tellAtCommit<T>(witness: CommitWitness<T>, written: T): void {
    getOrInsert(this.state.witnesses, witness, () => []).push(written);
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.state.afterCommit.push(work);
  }

  onEnd(work: () => void): void {
    this.state.onEnd.push(work);
  }

  becomeLong(): void {
    if (this.#isLong) return;
    const release = this.state.takeLongPlace();
    if (!release) throw new NoLongPlaceError();
    this.#isLong = true;
    this.state.onEnd.push(release);
  }

  abortOn(signal: AbortSignal): void {
    const end = (): void => {
      if (this.#ended) return;
      this.close();
      this.interrupt(signal.reason);
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', end);
    this.#signals.set(signal, end);
  }

  /** Call it before COMMIT. @throws Error if a signal has aborted it */
  finish(): void {
    if (this.#ended) throw endedError();
    this.close();
  }

  /** Refuses further statements and stops listening to signals. */
  close(): void {
    this.#ended = true;
    for (const [signal, end] of this.#signals) signal.removeEventListener('abort', end);
    this.#signals.clear();
  }
}

function endedError(): Error {
  return new Error('the transaction is over');
}
