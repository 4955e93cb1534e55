/**
 * What a machinery is worth: the same load on the service with it and without it, in turns, on one PostgreSQL.
 *
 *     node bench/ablation.mjs --without slow-statements --load filter+import    # noise of neighbours.mjs
 *     node bench/ablation.mjs --without delayed-refusals --load busy:1000       # so many connections, sorted lists
 *     node bench/ablation.mjs --other /tmp/changed/dist --load walk             # another build
 *
 * After `npm run build`. Figures of such runs are in docs/adr/0016-machineries.md.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { median } from './measure.mjs';
import { Postgres } from './postgres.mjs';
import { Service } from './service.mjs';
import { makeNoisyKinds, writeFunctions } from './tenants/noise.mjs';
import { beginNoise } from './tenants/noise-process.mjs';
import { call, signIn, withProvisioning } from './tenants/projects.mjs';
import { putTenantLoad } from './tenants/wrk.mjs';

/** What is changed in the compiled files to switch a machinery off: the file, the text, and what takes its place. */
const MACHINERIES = {
  'slow-statements': [
    'database/statement/slow-statements.js',
    'run(schema, text, run) {',
    'run(schema, text, run) { return run(unmeasured);',
  ],
  'delayed-refusals': ['tenancy/overload.js', 'this.#later(refusal)', 'Promise.reject(refusal)'],
  'json-pieces': ['http/body/read-body.js', 'text.length <= MAX_SYNC_BYTES ?', 'true ?'],
  congestion: ['shared/fair-queue.js', 'if (this.#waiting <= waiting) return undefined;', 'return undefined;'],
};

const { values: options } = parseArgs({
  options: {
    without: { type: 'string', default: '' },
    other: { type: 'string' },
    load: { type: 'string', default: 'filter' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    /** Connections of each sort of noise. */
    each: { type: 'string', default: '4' },
  },
});
const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const seconds = Number(options.seconds);
const [, connections] = /^busy:(\d+)$/.exec(options.load) ?? [];
/** Seconds before anything is measured. Node accepts one connection in each turn of its event loop. */
const warmUp = connections === undefined ? 1.5 : 3 + Math.ceil(Number(connections) / 250);
const folder = await mkdtemp(join(tmpdir(), 'kind-ablation-'));
const functions = join(folder, 'functions');
await writeFunctions(functions, 'noisy');
const builds = { with: join(root, 'dist.with'), without: join(root, 'dist.without') };
await makeBuilds();
const postgres = await Postgres.start(dist, folder);
const services = /** @type {{ name: string, service: Service }[]} */ ([]);
try {
  for (const [name, build] of Object.entries(builds)) {
    const service = await Service.start({
      name,
      dist: build,
      databaseUrl: postgres.url,
      dataDir: folder,
      variables: { FUNCTIONS_DIR: functions },
    });
    services.push({ name, service });
  }
  const [first] = services;
  if (!first) throw new Error('no service');
  const { url } = first.service;
  await withProvisioning(dist, postgres.url, folder, async ({ create }) => {
    await create('noisy');
    await create('quiet');
  });
  const [noisy, quiet] = [await signIn(url, 'noisy'), await signIn(url, 'quiet')];
  const ids = await makeNoisyKinds(url, noisy);
  await call(url, 'POST', '/kind/unit', quiet, { id: 'note', parameters: [{ id: 'name', kind_id: 'string' }] });
  const note = await call(url, 'POST', '/note/unit', quiet, { name: 'a note' });
  print(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}; ${options.without || options.other}`);

  const figures = services.map(({ name }) => ({ name, rows: /** @type {Record<string, number>[]} */ ([]) }));
  for (let round = -1; round < Number(options.rounds); round += 1) {
    for (const [at, { name, service }] of services.entries()) {
      const end = beginLoad(service.url, noisy, ids);
      await delay(warmUp * 1000);
      const beside = await answersOf(service.url, quiet, `/api/lib/note/unit/${note.id}`, 1);
      const row = { ...statusFigures('quiet', beside), ...(await end()) };
      print(`  ${round < 0 ? 'warm-up' : `round ${round + 1}`} ${name}: ${textOf(row)}`);
      if (round >= 0) figures[at]?.rows.push(row);
      await postgres.whenIdle();
    }
  }
  for (const { name, rows } of figures) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const medians = names.map((each) => [each, median(rows.map((row) => row[each] ?? 0))]);
    print(`${name}: ${textOf(Object.fromEntries(medians))}`);
  }
} finally {
  for (const { service } of services) await service.stop();
  await postgres.stop();
  for (const path of [folder, builds.with, builds.without]) {
    await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Two copies without their bundles, so that a file can be changed. */
async function makeBuilds() {
  for (const [name, target] of Object.entries(builds)) {
    const source = name === 'without' && options.other !== undefined ? resolve(options.other) : dist;
    await rm(target, { recursive: true, force: true });
    await cp(source, target, {
      recursive: true,
      filter: (path) => !/dist[^/]*\/(?:bundle|\.compile-cache)$/.test(path),
    });
  }
  for (const each of options.without.split(',').filter((name) => name !== '')) {
    const change = MACHINERIES[/** @type {keyof typeof MACHINERIES} */ (each)];
    if (!change) throw new Error(`--without: one of ${Object.keys(MACHINERIES).join(', ')}`);
    const [file = '', text = '', instead = ''] = change;
    const path = join(builds.without, file);
    const code = await readFile(path, 'utf8');
    if (!code.includes(text)) throw new Error(`${file} has no ${text}`);
    await writeFile(path, code.replace(text, instead));
  }
}

/**
 * Begins with the load of the busy project. The returned function ends it, and returns its figures.
 * @param {string} url
 * @param {import('./tenants/projects.mjs').Tenant} noisy
 * @param {readonly string[]} ids
 * @returns {() => Promise<Record<string, number>>}
 */
function beginLoad(url, noisy, ids) {
  if (connections === undefined) {
    const end = beginNoise({ service: [url, noisy, ids, options.load.split('+'), Number(options.each)] });
    return async () => await end();
  }
  const path = '/api/lib/noise/unit?order=number&limit=100&filter=lt(number,40)';
  const requests = [{ project: 'noisy', token: noisy.token, path }];
  const load = putTenantLoad({
    url,
    requests,
    seconds: seconds + warmUp + 1,
    connections: Number(connections),
    folder,
  });
  const clients = answersOf(url, noisy, path, 2, warmUp);
  return async () => {
    const [{ requests: all, seconds: took, refused, broken }, byStatus] = await Promise.all([load, clients]);
    return {
      'answers/s': (all - refused) / took,
      'refusals/s': refused / took,
      broken,
      ...statusFigures('busy', byStatus),
    };
  };
}

/**
 * @param {string} url
 * @param {import('./tenants/projects.mjs').Tenant} tenant
 * @param {string} path
 * @param {number} connections
 * @param {number} [warmUp]
 */
async function answersOf(url, { id, token }, path, connections, warmUp = 0) {
  const headers = { 'kind-project-key': id, authorization: `Bearer ${token}` };
  const load = { url, path, headers, connections, seconds, warmUp };
  const script = join(import.meta.dirname, 'tenants/held-load.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(load)]);
  return /** @type {Record<string, { perSecond: number, p50: number, p99: number }>} */ (JSON.parse(stdout));
}

/** @param {string} name @param {Record<string, { perSecond: number, p50: number, p99: number }>} byStatus */
function statusFigures(name, byStatus) {
  // Without an answer, the whole time.
  const { perSecond = 0, p50 = seconds * 1000, p99 = seconds * 1000 } = byStatus['200'] ?? {};
  return { [`${name}/s`]: perSecond, [`${name} p50`]: p50, [`${name} p99`]: p99 };
}

/** @param {Record<string, number>} figures */
function textOf(figures) {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value < 10 ? value.toFixed(1) : value.toFixed(0)}`)
    .join(', ');
}

/** @param {string} text */
function print(text) {
  console.log(text);
}
