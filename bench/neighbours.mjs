/**
 * Measures what a project notices of another one that takes all it can get: `node bench/neighbours.mjs`, after
 * `npm run build`. Figures of such runs are in TENANTS.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from './measure.mjs';
import { Postgres } from './postgres.mjs';
import { stolenSeconds } from './process-stats.mjs';
import { Service } from './service.mjs';
import { BARE_SORTS, EVERYDAY_SORTS, makeBareNoise, makeNoisyKinds, SORTS, writeFunctions } from './tenants/noise.mjs';
import { beginNoise } from './tenants/noise-process.mjs';
import { call, signIn, withProvisioning } from './tenants/projects.mjs';
import { putTenantLoad } from './tenants/wrk.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    /** Connections of each sort of noise. */
    each: { type: 'string', default: '4' },
    workers: { type: 'string', default: '1' },
    /** Only these: `--sorts call,import+filter`. Each alone, and then several together, by default. */
    sorts: { type: 'string' },
    dist: { type: 'string', default: '../dist' },
  },
});
const length = Number(options.seconds);
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
    putTenantLoad({
      url,
      seconds: length,
      connections: 1,
      folder,
      requests: [{ project: 'quiet', token: quiet.token, path }],
    });
  await gets();
  const each = Number(options.each);
  const [began, stolenBefore] = [performance.now(), await stolenSeconds()];
  await makeBareNoise(postgres.client);
  const isBare = (/** @type {string} */ name) => name.startsWith('bare ');
  const sets = options.sorts?.split(',').map((names) => names.split('+')) ?? [
    ...[...BARE_SORTS, ...SORTS].map((name) => [name]),
    ...[EVERYDAY_SORTS, SORTS],
  ];
  const measured = sets.map((names) => ({
    name: names.join(' + '),
    begin: () =>
      beginNoise(
        names.every(isBare) ? { bare: [postgres.url, names, each] } : { service: [url, noisy, ids, names, each] },
      ),
    alone: /** @type {import('./tenants/wrk.mjs').TenantLoad[]} */ ([]),
    beside: /** @type {import('./tenants/wrk.mjs').TenantLoad[]} */ ([]),
  }));
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const { name, begin, alone, beside } of measured) {
      alone.push(await gets());
      const end = begin();
      await delay(1000);
      beside.push(await gets());
      const answers = await end();
      print(`alone ${textOf([alone.at(-1)])}; beside ${name} ${textOf([beside.at(-1)])}; ${JSON.stringify(answers)}`);
      await postgres.whenIdle();
    }
  }
  const seconds = (cpus().length * (performance.now() - began)) / 1000;
  const stolen = (((await stolenSeconds()) ?? 0) - (stolenBefore ?? 0)) / seconds;
  print(
    `Medians of ${options.rounds} rounds; other virtual machines took ${(stolen * 100).toFixed(0)} % of the processors:`,
  );
  for (const { name, alone, beside } of measured) {
    const ratio = median(beside.map(({ p99 }, at) => p99 / alone[at].p99));
    print(`${name}: alone ${textOf(alone)}; beside it ${textOf(beside)}; p99 ${ratio.toFixed(1)} times`);
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

/** Medians. @param {readonly (import('./tenants/wrk.mjs').TenantLoad | undefined)[]} loads */
function textOf(loads) {
  const [p50, p99] = /** @type {const} */ (['p50', 'p99']).map((name) =>
    median(loads.map((load) => load?.[name] ?? NaN)),
  );
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

/** @param {string} text */
function print(text) {
  console.log(text);
}
