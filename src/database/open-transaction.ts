/** A transaction on its connection, from BEGIN to its end. */
import type { Statement } from '../sql/fragment.js';
import type { Transaction } from './executor.js';

export class OpenTransaction implements Transaction {
  readonly begun = true;
  /** What is to be done after its commit. */
  readonly after: (() => void | Promise<void>)[] = [];
  readonly #signals = new Map<AbortSignal, () => void>();
  #over = false;

  constructor(
    private readonly query: <Row>(statement: Statement) => Promise<Row[]>,
    /** Called where a signal ends it. */
    private readonly interrupt: (reason: unknown) => void,
  ) {}

  get tx(): this {
    return this;
  }

  run<Row>(statement: Statement): Promise<Row[]> {
    if (this.#over) return Promise.reject(new Error('the transaction is over'));
    return this.query(statement);
  }

  afterCommit(work: () => void | Promise<void>): void {
    this.after.push(work);
  }

  until(signal: AbortSignal): void {
    const end = (): void => {
      if (this.#over) return;
      this.close();
      this.interrupt(signal.reason);
    };
    if (signal.aborted) return end();
    signal.addEventListener('abort', end);
    this.#signals.set(signal, end);
  }

  /** What comes now, COMMIT or ROLLBACK, is the last that its connection does for it. */
  close(): void {
    this.#over = true;
    for (const [signal, end] of this.#signals) signal.removeEventListener('abort', end);
    this.#signals.clear();
  }
}
