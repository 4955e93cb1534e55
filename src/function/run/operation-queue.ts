/**
 * What a handler reaches the data by. Operations run one after the other, however many the author starts at once; one
 * that writes can fail without spoiling the transaction. When the handler has come to its end the door is shut: what it
 * asked for is done, and whatever comes later spoils the transaction, which would have a part of the work otherwise.
 */
import type { Executor } from '../../database/database.js';
import { KindError } from '../../shared/errors.js';
import {
  releaseSavepointStatement,
  savepointStatement,
  rollbackToSavepointStatement,
} from '../../sql/transaction.sql.js';
import type { CallScope } from './call-scope.js';

/** Statuses of refusals after which a transaction can go on, once the operation is undone. */
const RECOVERABLE = new Set([400, 401, 403, 404, 409, 412]);

export class OperationQueue {
  #last: Promise<unknown> = Promise.resolve();
  #open = true;
  #abandoned = false;

  constructor(
    private readonly executor: Executor,
    private readonly call: CallScope,
    /** Calls inside calls are one deeper each. */
    readonly depth: number,
  ) {}

  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#guarded(work));
  }

  write<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#guarded(() => this.#undoable(work)));
  }

  /** Comes back when nothing of it is under way any more. */
  async close(): Promise<void> {
    this.#open = false;
    await this.#last;
  }

  /** The same, for a handler that failed: what has not begun yet does not. */
  abandon(): Promise<void> {
    this.#abandoned = true;
    return this.close();
  }

  /** @throws Error where the handler has come to its end */
  check(): void {
    if (!this.#open) {
      const late = new Error('This call is over: what it was given can not be used any more. Is an await missing?');
      this.call.failWith(late);
      throw late;
    }
    this.call.limit.check();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.check();
    const run = this.#last.then(() => {
      if (this.#abandoned) throw new Error('This call has failed');
      this.call.limit.check();
      return work();
    });
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** Whatever is not a refusal spoils the transaction. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isFailure(error)) this.call.failWith(error);
      throw error;
    }
  }

  async #undoable<T>(work: () => Promise<T>): Promise<T> {
    await this.executor.run(savepointStatement(this.depth));
    try {
      const result = await work();
      await this.executor.run(releaseSavepointStatement(this.depth));
      return result;
    } catch (error) {
      if (!isFailure(error)) await this.executor.run(rollbackToSavepointStatement(this.depth));
      throw error;
    }
  }
}

/** Not a refusal, neither of the service nor of a hook. */
function isFailure(error: unknown): boolean {
  if (error instanceof KindError) return !RECOVERABLE.has(error.status) && error.code !== 'kind.remote_unavailable';
  return !(error instanceof Error && error.name === 'FunctionError');
}
