/** Counts the requests that are being answered, and knows how far the service has stopped. */
import { Injectable } from '@nestjs/common';
import { retryLater } from '../../shared/errors.js';
import { Measurements } from '../../shared/measurements.js';

/**
 * `stopping`: requests are answered as always, but `/health/ready` fails. `last`: each answer ends its connection.
 * `refusing`: new requests are refused with 503, too.
 */
export type ServingState = 'serving' | 'stopping' | 'last' | 'refusing';

@Injectable()
export class OpenRequests {
  #inFlight = 0;
  #state: ServingState = 'serving';
  #whenEmpty: () => void = () => undefined;

  constructor(measurements: Measurements) {
    measurements.addGauge('kind_http_requests_in_progress', 'Requests that are being answered.', () => this.#inFlight);
  }

  /** Whether each answer is the last of its connection. */
  get endsConnections(): boolean {
    return this.#state === 'last' || this.#state === 'refusing';
  }

  /** Counts a request until the returned function is called. */
  open(): () => void {
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#whenEmpty();
    };
  }

  enter(state: ServingState): void {
    this.#state = state;
  }

  /** Resolves when all requests are answered. */
  whenAllAnswered(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => (this.#whenEmpty = resolve));
  }

  /** For the check of readiness. @throws KindError 503 from the begin of a shutdown */
  refuseIfStopping(): void {
    if (this.#state !== 'serving') throw stopping();
  }

  /** For requests. @throws KindError 503 at the end of a shutdown */
  refuseIfStopped(): void {
    if (this.#state === 'refusing') throw stopping();
  }
}

function stopping() {
  return retryLater('server.stopping', 'The service is shutting down');
}
