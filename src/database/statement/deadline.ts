/** Milliseconds between two cancel requests. */
const REPEAT_INTERVAL = 1000;

/**
 * The timeout of one statement that is shorter than that of the connection. After it, `end` is called every second
 * until `stop`: PostgreSQL ignores a cancel request that arrives before the statement is completely read.
 */
export class Deadline {
  /** Whether the timeout has passed. */
  passed = false;
  #timer: NodeJS.Timeout;

  constructor(milliseconds: number, end: () => void) {
    const pass = (): void => {
      this.passed = true;
      this.#timer = setTimeout(pass, REPEAT_INTERVAL);
      end();
    };
    this.#timer = setTimeout(pass, milliseconds);
  }

  /** Call it when the statement has settled. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
