/** Knows the requests that are being answered, and how far the service has stopped. */
import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { retryLater } from '../../shared/errors.js';
import { MetricSources } from '../../shared/metric-sources.js';

/**
 * `stopping`: requests are answered as always, but `/health/ready` fails. `last`: each answer ends its connection.
 * `refusing`: new requests are refused with 503, too.
 */
type ServingState = 'serving' | 'stopping' | 'last' | 'refusing';

@Injectable()
export class OpenRequests {
  readonly #open = new Set<ServerResponse>();
  #state: ServingState = 'serving';
  #whenEmpty: () => void = () => undefined;

  constructor(metricSources: MetricSources) {
    metricSources.addGauge(
      'kind_http_requests_in_progress',
      'Requests that are being answered.',
      () => this.#open.size,
    );
  }

  /** The request of this answer is being answered until the returned function is called. */
  open(response: ServerResponse): () => void {
    this.#open.add(response);
    if (this.#endsConnections) endConnection(response);
    return () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#whenEmpty();
    };
  }

  enter(state: ServingState): void {
    this.#state = state;
    if (this.#endsConnections) for (const response of this.#open) endConnection(response);
  }

  get #endsConnections(): boolean {
    return this.#state === 'last' || this.#state === 'refusing';
  }

  /** Resolves when all requests are answered. */
  whenAllAnswered(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => (this.#whenEmpty = resolve));
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

/** With this answer, unless its head is on its way. */
function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function stopping() {
  return retryLater('server.stopping', 'The service is shutting down');
}
