import { contentionRefusal } from '../../database/transaction/conflict-retries.js';
import { refusal, type KindError } from '../../shared/errors.js';

/** The time that a call may take, in all. What costs something is made for those alone who ask for it. */
export class TimeLimit {
  #abort: AbortController | undefined;
  #over: KindError | undefined;
  readonly #waiting = new Set<(reason: KindError) => void>();
  #timer: NodeJS.Timeout | undefined;
  #name = '';
  #begun = 0;
  #left: number;

  /**
   * @param milliseconds of all stretches together
   * @param contended whether others stood in the way so far, so that what took too long may be quick the next time
   */
  constructor(
    private readonly milliseconds: number,
    private readonly contended: () => boolean = () => false,
  ) {
    this.#left = milliseconds;
  }

  /** @param name of what takes the time from now on */
  start(name: string): void {
    this.stop();
    this.#name = name;
    this.#begun = performance.now();
    this.#timer = setTimeout(() => this.#end(), this.#left);
  }

  stop(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (performance.now() - this.#begun));
  }

  /** Aborts at the end. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#over) this.#abort.abort(this.#over);
    return this.#abort.signal;
  }

  /** What kept the process busy kept it from being told too. @throws KindError 504 when it is over */
  check(): void {
    if (!this.#over && this.#timer && performance.now() - this.#begun >= this.#left) this.#end();
    if (this.#over) throw this.#over;
  }

  /** Comes back with the work, or at the end. @throws KindError 504, or 503 where others stood in the way */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#over);
      const done = () => this.#waiting.delete(reject);
      this.#waiting.add(reject);
      work.then(resolve, reject).finally(done);
    });
  }

  #end(): void {
    clearTimeout(this.#timer);
    const over = this.contended() ? contentionRefusal() : timedOut(this.#name, this.milliseconds);
    this.#over = over;
    this.#abort?.abort(over);
    for (const reject of this.#waiting) reject(over);
  }
}

function timedOut(name: string, milliseconds: number): KindError {
  return refusal('function.timeout', `'${name}' took longer than its limit of ${milliseconds} milliseconds`);
}
