/**
 * Measures a service with many projects: `node bench/tenants.mjs --projects 1000`, after `npm run build`. Figures of such
 * runs are in TENANTS.md.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { Postgres } from './postgres.mjs';
import { residentMegabytes } from './process-stats.mjs';
import { environment, Service } from './service.mjs';
import { measureWay, WAYS } from './tenants/connections.mjs';
import { defineKinds, KINDS, signIn, withProvisioning } from './tenants/projects.mjs';
import { provision } from './tenants/provision.mjs';
import { putTenantLoad } from './tenants/wrk.mjs';

const { values: options } = parseArgs({
  options: {
    projects: { type: 'string', default: '1000' },
    /** No project is begun after so many minutes. */
    minutes: { type: 'string', default: '600' },
    /** No project is begun while this file exists, so that others can measure on the same machine. */
    pause: { type: 'string' },
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '16' },
    tables: { type: 'string', default: '2000' },
    dist: { type: 'string', default: 'dist' },
    /** A folder that keeps the projects. The next run makes those that are missing. */
    data: { type: 'string' },
    /** What is measured, besides making the projects. */
    measure: { type: 'string', default: 'start,commands,load,ways,upgrade,deletion' },
  },
});
const seconds = Number(options.seconds);
const connections = Number(options.connections);
const dist = resolve(import.meta.dirname, '..', options.dist);

const folder = options.data === undefined ? await mkdtemp(join(tmpdir(), 'kind-tenants-')) : resolve(options.data);
await mkdir(folder, { recursive: true });
const postgres = await Postgres.start(dist, folder);
/** @type {Service | undefined} */
let service;
try {
  print(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, PostgreSQL ${postgres.version}`);
  service = await startService();
  const ids = await provision({
    ...{ url: service.url, dist, folder, postgres, print, memoryText },
    projects: Number(options.projects),
    until: performance.now() + Number(options.minutes) * 60_000,
    pause: options.pause,
  });
  print(`${ids.length} projects, load ${loadavg()[0]?.toFixed(1)}`);
  const measurements = {
    start: measureStart,
    commands: measureCommands,
    load: () => measureLoads(ids),
    ways: () => measureWays(ids),
    upgrade: measureUpgrade,
    deletion: () => measureDeletion(ids[0]),
  };
  const wanted = options.measure.split(',');
  for (const [name, measure] of Object.entries(measurements)) if (wanted.includes(name)) await measure();
} finally {
  await service?.stop();
  await postgres.stop();
  if (options.data === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

async function startService() {
  return Service.start({ name: 'kind', dist, databaseUrl: postgres.url, dataDir: folder });
}

async function measureStart() {
  await service?.stop();
  const times = [];
  for (let round = 0; round < 3; round += 1) {
    const started = performance.now();
    service = await startService();
    times.push(performance.now() - started);
    if (round < 2) await service.stop();
  }
  print(
    `start: ${times.map((time) => time.toFixed(0)).join(', ')} ms; Node has ${await residentOf(required(service))} MB`,
  );
}

/** Commands as processes, as an operator runs them. */
async function measureCommands() {
  const program = join(dist, 'cli/main.js');
  const env = { ...environment(folder, 0), DATABASE_URL: postgres.url };
  const run = (/** @type {string[]} */ ...args) =>
    promisify(execFile)(process.execPath, [program, 'project', ...args], { env, maxBuffer: 64 * 1024 * 1024 });
  for (const args of [
    ['create', 'by-command'],
    ['show', 'by-command'],
    ['list'],
    ['list', '--long'],
    ['migrate'],
    ['delete', 'by-command', '--yes'],
  ]) {
    print(`project ${args.join(' ')}: ${(await timeOf(() => run(...args))).toFixed(0)} ms`);
  }
}

/** @param {readonly string[]} tenants */
async function measureLoads(tenants) {
  const running = required(service);
  const requestsOf = (/** @type {typeof tenants} */ chosen) =>
    chosen.flatMap((id) =>
      Array.from({ length: KINDS }, (_, kind) => ({ project: id, path: `/api/lib/thing${kind}/unit?limit=10` })),
    );
  const base = { url: running.url, seconds, connections, folder };
  for (const [name, chosen] of /** @type {const} */ ([
    ['one project', tenants.slice(0, 1)],
    ['all projects, first time', tenants],
    ['all projects', tenants],
    ['all projects', tenants],
    ['one project', tenants.slice(0, 1)],
  ])) {
    const result = await putTenantLoad({ ...base, requests: requestsOf(chosen) });
    const { requests, seconds: took, refused, broken, p50, p99 } = result;
    const rate = (requests / took).toFixed(0);
    print(`${name}: ${rate} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, failed ${refused + broken}`);
    print('  afterwards:', await memoryText());
  }
}

/** @param {readonly string[]} ids */
async function measureWays(ids) {
  for (const way of WAYS) {
    const { rate, replaced, largest } = await measureWay(postgres.url, ids, way, seconds, privateMegabytes);
    print(`${way.name}: ${rate.toFixed(0)} statements a second, ${replaced} replaced, largest backend ${largest} MB`);
  }
}

/** As after a release that changes the built-in kinds: all projects are of an older version. */
async function measureUpgrade() {
  await required(service).stop();
  const { rows } = await postgres.client.query(`SELECT id FROM kind.project`);
  for (const { id } of rows) await runText('UPDATE', `"project_${id}"."_model"`, 'SET built_in = built_in - 1');
  await postgres.client.query('UPDATE kind.project SET built_in = NULL');
  const started = performance.now();
  service = await startService();
  const ready = performance.now() - started;
  const left = async () => {
    const outdated = await postgres.client.query('SELECT count(*)::int AS n FROM kind.project WHERE built_in IS NULL');
    return outdated.rows[0].n;
  };
  const leftAtStart = await left();
  // Killed in between: the next start goes on.
  process.kill(service.child.pid, 'SIGKILL');
  await delay(1000);
  service = await startService();
  while ((await left()) > 0) await delay(100);
  const took = (performance.now() - started) / 1000;
  print(
    `upgrade of all: ready after ${ready.toFixed(0)} ms with ${leftAtStart} to go, killed, all done after ${took.toFixed(1)} s`,
  );
}

/** @param {string | undefined} neighbour */
async function measureDeletion(neighbour) {
  const running = required(service);
  const tables = Number(options.tables);
  const requests = [{ project: required(neighbour), path: '/api/lib/thing1/unit?limit=10' }];
  const load = () => putTenantLoad({ url: running.url, seconds: 4, connections: 1, folder, requests });
  await withProvisioning(dist, postgres.url, folder, async ({ create, remove }) => {
    await create('large');
    await defineKinds(running.url, await signIn(running.url, 'large'));
    for (let at = 0; at < tables; at += 1) {
      const table = `project_large.t${at}`;
      await runText('CREATE TABLE', table, '(LIKE project_large.thing1 INCLUDING ALL)');
      await runText('ALTER TABLE', table, 'ADD FOREIGN KEY (ref1) REFERENCES project_large.thing0');
    }
    const before = await load();
    const during = load();
    const took = await timeOf(() => remove('large'));
    const { p50, p99 } = await during;
    print(`deletion of ${tables} tables: ${(took / 1000).toFixed(1)} s; a neighbour on one connection meanwhile:`);
    print(`  p50 ${before.p50.toFixed(1)} → ${p50.toFixed(1)} ms, p99 ${before.p99.toFixed(1)} → ${p99.toFixed(1)} ms`);
  });
}

/** A statement whose table has a name of its own. @param {readonly string[]} parts */
function runText(...parts) {
  return postgres.client.query(parts.join(' '));
}

async function memoryText() {
  const { rows } = await postgres.client.query(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'kind' AND backend_type = 'client backend'`,
  );
  const sizes = await Promise.all(rows.map(({ pid }) => privateMegabytes(pid)));
  const largest = Math.max(0, ...sizes);
  const sum = sizes.reduce((all, each) => all + each, 0);
  const node = service ? await residentOf(service) : undefined;
  return `Node ${node} MB, largest backend ${largest} MB, ${sizes.length} backends ${sum} MB together`;
}

/** The memory of a backend that it does not share. @param {number} pid */
async function privateMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** @param {Service} running */
function residentOf(running) {
  return residentMegabytes(running.child.pid);
}

/** @param {() => Promise<unknown>} work */
async function timeOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** @template T @param {T | undefined} value @returns {T} */
function required(value) {
  if (value === undefined) throw new Error('not started');
  return value;
}

/** @param {...unknown} parts */
function print(...parts) {
  console.log(parts.join(' '));
}
