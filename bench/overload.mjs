/**
 * Measures what a load beyond capacity gets, and what a quiet project notices of it: `node bench/overload.mjs`, after
 * `npm run build`. Figures of such runs are in TENANTS.md.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { Postgres } from './postgres.mjs';
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
const WARM_UP = 3;
const seconds = Number(options.seconds);
const dist = resolve(import.meta.dirname, '../dist');
const folder = await mkdtemp(join(tmpdir(), 'kind-overload-'));
const postgres = await Postgres.start(dist, folder);
const processes = Number(options.workers);
const service = await Service.start({ name: 'kind', dist, databaseUrl: postgres.url, dataDir: folder, processes });
const { url } = service;

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
  await answers(busy, requests['gets of one unit'], 16);
  for (const [name, path] of Object.entries(requests)) {
    print(`${name} (answers and refusals a second, p50 and p99 in ms)`);
    for (const connections of String(options.connections).split(',').map(Number)) {
      const requests = [{ project: 'busy', token: busy.token, path }];
      const [load, client, beside] = await Promise.all([
        // A second longer at both ends than what is measured beside it.
        putTenantLoad({ url, requests, seconds: seconds + 2 * WARM_UP, connections, folder }),
        answers(busy, path, CLIENTS),
        answers(quiet, `/api/lib/note/unit/${quiet.id}`, 1),
      ]);
      const done = ((load.requests - load.refused) / load.seconds).toFixed(0);
      const refused = (load.refused / load.seconds).toFixed(0);
      print(`  ${connections} connections: ${done} and ${refused}, broken ${load.broken}`);
      print(`    of ${CLIENTS} other clients of the project: ${textOf(client)}; of a quiet project: ${textOf(beside)}`);
      await postgres.whenIdle();
    }
  }
} finally {
  await service.stop();
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

/**
 * @param {{ headers: Record<string, string> }} tenant
 * @param {string} path
 * @param {number} connections
 * @returns {Promise<Answers>}
 */
async function answers({ headers }, path, connections) {
  const load = { url, path, headers, connections, seconds, warmUp: WARM_UP };
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
