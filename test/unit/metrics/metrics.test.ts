/** Metrics of services that run in one process, as those of tests do. */
import performance from 'node:perf_hooks';
import { expect, it, vi } from 'vitest';
import type { Config } from '../../../src/config/config.js';
import { Metrics } from '../../../src/metrics/metrics.js';
import { ProjectLoads } from '../../../src/metrics/project-loads.js';
import { FairQueue } from '../../../src/shared/fair-queue.js';
import { MetricSources } from '../../../src/shared/metric-sources.js';
import { refusal } from '../../../src/shared/errors.js';

function metricsOf(metricSources: MetricSources): Metrics {
  const metrics = new Metrics(metricSources, new ProjectLoads(), {} as Config);
  metrics.onApplicationBootstrap();
  return metrics;
}

it('the event loop is measured once, and requests per service', async () => {
  const monitor = vi.spyOn(performance, 'monitorEventLoopDelay');
  const [one, other] = [1, 2].map((pending) => {
    const metricSources = new MetricSources();
    metricSources.addGauge('kind_indexes_pending', 'Indexes.', () => pending);
    return metricsOf(metricSources);
  }) as [Metrics, Metrics];
  // None, if a service of another test file has run in this process.
  expect(monitor.mock.calls.length).toBeLessThanOrEqual(1);
  monitor.mockRestore();
  const texts = [await one.text(), await other.text()];
  for (const text of texts) expect(text.match(/^nodejs_eventloop_lag_seconds /gm)).toHaveLength(1);
  expect(texts.map((text) => /^kind_indexes_pending .*$/m.exec(text)?.[0])).toEqual([
    'kind_indexes_pending 1',
    'kind_indexes_pending 2',
  ]);
});

it('queues tell what runs, waits and was refused, each under its name', async () => {
  const metricSources = new MetricSources();
  const options = { perKey: 1, maxWaitingPerKey: 1, refusal: () => refusal('server.busy', 'full') };
  const [busy, quiet] = [new FairQueue(options), new FairQueue(options)];
  metricSources.addQueue('busy', busy);
  metricSources.addQueue('quiet', quiet);
  const metrics = metricsOf(metricSources);
  const release = await busy.acquire('a');
  const waiting = busy.acquire('a');
  await expect(busy.acquire('a')).rejects.toMatchObject({ code: 'server.busy' });
  const numbers = async () => (await metrics.text()).match(/^kind_queue_.*$/gm);
  expect(await numbers()).toEqual([
    'kind_queue_running{queue="busy"} 1',
    'kind_queue_running{queue="quiet"} 0',
    'kind_queue_waiting{queue="busy"} 1',
    'kind_queue_waiting{queue="quiet"} 0',
    'kind_queue_refused_total{queue="busy"} 1',
    'kind_queue_refused_total{queue="quiet"} 0',
  ]);
  release();
  (await waiting)();
  expect((await numbers())?.slice(0, 3)).toEqual([
    'kind_queue_running{queue="busy"} 0',
    'kind_queue_running{queue="quiet"} 0',
    'kind_queue_waiting{queue="busy"} 0',
  ]);
});

it('of several processes, the longest delay of the event loop counts', async () => {
  const values = await metricsOf(new MetricSources()).values();
  const delays = values.filter(({ name }) => /^nodejs_eventloop_lag_(?:p\d+_)?seconds$/.test(name));
  expect(delays.map(({ aggregator }) => aggregator)).toEqual(['max', 'max', 'max', 'max']);
});
