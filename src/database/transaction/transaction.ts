/** What runs statements: the pool, or a transaction, which has not begun, has begun, or has ended. */
import { getOrInsert } from '../../shared/maps.js';
import type { Statement } from '../../sql/fragment.js';
import {
  releaseSavepointStatement,
  savepointStatement,
  undoSavepointStatement,
  type Isolation,
} from '../../sql/server/transaction.sql.js';
import type { TextSink } from '../statement/prepared-query.js';
import type { TransactionRuns } from './conflict-retries.js';
import { RestartError } from './contention.js';

export interface Executor {
  run<Row>(statement: Statement): Promise<Row[]>;
  /** The transaction of its statements; undefined if each runs alone. */
  readonly tx?: Transaction;
}

/** Is told of COMMIT what was written, all at once, and nothing of a rollback. */
export interface CommitWitness<T> {
  /** Right before it is sent: every other statement has succeeded. */
  before(written: readonly T[]): void;
  /** It was refused, or its answer lost. */
  failed(written: readonly T[], error: unknown): void;
}

/** A transaction needs a place among the long ones, and must not wait for it while it holds a connection. */
export class NoLongPlaceError extends RestartError {
  override readonly name = 'NoLongPlaceError';

  constructor() {
    super('the transaction begins again when there is a place for it');
  }
}

/** Where a transaction that has begun sends its statements. */
export interface TransactionConnection {
  readonly query: <Row>(statement: Statement) => Promise<Row[]>;
  readonly stream: (statement: Statement, sink: TextSink) => Promise<number>;
}

/** How a transaction begins, and who is told of it. */
interface TransactionOrigin {
  readonly isolation: Isolation;
  /** All runs of this transaction. */
  readonly runs: TransactionRuns;
  /** Whether it has a place among those that may hold their connection long, or takes one when it begins. */
  readonly isLong: boolean;
  readonly begin: () => Promise<TransactionConnection>;
  /** Called when a signal aborts it. */
  readonly interrupt: (reason: unknown) => void;
  /** Takes a place among the long ones; undefined if none is free. */
  readonly takeLongPlace: () => (() => void) | undefined;
}

/** After its end it refuses statements. */
export class Transaction implements Executor {
  /** Texts of statements to send with COMMIT. */
  readonly sentAtCommit = new Set<string>();
  /** What witnesses are told at COMMIT. */
  readonly witnesses = new Map<CommitWitness<unknown>, unknown[]>();
  /** Work to run after COMMIT. */
  readonly jobs: (() => void | Promise<void>)[] = [];
  /** The schemas of the projects of which it records changes. */
  readonly recorded = new Set<string>();
  readonly #onEnd: (() => void)[] = [];
  readonly #signals = new Map<AbortSignal, () => void>();
  #beginning: Promise<TransactionConnection> | undefined;
  #connection: TransactionConnection | undefined;
  #onBegin: (() => Promise<void>) | undefined;
  #isLong: boolean;
  #ended = false;
  /** The depth of a savepoint whose work is done. */
  #done: number | undefined;
  /** How many jobs there were at a savepoint, by its depth: what was to follow the work that is undone does not. */
  readonly #jobsAt = new Map<number, number>();

  constructor(protected readonly origin: TransactionOrigin) {
    this.#isLong = origin.isLong;
  }

  get tx(): this {
    return this;
  }

  get isolation(): Isolation {
    return this.origin.isolation;
  }

  get runs(): TransactionRuns {
    return this.origin.runs;
  }

  /** Whether it has a connection, or is getting one. */
  get hasBegun(): boolean {
    return this.#beginning !== undefined;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** One that has not begun begins with its first statement. */
  begin(): Promise<TransactionConnection> {
    if (this.#ended) return Promise.reject(endedError());
    return (this.#beginning ??= this.#begin());
  }

  async #begin(): Promise<TransactionConnection> {
    const connection = await this.origin.begin();
    this.#connection = connection;
    await this.#onBegin?.();
    return connection;
  }

  /** Runs before the statement that it begins with, which is not sent if that fails. Call it at most once. */
  onBegin(work: () => Promise<void>): void {
    this.#onBegin = work;
  }

  run<Row>(statement: Statement): Promise<Row[]> {
    if (statement.records !== undefined) this.recorded.add(statement.records);
    if (this.#connection && !this.#ended) return this.#connection.query(statement);
    return this.begin().then((connection) => connection.query(statement));
  }

  /**
   * Runs a query of one text column that is never null, and passes each text on as it arrives. Returns the number of
   * rows.
   */
  async stream(statement: Statement, sink: TextSink): Promise<number> {
    return (await this.begin()).stream(statement, sink);
  }

  /**
   * Sends a statement together with COMMIT, equal ones once; if it fails, so does the transaction. Not sent at READ
   * COMMITTED, where every statement sees current data.
   */
  beforeCommit({ text, values }: Statement): void {
    if (values.length > 0) throw new Error('a statement that is sent with COMMIT has no parameters');
    if (this.isolation === 'repeatable read') this.sentAtCommit.add(text);
  }

  /**
   * Begins work that can be undone alone. What begins inside it has a greater depth. Once it is done, its savepoint stays
   * until the next one begins, which takes one message less.
   */
  async setSavepoint(depth: number): Promise<void> {
    const done = this.#done;
    this.#done = undefined;
    this.#jobsAt.set(depth, this.jobs.length);
    await this.run(savepointStatement(depth, done));
  }

  leaveSavepoint(depth: number): void {
    this.#done = depth;
  }

  async backToSavepoint(depth: number): Promise<void> {
    this.#done = undefined;
    this.jobs.length = this.#jobsAt.get(depth) ?? this.jobs.length;
    await this.run(undoSavepointStatement(depth));
  }

  /** The witness will be told of it, unless it is undone. */
  tellAtCommit<T>(witness: CommitWitness<T>, written: T): void {
    getOrInsert(this.witnesses, witness, () => []).push(written);
  }

  /** Runs after COMMIT; errors are only logged. Not run after a rollback. */
  afterCommit(work: () => void | Promise<void>): void {
    this.jobs.push(work);
  }

  /** Runs when its connection is released, after COMMIT and ROLLBACK alike. */
  onEnd(work: () => void): void {
    this.#onEnd.push(work);
  }

  /**
   * Counts from now on among the transactions that may hold their connection long. @throws NoLongPlaceError if no place
   * is free there; the transaction is then rolled back, and begins again when there is one
   */
  becomeLong(): void {
    if (this.#isLong) return;
    const release = this.origin.takeLongPlace();
    if (!release) throw new NoLongPlaceError();
    this.#isLong = true;
    this.onEnd(release);
  }

  /**
   * When the signal aborts, the transaction is rolled back: its promise rejects with the reason immediately, the
   * running statement is cancelled, and the connection is closed.
   */
  abortOn(signal: AbortSignal): void {
    const end = (): void => {
      if (this.#ended) return;
      this.close();
      this.origin.interrupt(signal.reason);
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', end);
    this.#signals.set(signal, end);
  }

  /** A part of it, which can be undone by itself. */
  part(options: PartOptions): TransactionPart {
    return new TransactionPart(this, options);
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

  /** Call it when its connection is released. */
  released(): void {
    for (const work of this.#onEnd.splice(0)) work();
  }
}

interface PartOptions {
  readonly runs: TransactionRuns;
  /**
   * Settles when the part before it has ended, for which the first statement waits: values can be validated while
   * PostgreSQL still works on that one.
   */
  readonly before: Promise<unknown>;
  /** Called when a statement is sent. */
  readonly onSent: () => void;
}

/** Of parts, and of what is read ahead. Hooks use greater depths, and where there are some nothing is read ahead. */
const [DEPTH, AHEAD] = [0, 1];
const UNDO = undoSavepointStatement(DEPTH);

/**
 * From a savepoint on. What is to happen at COMMIT, and after it, is passed to the whole when the part is kept. Hooks have
 * a time limit of their own in it: they share one in each `runs`.
 */
class TransactionPart extends Transaction {
  #savepoint = false;

  constructor(
    private readonly whole: Transaction,
    private readonly options: PartOptions,
  ) {
    super({
      isolation: whole.isolation,
      runs: options.runs,
      isLong: true,
      begin: async () => {
        await options.before;
        await whole.run(savepointStatement(DEPTH));
        this.#savepoint = true;
        return { query: (statement) => this.#send(statement), stream: (...args) => whole.stream(...args) };
      },
      interrupt: () => undefined,
      takeLongPlace: () => undefined,
    });
  }

  override get hasBegun(): boolean {
    return this.whole.hasBegun;
  }

  #send<Row>(statement: Statement): Promise<Row[]> {
    const running = this.whole.run<Row>(statement);
    this.options.onSent();
    return running;
  }

  override onEnd(work: () => void): void {
    this.whole.onEnd(work);
  }

  override becomeLong(): void {
    this.whole.becomeLong();
  }

  override abortOn(signal: AbortSignal): void {
    this.whole.abortOn(signal);
  }

  /** Keeps what the part did. */
  async keep(): Promise<void> {
    await this.#ready();
    if (this.#savepoint) await this.whole.run(releaseSavepointStatement(DEPTH));
    this.#savepoint = false;
    for (const text of this.sentAtCommit) this.whole.sentAtCommit.add(text);
    for (const [witness, written] of this.witnesses) for (const each of written) this.whole.tellAtCommit(witness, each);
    this.whole.jobs.push(...this.jobs);
    this.#forget();
  }

  /** Undoes what the part did. Statements after it are not undone. */
  async undo(): Promise<void> {
    await this.#ready();
    if (this.#savepoint) await this.whole.run(UNDO);
    this.#savepoint = false;
    this.#forget();
  }

  #ready(): Promise<unknown> {
    return super.hasBegun ? this.begin() : this.options.before;
  }

  #forget(): void {
    this.sentAtCommit.clear();
    this.witnesses.clear();
    this.jobs.length = 0;
  }
}

/** Reads in a transaction whose other statements need not wait for it: if it fails, they go on. */
export function readingAhead(tx: Transaction): Executor {
  return {
    run<Row>(statement: Statement): Promise<Row[]> {
      // All three are sent one after the other, whatever becomes of the first.
      const running = [
        tx.run(savepointStatement(AHEAD)),
        tx.run<Row>(statement),
        tx.run(undoSavepointStatement(AHEAD)),
      ] as const;
      for (const each of running) each.catch(() => undefined);
      return running[1];
    },
  };
}

function endedError(): Error {
  return new Error('the transaction is over');
}
