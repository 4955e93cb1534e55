/** The alert rules and the dashboard of `deploy/`, and what they ask Prometheus. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export const ALERTS_FILE = join(ROOT, 'deploy/prometheus/alerts.yml');
const text = readFileSync(ALERTS_FILE, 'utf8');
const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/kind.json'), 'utf8')) as {
  readonly panels: { readonly title: string; readonly targets: { readonly expr: string }[] }[];
};

/** Its name, and an expression of PromQL. */
type Query = [name: string, expr: string];

export const alertNames = [...text.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
export const alertQueries = [...text.matchAll(/- alert: (\w+)\n +expr: (.+)\n/g)].map(
  ([, name = '', expr = '']): Query => [name, expr],
);
/** With variables of Grafana, such as `$instance`. */
export const dashboardQueries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }): Query => [title, expr]),
);
