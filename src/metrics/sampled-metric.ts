/**
 * A metric whose values are made when they are read. The classes of `prom-client` store a value for each set of labels,
 * which they find by a text made of them; that takes longer than to count.
 */
import type { Metric, MetricObjectWithValues, MetricType, MetricValueWithName, Registry } from 'prom-client';
import type { OfAllProcesses } from '../shared/metric-sources.js';

/** A value with its labels. `metricName` where it is not that of the metric, as of the buckets of a histogram. */
export type Sample = MetricValueWithName<string>;

export interface SampledMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly samples: () => Iterable<Sample>;
  /** What several processes have together; their sum by default. */
  readonly ofAll?: OfAllProcesses | undefined;
}

export function registerSampled(registry: Registry, { name, help, type, samples, ofAll }: SampledMetric): void {
  const described = { name, help, type: type as unknown as MetricType, aggregator: ofAll ?? 'sum' };
  // Without a function, because workers send it to the primary.
  const get = (): Promise<Omit<MetricObjectWithValues<Sample>, 'collect'>> =>
    Promise.resolve({ ...described, values: [...samples()] });
  // A registry uses nothing else of a metric.
  registry.registerMetric({ ...described, get } as unknown as Metric);
}
