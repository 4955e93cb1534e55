/** The time of one statement, where it has less than the connection allows. */
export class Deadline {
  /** Set when it is over. */
  passed = false;
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number, onPassed: () => void) {
    this.#timer = setTimeout(() => {
      this.passed = true;
      onPassed();
    }, milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
