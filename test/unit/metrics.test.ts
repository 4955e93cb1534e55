/** Metrics of services that run in one process, as those of tests do. */
import performance from 'node:perf_hooks';
import { expect, it, vi } from 'vitest';
import type { IndexBuilder } from '../../src/catalog/index/index-builder.js';
import { Metrics } from '../../src/health/metrics.js';

it('the event loop is measured once, and requests per service', async () => {
  const monitor = vi.spyOn(performance, 'monitorEventLoopDelay');
  const [one, other] = [1, 2].map((pending) => new Metrics({ pending } as IndexBuilder)) as [Metrics, Metrics];
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
