/** A real Prometheus understands and answers what the alert rules and the dashboard ask. */
import { expect, it, vi } from 'vitest';
import { ALERTS_FILE, alertNames, dashboardQueries } from '../support/deploy-files.js';
import { startPrometheus } from '../support/prometheus.js';
import { startTestService } from '../support/service.js';
import { send } from '../support/wire.js';

interface Rule {
  readonly name: string;
  readonly state: string;
  readonly health: string;
  readonly lastError?: string;
}

interface QueryResult {
  readonly resultType: string;
  readonly result: { readonly value: [time: number, value: string] }[];
}

const testService = await startTestService({ metrics: { host: '127.0.0.1', port: 0 } });
const { service } = testService;
const project = await testService.project();
const prometheus = await startPrometheus(new URL(service.metricsUrl ?? ''), ALERTS_FILE);

/** The rules after they were evaluated. */
async function rules(): Promise<readonly Rule[]> {
  const { groups } = (await prometheus.ask('rules')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

async function valuesOf(expr: string): Promise<readonly number[]> {
  const query = expr.replaceAll('$__rate_interval', '10s').replaceAll('$instance', '.*');
  const { resultType, result } = (await prometheus.ask(`query?query=${encodeURIComponent(query)}`)) as QueryResult;
  expect(resultType).toBe('vector');
  return result.map(({ value: [, value] }) => Number(value));
}

it('understands all rules, and none fires for a service that works', async () => {
  await vi.waitUntil(async () => (await rules()).every(({ health }) => health !== 'unknown'), {
    timeout: 30_000,
    interval: 500,
  });
  expect((await rules()).map(({ name }) => name)).toEqual(alertNames);
  for (const rule of await rules()) expect(rule, rule.lastError).toMatchObject({ health: 'ok', state: 'inactive' });
});

it.each(dashboardQueries)('has values for the panel %s: %s', { timeout: 120_000 }, async (_, expr) => {
  // Rates need two readings of what was counted; the busiest projects are those of the last whole minute.
  const read = async (): Promise<boolean> => {
    await project.get('/kind/unit');
    await project.post('/kind/unit', { id: 1 });
    await send(service, { path: '/nowhere' });
    return (await valuesOf(expr)).some((value) => Number.isFinite(value));
  };
  await vi.waitUntil(read, { timeout: 110_000, interval: 500 });
});

it('an alarm begins when the service is gone', async () => {
  await service.stop();
  const down = async (): Promise<string | undefined> => (await rules()).find(({ name }) => name === 'KindDown')?.state;
  await vi.waitUntil(async () => (await down()) === 'pending', { timeout: 30_000, interval: 500 });
});
