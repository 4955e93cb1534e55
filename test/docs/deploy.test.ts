/** The files of `deploy/`: the metrics that they query exist in a service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { alertNames, alertQueries, dashboardQueries } from '../support/deploy-files.js';
import { startTestService } from '../support/service.js';
import { send } from '../support/wire.js';

const operations = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const questions = [...alertQueries, ...dashboardQueries];

const { service } = await startTestService({ metrics: { host: '127.0.0.1', port: 0 } });
await send(service, { path: '/health/live' });
const text = await (await fetch(service.metricsUrl ?? '')).text();

/** Names of metrics, with the labels of their values. */
const metrics = new Map<string, Set<string>>([['up', new Set()]]);
for (const [, name = ''] of text.matchAll(/^# TYPE (\S+) /gm)) metrics.set(name, new Set());
for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
  const known = metrics.get(name) ?? new Set();
  for (const [, label = ''] of labels.matchAll(/(\w+)=/g)) known.add(label);
  metrics.set(name, known);
}
/** Labels that Prometheus adds, and one whose values come a minute later. */
const ADDED = ['instance', 'job', 'project'];

it('were read', () => {
  expect(alertNames).toHaveLength(12);
  expect(alertQueries.map(([name]) => name)).toEqual(alertNames);
  expect(dashboardQueries.length).toBeGreaterThan(20);
});

/** The first column of the table of metrics. */
const documented = [...operations.matchAll(/^\| (`kind_\w+`(?:, `kind_\w+`)*) \| .* \| (.*)\|$/gm)].flatMap(
  ([, names = '', labels = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, labels] as const),
);

it('each metric is in the table of the docs, with its labels, and each of the table exists', () => {
  const own = [...text.matchAll(/^# TYPE (kind_\w+) /gm)].map(([, name = '']) => name);
  const needReplica = ['kind_replica_lag_seconds', 'kind_replica_reads_total'];
  expect(documented.map(([name]) => name).sort()).toEqual([...own, ...needReplica].sort());
  for (const [name, labels] of documented) {
    for (const label of metrics.get(name) ?? []) expect(labels, name).toContain(`\`${label}\``);
  }
  const queues = [...text.matchAll(/^kind_queue_waiting\{queue="([^"]+)"\}/gm)].map(([, queue = '']) => `\`${queue}\``);
  expect(queues.length).toBeGreaterThan(5);
  for (const queue of queues) expect(operations).toContain(queue);
});

it.each(questions)('%s: metrics and labels exist', (_, expr) => {
  const names = [...expr.matchAll(/\b(?:kind|nodejs|process)_\w+|\bup\b/g)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect([...metrics.keys()], name).toContain(name);
  const matched = [...expr.matchAll(/[{,](\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label);
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
  const known = new Set([...ADDED, ...names.flatMap((name) => [...(metrics.get(name) ?? [])])]);
  for (const label of [...matched, ...grouped]) expect([...known], label).toContain(label);
  // A value that is looked for, such as the name of a queue, is there too.
  for (const [, name = '', selector = ''] of expr.matchAll(/\b(kind_\w+)\{([^}]*)\}/g)) {
    for (const [equation] of selector.matchAll(/\w+="[^"]*"/g)) {
      expect(text).toMatch(new RegExp(`^${name}\\{(?:.*,)?${equation}[,}]`, 'm'));
    }
  }
});

it.each(alertNames)('%s is explained', (name) => {
  expect(operations).toContain(`| \`${name}\` |`);
});
