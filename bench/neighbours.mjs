/**
 * Measures what a project notices of another one that takes all it can get: `node bench/neighbours.mjs`, after
 * `npm run build`. Figures of such runs are in TENANTS.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Postgres } from './postgres.mjs';
import { Service } from './service.mjs';
import {
  BARE_SORTS,
  EVERYDAY_SORTS,
  makeBareNoise,
  makeNoise,
  makeNoisyKinds,
  sendBareNoise,
  SORTS,
  writeFunctions,
} from './tenants/noise.mjs';
import { call, signIn, withProvisioning } from './tenants/projects.mjs';
import { putTenantLoad } from './tenants/wrk.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    /** Connections of each sort of noise. */
    each: { type: 'string', default: '4' },
    workers: { type: 'string', default: '1' },
    dist: { type: 'string', default: '../dist' },
  },
});
const seconds = Number(options.seconds);
const dist = resolve(import.meta.dirname, options.dist);
const folder = await mkdtemp(join(tmpdir(), 'kind-neighbours-'));
const functions = join(folder, 'functions');
await writeFunctions(functions, 'noisy');
const postgres = await Postgres.start(dist, folder);
const service = await Service.start({
  name: 'kind',
  dist,
  databaseUrl: postgres.url,
  dataDir: folder,
  processes: Number(options.workers),
  variables: { FUNCTIONS_DIR: functions },
});
try {
  const { url } = service;
  print(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}`);
  await withProvisioning(dist, postgres.url, folder, async ({ create }) => {
    await create('noisy');
    await create('quiet');
  });
  const noisy = await signIn(url, 'noisy');
  const quiet = await signIn(url, 'quiet');
  const ids = await makeNoisyKinds(url, noisy);
  const path = await makeQuietUnit(url, quiet);
  const gets = () =>
    putTenantLoad({ url, seconds, connections: 1, folder, requests: [{ project: 'quiet', token: quiet.token, path }] });
  await gets();
  const together = Array.from({ length: Number(options.rounds) }, () => [EVERYDAY_SORTS, SORTS]).flat();
  const noises = [...SORTS.map((name) => [name]), ...together];
  /** @typedef {(signal: AbortSignal) => Promise<Record<string, number>>} Noise */
  const each = Number(options.each);
  await makeBareNoise(postgres.client);
  /** @type {[name: string, make: Noise][]} */
  const all = [
    .../** @type {[string, Noise][]} */ (
      BARE_SORTS.map((name) => [name, (signal) => sendBareNoise(postgres.url, name, each, signal)])
    ),
    .../** @type {[string, Noise][]} */ (
      noises.map((names) => [names.join(', '), (signal) => makeNoise(url, noisy, ids, names, each, signal)])
    ),
  ];
  for (const [name, make] of all) {
    const alone = await gets();
    const stop = new AbortController();
    const noise = make(stop.signal);
    await delay(1000);
    const disturbed = await gets();
    stop.abort();
    const answers = await noise;
    print(`quiet alone: ${textOf(alone)}; beside ${name}: ${textOf(disturbed)}`);
    print(`  answers to the other: ${JSON.stringify(answers)}`);
    await postgres.whenIdle();
  }
} finally {
  await service.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** @param {string} url @param {import('./tenants/projects.mjs').Tenant} quiet @returns {Promise<string>} */
async function makeQuietUnit(url, quiet) {
  await call(url, 'POST', '/kind/unit', quiet, { id: 'note', parameters: [{ id: 'name', kind_id: 'string' }] });
  const { id } = await call(url, 'POST', '/note/unit', quiet, { name: 'a note' });
  return `/api/lib/note/unit/${id}`;
}

/** @param {import('./tenants/wrk.mjs').TenantLoad} load */
function textOf({ p50, p99 }) {
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

/** @param {string} text */
function print(text) {
  console.log(text);
}
