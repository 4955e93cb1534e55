/** Milliseconds. */
const AGAIN = 1000;

/**
 * The time of one statement, where it has less than the connection allows. Once it is over the statement is to be ended, and
 * again every second until it is: PostgreSQL pays no heed to a request to end a statement of which it has not read all yet.
 */
export class Deadline {
  /** Set when it is over. */
  passed = false;
  #timer: NodeJS.Timeout;

  constructor(milliseconds: number, end: () => void) {
    const pass = (): void => {
      this.passed = true;
      this.#timer = setTimeout(pass, AGAIN);
      end();
    };
    this.#timer = setTimeout(pass, milliseconds);
  }

  /** The statement has settled. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
