/** Metrics of several processes: how values are combined, and what is answered without a process that hangs. */
import { Registry } from 'prom-client';
import { afterEach, expect, it, vi } from 'vitest';
import { registerSampled, type SampledMetric } from '../../../src/metrics/sampled-metric.js';
import { WorkersMetrics, type ProcessMetrics } from '../../../src/metrics/workers-metrics.js';

afterEach(() => void vi.useRealTimers());

const metric = (name: string, value: number, options: Partial<SampledMetric> = {}): SampledMetric => {
  return { name, help: 'Help.', type: 'gauge', samples: () => [{ labels: {}, value }], ...options };
};

function valuesOf(...metrics: SampledMetric[]): Promise<ProcessMetrics> {
  const registry = new Registry();
  for (const each of metrics) registerSampled(registry, each);
  return registry.getMetricsAsJSON();
}

/** Two workers, of which only those answer that have values. */
function twoWorkers() {
  const values = new Map<string, ProcessMetrics>();
  const asked: string[] = [];
  const unanswered: string[] = [];
  const ask = (worker: string): void => {
    asked.push(worker);
    const answer = values.get(worker);
    if (answer) queueMicrotask(() => metrics.answered(worker, answer));
  };
  const metrics = new WorkersMetrics<string>({ workers: 2, ask, onUnanswered: (worker) => unanswered.push(worker) });
  for (const worker of ['a', 'b']) metrics.add(worker);
  const lines = async () => (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { metrics, values, asked, unanswered, lines };
}

it('values are added up, or the highest is taken', async () => {
  const { values, lines } = twoWorkers();
  const ofEach = (lag: number) => valuesOf(metric('lag', lag, { ofAll: 'max' }), metric('work', 1));
  values.set('a', await ofEach(Infinity)).set('b', await ofEach(2));
  expect(await lines()).toEqual(['lag +Inf', 'work 2', 'kind_workers_unanswered 0']);
});

it('a worker that hangs keeps what it had counted, and no other value', async () => {
  vi.useFakeTimers();
  const { metrics, values, unanswered, lines } = twoWorkers();
  const ofEach = (count: number) => valuesOf(metric('work', 1), metric('done_total', count, { type: 'counter' }));
  values.set('a', await ofEach(10)).set('b', await ofEach(5));
  expect(await lines()).toEqual(['work 2', 'done_total 15', 'kind_workers_unanswered 0']);

  values.delete('b');
  values.set('a', await ofEach(11));
  for (let times = 0; times < 2; times++) {
    const text = lines();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await text).toEqual(['work 1', 'done_total 16', 'kind_workers_unanswered 1']);
  }
  expect(unanswered).toEqual(['b']);

  // It answers late, and again.
  metrics.answered('b', await ofEach(6));
  values.set('b', await ofEach(7));
  expect(await lines()).toEqual(['work 2', 'done_total 18', 'kind_workers_unanswered 0']);
});

it('one that ends is not waited for, and one that is not ready is not asked', async () => {
  const { metrics, values, asked, lines } = twoWorkers();
  values.set('a', await valuesOf(metric('work', 1)));
  const text = lines();
  metrics.remove('b');
  expect(await text).toEqual(['work 1', 'kind_workers_unanswered 1']);
  expect(asked).toEqual(['a', 'b']);
  metrics.remove('a');
  expect(await lines()).toEqual(['kind_workers_unanswered 2']);
  expect(asked).toHaveLength(2);
});

it('what one had counted that has ended stays in the sum, however many have ended', async () => {
  const { metrics, values, lines } = twoWorkers();
  const counted = (count: number) => valuesOf(metric('work', 1), metric('done_total', count, { type: 'counter' }));
  values.set('a', await counted(10)).set('b', await counted(5));
  expect(await lines()).toEqual(['work 2', 'done_total 15', 'kind_workers_unanswered 0']);

  let sum = 15;
  let last = 'b';
  for (const next of ['c', 'd', 'e']) {
    metrics.remove(last);
    expect(await lines()).toEqual(['work 1', `done_total ${sum}`, 'kind_workers_unanswered 1']);
    // It ends before it is asked, and another one replaces it.
    metrics.add('crashes');
    metrics.remove('crashes');
    metrics.add(next);
    values.set(next, await counted(3));
    sum += 3;
    expect(await lines()).toEqual(['work 2', `done_total ${sum}`, 'kind_workers_unanswered 0']);
    last = next;
  }
});

it('one that ends while the others are waited for is counted once', async () => {
  const { metrics, values, lines } = twoWorkers();
  const buckets = (count: number) => {
    const samples = () => [{ metricName: 'time_count', labels: { route: '/' }, value: count }];
    return valuesOf(metric('time', 0, { type: 'histogram', samples }));
  };
  values.set('a', await buckets(4)).set('b', await buckets(2));
  const expected = ['time_count{route="/"} 6', 'kind_workers_unanswered 0'];
  expect(await lines()).toEqual(expected);
  values.delete('b');
  const text = lines();
  await Promise.resolve();
  metrics.remove('b');
  expect(await text).toEqual(['time_count{route="/"} 6', 'kind_workers_unanswered 1']);
});

it('requests at the same time ask once', async () => {
  const { metrics, values, asked } = twoWorkers();
  values.set('a', await valuesOf(metric('work', 1))).set('b', await valuesOf(metric('work', 1)));
  const [one, other] = await Promise.all([metrics.text(), metrics.text()]);
  expect(one).toBe(other);
  expect(asked).toEqual(['a', 'b']);
  expect(await metrics.text()).toBe(one);
  expect(asked).toHaveLength(4);
});
