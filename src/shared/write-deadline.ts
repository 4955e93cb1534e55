/** The time limit of a write of several statements. */
import { refusal } from './errors.js';

export class WriteDeadline {
  readonly #until: number;

  /**
   * @param what begins the message, such as `The deletion`
   * @param advice what would take less time
   * @param now the time in milliseconds, of a clock that never jumps
   */
  constructor(
    private readonly seconds: number,
    private readonly what: string,
    private readonly advice: string,
    private readonly now = (): number => performance.now(),
  ) {
    this.#until = now() + seconds * 1000;
  }

  /** @throws KindError 503 after the time has passed */
  check(): void {
    if (this.now() <= this.#until) return;
    throw refusal('query.timeout', `${this.what} took longer than ${this.seconds} seconds${this.advice}`);
  }
}
