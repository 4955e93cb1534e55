/**
 * Runs the data operations of a handler one after the other. A refused write is rolled back to a savepoint, so that the
 * transaction can go on. The queue is closed when the handler returns: operations that were started are finished, and
 * later ones fail the transaction, because it would contain only a part of them.
 */
import { setImmediate } from 'node:timers/promises';
import { KindError } from '../../shared/errors.js';
import type { UndividedWork } from '../../shared/event-loop-yield.js';
import type { CallScope } from './time-limit.js';

/** Statuses of refusals after which the transaction can go on. */
const RECOVERABLE = new Set([400, 401, 403, 404, 409, 412]);

export class OperationQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** Operations that have not ended. */
  #running = 0;
  #open = true;
  #abandoned = false;
  #lastBeside: Promise<unknown> = Promise.resolve();
  /** Work beside the operations that has not ended. */
  #besides = 0;
  readonly #ends: (() => void)[] = [];

  constructor(
    private readonly call: CallScope,
    /** The nesting depth of the call. */
    readonly depth: number,
    /** What the handler computes between its operations. */
    readonly computing: UndividedWork,
  ) {}

  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#guarded(work));
  }

  write<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#guarded(() => this.#undoable(work)));
  }

  /** Work that waits for code of the author, which may start operations meanwhile. One after the other too. */
  async beside<T>(work: () => Promise<T>): Promise<T> {
    this.check();
    const run = this.#lastBeside.then(() => {
      this.#checkRunning();
      return work();
    });
    this.#besides += 1;
    this.#lastBeside = run.then(
      () => (this.#besides -= 1),
      () => (this.#besides -= 1),
    );
    return run;
  }

  /** Calls `end` when the queue is closed and its operations have ended. */
  onClose(end: () => void): void {
    this.#ends.push(end);
  }

  /** Resolves when all started operations have ended. */
  async close(): Promise<void> {
    while (this.#besides > 0) await this.#lastBeside;
    this.#open = false;
    if (this.#running > 0) {
      await this.#last;
      // Code that was not awaited goes on with its next operation now, which this call must not miss.
      await setImmediate();
    }
    for (const end of this.#ends.splice(0)) end();
  }

  /** The same for a failed handler: waiting operations don't run. */
  abandon(): Promise<void> {
    this.#abandoned = true;
    return this.close();
  }

  /** @throws Error if the queue is closed, KindError 504 or 503 if the time is over */
  check(): void {
    if (!this.#open) {
      const late = new Error('This call is over: what it was given cannot be used any more. Is an await missing?');
      this.call.failWith(late);
      throw late;
    }
    this.call.limit.check();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.check();
    const run = this.#last.then(() => {
      this.#checkRunning();
      return this.#untilTurn(work);
    });
    this.#running += 1;
    this.#last = run.then(
      () => (this.#running -= 1),
      () => (this.#running -= 1),
    );
    return run;
  }

  #checkRunning(): void {
    if (this.#abandoned) throw new Error('This call has failed');
    this.call.limit.check();
  }

  /** The handler goes on when it is its turn. */
  async #untilTurn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      const turn = this.computing.turn();
      if (turn) await turn;
    }
  }

  /** Errors other than refusals fail the transaction. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isFailure(error)) this.call.failWith(error);
      throw error;
    }
  }

  async #undoable<T>(work: () => Promise<T>): Promise<T> {
    const { tx } = this.call;
    await tx.setSavepoint(this.depth);
    try {
      const result = await work();
      tx.leaveSavepoint(this.depth);
      return result;
    } catch (error) {
      if (!isFailure(error)) await tx.backToSavepoint(this.depth);
      throw error;
    }
  }
}

/** Whether an error is not a refusal of the service or of a hook. */
function isFailure(error: unknown): boolean {
  if (error instanceof KindError) return !RECOVERABLE.has(error.status) && error.code !== 'kind.remote_unavailable';
  return !(error instanceof Error && error.name === 'FunctionError');
}
