/** How many requests were answered, and how long they took, by route and status. */
import { type Route, routePath } from '../http/route/route-path.js';
import { getOrInsert } from '../shared/maps.js';
import type { Sample, SampledMetric } from './sampled-metric.js';

/** The upper bounds of the buckets of the histogram in seconds; requests above all of them are in one more. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
export const BUCKETS = BOUNDS.length + 1;

/** The labels of the buckets of the histogram. */
const LABELS = [...BOUNDS.map(String), '+Inf'];
const DURATION = 'kind_http_request_duration_seconds';
/** The label of requests that have no route, or are refused before it is known. */
const NO_ROUTE = 'none';

interface Labels extends Record<string, string> {
  readonly route: string;
  readonly method: string;
  readonly status: string;
}

interface Durations {
  readonly labels: Labels;
  /** Requests by their bucket; those above all bounds are in the last one. */
  readonly buckets: number[];
  seconds: number;
  count: number;
}

export class RequestCounts {
  /** By route, method and status. A route for GET answers HEAD too. */
  readonly #found = new Map<Route | undefined, Map<string, Map<number, Durations>>>();

  readonly answered: SampledMetric = {
    name: 'kind_http_requests_total',
    help: 'Requests answered.',
    type: 'counter',
    samples: () => this.#answered(),
  };

  readonly durations: SampledMetric = {
    name: DURATION,
    help: 'From the head of a request to the end of its answer.',
    type: 'histogram',
    samples: () => this.#all().flatMap(histogramOf),
  };

  /** @param route undefined if there is none */
  observe(route: Route | undefined, method: string, status: number, milliseconds: number): void {
    const ofRoute = getOrInsert(this.#found, route, () => new Map<string, Map<number, Durations>>());
    const ofMethod = getOrInsert(ofRoute, method, () => new Map<number, Durations>());
    const durations = getOrInsert(ofMethod, status, () => {
      const labels = { route: routePath(route) ?? NO_ROUTE, method, status: String(status) };
      return { labels, buckets: LABELS.map(() => 0), seconds: 0, count: 0 };
    });
    const seconds = milliseconds / 1000;
    const bucket = bucketOf(seconds);
    durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1;
    durations.seconds += seconds;
    durations.count += 1;
  }

  #all(): Durations[] {
    return [...this.#found.values()].flatMap((byMethod) => {
      return [...byMethod.values()].flatMap((byStatus) => [...byStatus.values()]);
    });
  }

  /** The requests of all routes together. */
  #answered(): Sample[] {
    const counts = new Map<string, { labels: Omit<Labels, 'route'>; value: number }>();
    for (const { labels, count } of this.#all()) {
      const { method, status } = labels;
      const sample = getOrInsert(counts, `${method} ${status}`, () => ({ labels: { method, status }, value: 0 }));
      sample.value += count;
    }
    return [...counts.values()];
  }
}

function histogramOf({ labels, buckets, seconds, count }: Durations): Sample[] {
  let below = 0;
  const cumulative = LABELS.map((le, at) => {
    below += buckets[at] ?? 0;
    return { metricName: `${DURATION}_bucket`, labels: { ...labels, le }, value: below };
  });
  return [
    ...cumulative,
    { metricName: `${DURATION}_sum`, labels, value: seconds },
    { metricName: `${DURATION}_count`, labels, value: count },
  ];
}

/** The place of the bucket for a time. */
export function bucketOf(seconds: number): number {
  const found = BOUNDS.findIndex((bound) => seconds <= bound);
  return found < 0 ? BOUNDS.length : found;
}

/**
 * The time in seconds below which this part of the requests stayed, estimated within its bucket as `histogram_quantile`
 * of Prometheus does: at most the largest bound. Null without requests.
 */
export function quantileOf(buckets: readonly number[], part: number): number | null {
  const wanted = buckets.reduce((all, each) => all + each, 0) * part;
  if (wanted === 0) return null;
  let below = 0;
  for (const [at, count] of buckets.entries()) {
    const [lower, upper] = [BOUNDS[at - 1] ?? 0, BOUNDS[at]];
    if (upper === undefined) return lower;
    if (below + count >= wanted) return rounded(lower + (upper - lower) * ((wanted - below) / count));
    below += count;
  }
  return null;
}

/** Digits beyond the tenth of a millisecond would be made up. */
function rounded(seconds: number): number {
  return Math.round(seconds * 10_000) / 10_000;
}
