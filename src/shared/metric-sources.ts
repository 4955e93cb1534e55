/**
 * Numbers that parts of the service offer to its metrics, such as the length of a queue. They are read when somebody
 * asks for them, so that they cost nothing otherwise.
 */
import type { FairQueue } from './fair-queue.js';

export interface MetricSource {
  /** The name of the metric, as Prometheus wants it; several metricSources may share it. */
  readonly name: string;
  readonly help: string;
  /** `counter`: it only grows. */
  readonly type: 'gauge' | 'counter';
  /** What tells it from others of the same name. No value comes from a tenant. */
  readonly labels: Readonly<Record<string, string>>;
  readonly read: () => number;
  /** What several processes have together; their sum by default. */
  readonly ofAll?: OfAllProcesses | undefined;
}

export type OfAllProcesses = 'sum' | 'max';

export class MetricSources {
  readonly #all: MetricSource[] = [];

  get all(): readonly MetricSource[] {
    return this.#all;
  }

  addGauge(
    name: string,
    help: string,
    read: () => number,
    labels: Readonly<Record<string, string>> = {},
    ofAll?: OfAllProcesses,
  ): void {
    this.#all.push({ name, help, type: 'gauge', labels, read, ofAll });
  }

  addCounter(name: string, help: string, read: () => number, labels: Readonly<Record<string, string>> = {}): void {
    this.#all.push({ name, help, type: 'counter', labels, read });
  }

  /** What runs in a queue, what waits in it, and what it has refused. */
  addQueue(queue: string, work: FairQueue): void {
    const labels = { queue };
    this.addGauge('kind_queue_running', 'Work of a queue that runs now.', () => work.counts.running, labels);
    this.addGauge('kind_queue_waiting', 'Work of a queue that waits now.', () => work.counts.waiting, labels);
    const refused = 'Work that a queue refused, because it was full or the wait took too long.';
    this.addCounter('kind_queue_refused_total', refused, () => work.counts.refused, labels);
  }

  addCache(cache: string, entries: { readonly size: number }): void {
    this.addGauge('kind_cache_entries', 'Entries of a cache.', () => entries.size, { cache });
  }
}
