/**
 * Metrics for Prometheus: process, requests and pending work; over all processes if several share a port. No label
 * contains a tenant.
 */
import { Injectable } from '@nestjs/common';
import type { RequestObserver } from '../http/server/request-lifecycle.js';
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type PrometheusContentType,
} from 'prom-client';
import { getOrInsert } from '../shared/get-or-insert.js';
import { IndexBuilder } from '../catalog/index/index-builder.js';

/** The text format of Prometheus. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

@Injectable()
export class Metrics {
  // One of this class answers the primary, if several processes share a port.
  readonly #registry = new AggregatorRegistry<PrometheusContentType>();
  readonly #registries = [metricsOfProcess(), this.#registry];
  /** Requests since the metrics were last read, by method and status. To find a counter by its labels takes longer. */
  readonly #answered = new Map<string, Map<number, number>>();
  readonly #requests: Counter = new Counter({
    name: 'kind_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'status'],
    registers: [this.#registry],
    collect: () => this.#countAnswered(),
  });
  readonly #durations = new Histogram({
    name: 'kind_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    buckets: SECONDS,
    registers: [this.#registry],
  });
  #ofAll = (): Promise<string> => Registry.merge(this.#registries).metrics();

  constructor(builds: IndexBuilder) {
    const pending: Gauge = new Gauge({
      name: 'kind_indexes_pending',
      help: 'Indexes of large kinds that this process has still to build.',
      registers: [this.#registry],
      collect: () => pending.set(builds.pending),
    });
  }

  /** Counts and times every request. */
  readonly observe: RequestObserver = (request, status, milliseconds) => {
    const ofMethod = getOrInsert(this.#answered, request.method, () => new Map<number, number>());
    ofMethod.set(status, (ofMethod.get(status) ?? 0) + 1);
    this.#durations.observe(milliseconds / 1000);
  };

  #countAnswered(): void {
    for (const [method, counts] of this.#answered) {
      for (const [status, count] of counts) this.#requests.inc({ method, status }, count);
    }
    this.#answered.clear();
  }

  /** The metrics of this process, or of all processes that share the port. */
  text(): Promise<string> {
    return this.#ofAll();
  }

  /** Makes this process one of several: its metrics are collected by the primary, and `ofAll` returns the sums. */
  join(ofAll: () => Promise<string>): void {
    AggregatorRegistry.setRegistries(this.#registries);
    this.#ofAll = ofAll;
  }
}

let ofProcess: Registry | undefined;

/** Memory, event loop, and others of Node. They are measured once per process, because the measuring can't be stopped. */
function metricsOfProcess(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  return ofProcess;
}
