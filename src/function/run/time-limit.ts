/** What all user code in one transaction shares: its time limit, and its end. */
import { contentionRefusal } from '../../database/transaction/conflict-retries.js';
import { refusal, type KindError } from '../../shared/errors.js';
import type { AnyUnit } from '../../kit/kinds.js';
import type { Transaction } from '../../database/database.js';

/** The time limit of a call. The abort controller is created only if `signal` is read. */
export class TimeLimit {
  #abort: AbortController | undefined;
  #over: KindError | undefined;
  readonly #waiting = new Set<(reason: KindError) => void>();
  #timer: NodeJS.Timeout | undefined;
  #name = '';
  #begun = 0;
  #left: number;

  /**
   * @param milliseconds for all periods between `start` and `stop` together
   * @param contended whether there were conflicts so far; the error is then 503, because a retry may be faster
   */
  constructor(
    private readonly milliseconds: number,
    private readonly contended: () => boolean = () => false,
  ) {
    this.#left = milliseconds;
  }

  /** @param name what runs from now on, for the text of the error */
  start(name: string): void {
    this.stop();
    this.#name = name;
    this.#begun = performance.now();
    this.#timer = setTimeout(() => this.#end(), this.#left);
  }

  /** Ends it before its time. */
  end(reason: KindError): void {
    this.stop();
    this.#over ??= reason;
    this.#abort?.abort(this.#over);
    for (const reject of this.#waiting) reject(this.#over);
  }

  stop(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#begun));
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#over) this.#abort.abort(this.#over);
    return this.#abort.signal;
  }

  /** Reads the clock, because a busy event loop delays the timer. @throws KindError 504 or 503 if the time is over */
  check(): void {
    if (!this.#over && this.#timer && performance.now() - this.#begun >= this.#left) this.#end();
    if (this.#over) throw this.#over;
  }

  /** Settles with the work, or rejects when the time is over. @throws KindError 504, or 503 after conflicts */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#over);
      this.#waiting.add(reject);
      // Not `finally`, which makes three more promises; each costs much while user code is tracked.
      work.then(
        (result) => {
          this.#waiting.delete(reject);
          resolve(result);
        },
        (error: Error) => {
          this.#waiting.delete(reject);
          reject(error);
        },
      );
    });
  }

  #end(): void {
    this.end(this.contended() ? contentionRefusal() : timedOut(this.#name, this.milliseconds));
  }
}

function timedOut(name: string, milliseconds: number): KindError {
  return refusal('function.timeout', `'${name}' took longer than its limit of ${milliseconds} milliseconds`);
}

/** Shared by all user code in one transaction. */
export interface CallScope {
  readonly limit: TimeLimit;
  readonly tx: Transaction;
  /** Makes the transaction fail with this error, even if user code catches it. */
  failWith(error: unknown): void;
  /** The unit of the member, once it is read. */
  memberUnit?: Promise<AnyUnit> | undefined;
}
