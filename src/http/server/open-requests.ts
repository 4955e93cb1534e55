/**
 * The requests that a process answers at the moment. From the moment a shutdown begins nobody's new ones are taken on, but
 * the process still listens until those in flight are answered: who asks hears that it is going, instead of nothing.
 */
import { Injectable } from '@nestjs/common';
import { retryLater } from '../../shared/errors.js';

@Injectable()
export class OpenRequests {
  #inFlight = 0;
  #stopping = false;
  #whenEmpty: () => void = () => undefined;

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** Counts a request until the answered function is called. */
  open(): () => void {
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#whenEmpty();
    };
  }

  /** From now on new requests are sent elsewhere. */
  stop(): void {
    this.#stopping = true;
  }

  /** Waits until every request is answered. */
  whenAllAnswered(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => (this.#whenEmpty = resolve));
  }

  /** @throws KindError 503 */
  refuseIfStopping(): void {
    if (this.#stopping) throw retryLater('server.stopping', 'The service is shutting down');
  }
}
