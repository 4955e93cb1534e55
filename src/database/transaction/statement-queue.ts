/** Sends the statements of a transaction one after the other: a connection takes the next one when it has answered. */
export class StatementQueue {
  #last: Promise<unknown> | undefined;

  /** Calls `send` at once if no statement runs, or else when those before it have ended, however they ended. */
  send<T>(send: () => Promise<T>): Promise<T> {
    const sent = this.#last ? this.#last.then(send, send) : send();
    this.#last = sent;
    const end = (): void => {
      if (this.#last === sent) this.#last = undefined;
    };
    sent.then(end, end);
    return sent;
  }
}
