/**
 * The metrics of a host whose processes share a port. The primary asks each worker for its values and combines those
 * of the workers that answer in time, so that one that hangs does not hide the others.
 */
import { AggregatorRegistry, Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { registerSampled, type SampledMetric } from './sampled-metric.js';

/** The metrics of one process. */
export type ProcessMetrics = Omit<MetricObjectWithValues<MetricValue<string>>, 'collect'>[];

interface WorkersMetricsOptions<Worker> {
  /** How many workers there should be. */
  readonly workers: number;
  /** Asks a worker for its values. */
  readonly ask: (worker: Worker) => void;
  /** A worker that has answered before did not answer in time. */
  readonly onUnanswered: (worker: Worker) => void;
}

/** Milliseconds in which a worker answers. */
const ANSWER_TIME = 2000;

export class WorkersMetrics<Worker> {
  /** Workers that are ready, and what they answered last. */
  readonly #last = new Map<Worker, ProcessMetrics>();
  /** What workers had counted that have ended. Without it, a sum would shrink, which Prometheus takes for a restart. */
  readonly #ended: ProcessMetrics[] = [];
  readonly #silent = new Set<Worker>();
  #missing = new Set<Worker>();
  #complete: () => void = () => undefined;
  #running: Promise<string> | undefined;

  constructor(private readonly options: WorkersMetricsOptions<Worker>) {}

  /** The worker is ready and can be asked from now on. */
  add(worker: Worker): void {
    this.#last.set(worker, []);
  }

  /** The worker has ended. What it had counted when it was asked last remains. */
  remove(worker: Worker): void {
    const counted = countedOf(this.#last.get(worker) ?? []);
    if (counted.length > 0) this.#ended.push(counted);
    this.#last.delete(worker);
    this.#silent.delete(worker);
    this.#arrived(worker);
  }

  /** The values that a worker was asked for. */
  answered(worker: Worker, values: ProcessMetrics): void {
    if (!this.#last.has(worker)) return;
    this.#last.set(worker, values);
    this.#silent.delete(worker);
    this.#arrived(worker);
  }

  /** In the text format of Prometheus. Requests at the same time get the same text, so that workers are asked once. */
  text(): Promise<string> {
    return (this.#running ??= this.#collect().finally(() => (this.#running = undefined)));
  }

  async #collect(): Promise<string> {
    this.#missing = new Set(this.#last.keys());
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ANSWER_TIME);
      this.#complete = () => {
        clearTimeout(timer);
        resolve();
      };
      for (const worker of this.#last.keys()) this.options.ask(worker);
      if (this.#missing.size === 0) this.#complete();
    });
    for (const worker of this.#missing) this.#unanswered(worker);
    return this.#combined(this.#missing);
  }

  #arrived(worker: Worker): void {
    if (this.#missing.delete(worker) && this.#missing.size === 0) this.#complete();
  }

  #unanswered(worker: Worker): void {
    if (this.#silent.has(worker)) return;
    this.#silent.add(worker);
    this.options.onUnanswered(worker);
  }

  /** Of those that are missing only what they had counted, as of those that have ended. */
  async #combined(missing: ReadonlySet<Worker>): Promise<string> {
    this.#ended.push(await sumOf(this.#ended.splice(0)));
    const ofWorkers = [...this.#last].map(([worker, values]) => (missing.has(worker) ? countedOf(values) : values));
    const own = new Registry();
    const answered = [...this.#last.keys()].filter((worker) => !missing.has(worker)).length;
    registerSampled(own, unansweredWorkers(Math.max(0, this.options.workers - answered)));
    return AggregatorRegistry.aggregate([...ofWorkers, ...this.#ended, await own.getMetricsAsJSON()]).metrics();
  }
}

/** Only the primary knows of any; a process alone has it for the rules of alarms. */
export function unansweredWorkers(count: number): SampledMetric {
  return {
    name: 'kind_workers_unanswered',
    help: 'Workers whose values are missing, because they hang or are not ready.',
    type: 'gauge',
    samples: () => [{ labels: {}, value: count }],
  };
}

function countedOf(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

/** Of several processes, as if it were one: what is kept does not grow with the number of workers that have ended. */
function sumOf(processes: readonly ProcessMetrics[]): Promise<ProcessMetrics> {
  return AggregatorRegistry.aggregate([...processes]).getMetricsAsJSON();
}
