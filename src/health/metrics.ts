/** What a Prometheus server scrapes: the process, and the requests by method and status. No label names a tenant. */
import { Injectable } from '@nestjs/common';
import type { Observer } from '../http/entrance.js';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

@Injectable()
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'kind_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'status'],
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: 'kind_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    buckets: SECONDS,
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Counts and times every request. */
  readonly observe: Observer = (request, response, milliseconds) => {
    this.#requests.inc({ method: request.method, status: response.statusCode });
    this.#durations.observe(milliseconds / 1000);
  };

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
