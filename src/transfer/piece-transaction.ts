/**
 * A part of a transaction that can be undone by itself. Its first statement waits for the part before it, so that values
 * can be validated while PostgreSQL still works on that one. Hooks have a time limit of their own in it: they share one
 * in each `runs`.
 */
import type { ConnectionShare, TextSink, Transaction } from '../database/database.js';
import { inOneMessage, type Statement } from '../sql/fragment.js';
import {
  releaseSavepointStatement,
  rollbackToSavepointStatement,
  savepointStatement,
} from '../sql/server/transaction.sql.js';

/** Hooks use greater depths. */
const DEPTH = 0;
const UNDO = inOneMessage([rollbackToSavepointStatement(DEPTH), releaseSavepointStatement(DEPTH)]);

export class PieceTransaction implements Transaction {
  #begun: Promise<unknown> | undefined;
  #open = false;

  /** @param before settles when the part before it has ended */
  constructor(
    private readonly whole: Transaction,
    readonly runs: Transaction['runs'],
    private readonly before: Promise<unknown>,
  ) {}

  /** Keeps what the part did. */
  async keep(): Promise<void> {
    await (this.#begun ?? this.before);
    if (this.#open) await this.whole.run(releaseSavepointStatement(DEPTH));
    this.#open = false;
  }

  /** Undoes what the part did. Statements after it are not undone. */
  async undo(): Promise<void> {
    await (this.#begun ?? this.before);
    if (this.#open) await this.whole.run(UNDO);
    this.#open = false;
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
    return this.whole.run<Row>(statement);
  }

  async stream(statement: Statement, sink: TextSink): Promise<number> {
    await this.#begin();
    return this.whole.stream(statement, sink);
  }

  beforeCommit(statement: Statement): void {
    this.whole.beforeCommit(statement);
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.whole.afterCommit(work);
  }

  abortOn(signal: AbortSignal): void {
    this.whole.abortOn(signal);
  }

  onEnd(work: () => void): void {
    this.whole.onEnd(work);
  }

  joinShare(share: ConnectionShare): void {
    this.whole.joinShare(share);
  }
}
