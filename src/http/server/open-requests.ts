/**
 * Counts the requests that are being answered. During shutdown the process still listens until they are answered, and
 * refuses new ones with 503.
 */
import { Injectable } from '@nestjs/common';
import { retryLater } from '../../shared/errors.js';
import { Measurements } from '../../shared/measurements.js';

@Injectable()
export class OpenRequests {
  #inFlight = 0;
  #stopping = false;
  #whenEmpty: () => void = () => undefined;

  constructor(measurements: Measurements) {
    measurements.addGauge('kind_http_requests_in_progress', 'Requests that are being answered.', () => this.#inFlight);
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** Counts a request until the returned function is called. */
  open(): () => void {
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#whenEmpty();
    };
  }

  /** Refuses new requests from now on. */
  stop(): void {
    this.#stopping = true;
  }

  /** Resolves when all requests are answered. */
  whenAllAnswered(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => (this.#whenEmpty = resolve));
  }

  /** @throws KindError 503 during shutdown */
  refuseIfStopping(): void {
    if (this.#stopping) throw retryLater('server.stopping', 'The service is shutting down');
  }
}
