/**
 * Measures what a load beyond capacity gets, and what a quiet project notices of it: `node bench/overload.mjs`, after
 * `npm run build`. Figures of such runs are in TENANTS.md.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { Postgres } from './postgres.mjs';
import { cpuSecondsOfAll } from './process-stats.mjs';
import { Service } from './service.mjs';
import { call, signIn, withProvisioning } from './tenants/projects.mjs';
import { putTenantLoad } from './tenants/wrk.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '16,128,512,1000,2000' },
    workers: { type: 'string', default: '1' },
  },
});
const UNITS = 2000;
/** Connections of the busy project whose latencies are told by status; wrk, which puts the load, does not tell these. */
const CLIENTS = 2;
/** Seconds before anything is measured. Node accepts one connection in each turn of its event loop. */
const warmUpFor = (/** @type {number} */ connections) => 3 + Math.ceil(connections / 250);
const seconds = Number(options.seconds);
const dist = resolve(import.meta.dirname, '../dist');
const folder = await mkdtemp(join(tmpdir(), 'kind-overload-'));
const postgres = await Postgres.start(dist, folder);
const processes = Number(options.workers);
const kind = await Service.start({ name: 'kind', dist, databaseUrl: postgres.url, dataDir: folder, processes });
const { url } = kind;

/** @typedef {Record<string, { perSecond: number, p50: number, p99: number }>} Answers by status */

try {
  print(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, ${processes} processes of the service`);
  await withProvisioning(dist, postgres.url, folder, async ({ create }) => {
    await create('busy');
    await create('quiet');
  });
  const [busy, quiet] = [await makeUnits('busy'), await makeUnits('quiet')];
  const requests = {
    'gets of one unit': `/api/lib/note/unit/${busy.id}`,
    'lists of 100 units, sorted without an index': '/api/lib/note/unit?order=text&limit=100',
  };
  await answers(busy, requests['gets of one unit'], 16, 3);
  for (const [name, path] of Object.entries(requests)) {
    print(`${name} (answers and refusals a second, p50 and p99 in ms)`);
    for (const connections of String(options.connections).split(',').map(Number)) {
      const requests = [{ project: 'busy', token: busy.token, path }];
      const warmUp = warmUpFor(connections);
      const [load, client, beside, counted] = await Promise.all([
        putTenantLoad({ url, requests, seconds: seconds + warmUp + 1, connections, folder }),
        answers(busy, path, CLIENTS, warmUp),
        answers(quiet, `/api/lib/note/unit/${quiet.id}`, 1, warmUp),
        delay(warmUp * 1000).then(countAnswers),
      ]);
      const done = counted.done - (beside['200']?.perSecond ?? 0);
      print(
        `  ${connections} connections: ${done.toFixed(0)} and ${counted.refused.toFixed(0)}, broken ${load.broken}`,
      );
      print(
        `    processors used by the service ${counted.service.toFixed(2)}, by PostgreSQL ${counted.database.toFixed(2)}`,
      );
      print(`    of ${CLIENTS} other clients of the project: ${textOf(client)}; of a quiet project: ${textOf(beside)}`);
      await postgres.whenIdle();
    }
  }
} finally {
  await kind.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** @param {string} project */
async function makeUnits(project) {
  const tenant = await signIn(url, project);
  const parameters = [{ id: 'text', kind_id: 'string' }];
  await call(url, 'POST', '/kind/unit', tenant, { id: 'note', parameters });
  let id = '';
  for (let at = 0; at < UNITS; at += 1000) {
    const units = Array.from({ length: 1000 }, (_, n) => ({ text: `note ${(n * 7919) % 1000} of ${at}` }));
    id = (await call(url, 'POST', '/note/unit', tenant, units)).items[0].id;
  }
  return { headers: { 'kind-project-key': project, authorization: `Bearer ${tenant.token}` }, token: tenant.token, id };
}

/** Answers and refusals a second of all clients, and seconds of processors in each second. */
async function countAnswers() {
  const before = await counts();
  await delay(seconds * 1000);
  const after = await counts();
  const rate = (/** @type {keyof typeof after} */ of) => ((after[of] - before[of]) * 1000) / (after.at - before.at);
  return { done: rate('done'), refused: rate('refused'), service: rate('service'), database: rate('database') };
}

async function counts() {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const answered = (/** @type {string} */ status) =>
    [...metrics.matchAll(/^kind_http_requests_total\{[^}]*status="(\d+)"[^}]*\} (\d+)$/gm)]
      .filter(([, each]) => each === status)
      .reduce((sum, [, , count]) => sum + Number(count), 0);
  const service = (await cpuSecondsOfAll(kind.child.pid)) ?? NaN;
  const database = (await postgres.cpu()) ?? NaN;
  return { at: performance.now(), done: answered('200'), refused: answered('503'), service, database };
}

/**
 * @param {{ headers: Record<string, string> }} tenant
 * @param {string} path
 * @param {number} connections
 * @param {number} warmUp
 * @returns {Promise<Answers>}
 */
async function answers({ headers }, path, connections, warmUp) {
  const load = { url, path, headers, connections, seconds, warmUp };
  const script = join(import.meta.dirname, 'tenants/held-load.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(load)]);
  return JSON.parse(stdout);
}

/** @param {Answers} byStatus */
function textOf(byStatus) {
  const each = Object.entries(byStatus).sort(([a], [b]) => (a < b ? -1 : 1));
  return each
    .map(
      ([status, { perSecond, p50, p99 }]) => `${status} ${perSecond.toFixed(0)}/s ${p50.toFixed(0)} ${p99.toFixed(0)}`,
    )
    .join(', ');
}

/** @param {string} text */
function print(text) {
  console.log(text);
}
