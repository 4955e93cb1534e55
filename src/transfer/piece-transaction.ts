/**
 * A part of a transaction that can be undone by itself. Its first statement waits for the part before it, so that values
 * can be validated while PostgreSQL still works on that one. Hooks have a time limit of their own in it: they share one
 * in each `runs`.
 */
import type { CommitWitness, Executor, TextSink, Transaction } from '../database/database.js';
import { inOneMessage, type Statement } from '../sql/fragment.js';
import {
  releaseSavepointStatement,
  rollbackToSavepointStatement,
  savepointStatement,
} from '../sql/server/transaction.sql.js';

/** Of parts, and of what is read ahead. Hooks use greater depths, and where there are some nothing is read ahead. */
const [DEPTH, AHEAD] = [0, 1];
const undoStatement = (depth: number) =>
  inOneMessage([rollbackToSavepointStatement(depth), releaseSavepointStatement(depth)]);
const UNDO = undoStatement(DEPTH);

/** Reads in a transaction whose other statements need not wait for it: if it fails, they go on. */
export function readingAhead(tx: Transaction): Executor {
  return {
    run<Row>(statement: Statement): Promise<Row[]> {
      // All three are sent one after the other, whatever becomes of the first.
      const running = [
        tx.run(savepointStatement(AHEAD)),
        tx.run<Row>(statement),
        tx.run(undoStatement(AHEAD)),
      ] as const;
      for (const each of running) each.catch(() => undefined);
      return running[1];
    },
  };
}

export class PieceTransaction implements Transaction {
  #begun: Promise<unknown> | undefined;
  #open = false;
  /** What the part wants to happen with COMMIT, and after it. */
  #atCommit: (() => void)[] = [];

  /**
   * @param before settles when the part before it has ended
   * @param onSent called when a statement is sent
   */
  constructor(
    private readonly whole: Transaction,
    readonly runs: Transaction['runs'],
    private readonly before: Promise<unknown>,
    private readonly onSent: () => void,
  ) {}

  /** Keeps what the part did. */
  async keep(): Promise<void> {
    await (this.#begun ?? this.before);
    if (this.#open) await this.whole.run(releaseSavepointStatement(DEPTH));
    this.#open = false;
    for (const pass of this.#atCommit.splice(0)) pass();
  }

  /** Undoes what the part did. Statements after it are not undone. */
  async undo(): Promise<void> {
    await (this.#begun ?? this.before);
    if (this.#open) await this.whole.run(UNDO);
    this.#open = false;
    this.#atCommit = [];
  }

  #begin(): Promise<unknown> {
    return (this.#begun ??= this.before.then(async () => {
      await this.whole.run(savepointStatement(DEPTH));
      this.#open = true;
    }));
  }

  get tx(): this {
    return this;
  }

  get isolation(): Transaction['isolation'] {
    return this.whole.isolation;
  }

  get hasBegun(): boolean {
    return this.whole.hasBegun;
  }

  async run<Row>(statement: Statement): Promise<Row[]> {
    await this.#begin();
    const running = this.whole.run<Row>(statement);
    this.onSent();
    return running;
  }

  async stream(statement: Statement, sink: TextSink): Promise<number> {
    await this.#begin();
    return this.whole.stream(statement, sink);
  }

  beforeCommit(statement: Statement): void {
    this.whole.beforeCommit(statement);
  }

  tellAtCommit<T>(witness: CommitWitness<T>, written: T): void {
    this.#atCommit.push(() => this.whole.tellAtCommit(witness, written));
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.#atCommit.push(() => this.whole.afterCommit(work));
  }

  abortOn(signal: AbortSignal): void {
    this.whole.abortOn(signal);
  }

  onEnd(work: () => void): void {
    this.whole.onEnd(work);
  }

  becomeLong(): void {
    this.whole.becomeLong();
  }
}
