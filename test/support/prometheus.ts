/** A Prometheus that reads a service every second: the program in PROMETHEUS, or that of the system. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { vi } from 'vitest';
import { freePort } from '../../packages/embedded-postgres/settings.js';
import { atEnd } from './at-end.js';

const PROGRAM = process.env['PROMETHEUS'] ?? '/usr/bin/prometheus';

export interface Prometheus {
  /** The contents of an answer of its API. @throws Error with what it says is wrong */
  ask(path: string): Promise<unknown>;
}

/** @param target the address of metrics @param rules a file of alert rules */
export async function startPrometheus(target: URL, rules: string): Promise<Prometheus> {
  if (!existsSync(PROGRAM)) throw new Error('no Prometheus: `apt-get install prometheus`, or name one in PROMETHEUS');
  const folder = await mkdtemp(join(tmpdir(), 'kind-prometheus-'));
  const settings = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'kind', metrics_path: target.pathname, static_configs: [{ targets: [target.host] }] }],
  };
  // JSON is YAML too.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(settings));
  const address = `127.0.0.1:${await freePort()}`;
  const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  const child = spawn(PROGRAM, [...flags, `--web.listen-address=${address}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => (log = `${log}${chunk}`.slice(-4000)));
  const exited = once(child, 'exit');
  atEnd(async () => {
    child.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`Prometheus has ended:\n${log}`);
    return fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await vi.waitUntil(isReady, { timeout: 30_000, interval: 100 });
  return {
    async ask(path) {
      const response = await fetch(`http://${address}/api/v1/${path}`);
      const { data, error } = (await response.json()) as { data?: unknown; error?: string };
      if (!response.ok) throw new Error(`${path}: ${error}`);
      return data;
    },
  };
}
