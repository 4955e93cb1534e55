/**
 * Imports of so many rows whose hooks run for each unit, for a thousand at once, or change another unit for each:
 * what each takes, the most memory that the service had meanwhile, and the longest that another request waited.
 *
 *     node bench/hooked-imports.mjs 3000
 *     node bench/hooked-imports.mjs 100000 many
 *
 * After `npm run build`. DIST names another build.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Postgres } from './postgres.mjs';
import { root } from './run.mjs';
import { cpuSeconds, residentMegabytes } from './process-stats.mjs';
import { Service } from './service.mjs';

/** Hooks by kind. The units of the first two are there before, and the import changes them. */
const HOOKS = {
  one_by_one: `before_update: ({ values }) => ({ note: String(values.left) }), after_update: () => undefined`,
  many: `before_update_many: ({ changes }) => changes.map(({ values }) => ({ note: String(values.left) })),
    after_update_many: () => undefined`,
  each_changes_another: `after_create: async ({ unit, system }) =>
    void (await system.units('one_by_one').update(String(unit.stock), { note: 'sold' }))`,
};
const TITLES = {
  one_by_one: 'upsert with before_update and after_update',
  many: 'upsert with before_update_many and after_update_many',
  each_changes_another: 'create with after_create, which changes another unit',
};
const STOCK = ['one_by_one', 'many'];
/** Milliseconds after which the service has certainly loaded its functions. */
const LOAD_TIME = 4000;
/** Milliseconds between two requests of the neighbour. */
const PAUSE = 10;

/** @param {Service} service @param {string} kind @param {string} query @param {string} file */
async function importFile(service, kind, query, file) {
  const headers = { ...service.headers, 'content-type': 'text/csv' };
  const response = await fetch(`${service.url}/api/lib/${kind}/import${query}`, {
    method: 'POST',
    headers,
    body: file,
  });
  if (!response.ok) throw new Error(`${kind}: ${response.status} ${await response.text()}`);
}

/**
 * What some work takes, and what a neighbour notices of it.
 * @param {Service} service @param {() => Promise<void>} work
 */
async function beside(service, work) {
  let [ended, waited, memory] = [false, 0, 0];
  const started = performance.now();
  const cpuBefore = (await cpuSeconds(service.child.pid)) ?? 0;
  const working = work().finally(() => (ended = true));
  while (!ended) {
    const sent = performance.now();
    await service.call('GET', '/kind/unit/kind');
    waited = Math.max(waited, performance.now() - sent);
    memory = Math.max(memory, (await residentMegabytes(service.child.pid)) ?? 0);
    await delay(PAUSE);
  }
  await working;
  const cpu = ((await cpuSeconds(service.child.pid)) ?? 0) - cpuBefore;
  return { seconds: (performance.now() - started) / 1000, cpu, waited, memory };
}

/** @param {number} rows @param {readonly string[]} kinds @param {string} folder */
async function measure(rows, kinds, folder) {
  const dist = join(root, process.env.DIST ?? 'dist');
  const functions = join(folder, 'functions');
  await mkdir(functions, { recursive: true });
  for (const [kind, hooks] of Object.entries(HOOKS)) {
    const module = `import { kind } from 'kind';\nexport default kind('${kind}').module({ hooks: { ${hooks} } });\n`;
    await writeFile(join(functions, `${kind}.ts`), module);
  }
  const postgres = await Postgres.start(dist, join(folder, 'postgres'));
  const service = await Service.start({
    ...{ name: 'service', dist, databaseUrl: postgres.url, dataDir: folder },
    variables: { FUNCTIONS_DIR: functions, FUNCTION_TIMEOUT: '10m' },
  });
  try {
    const code = { id: 'code', kind_id: 'string', is_primary: true };
    const parameters = [code, { id: 'left', kind_id: 'integer' }, { id: 'note', kind_id: 'string' }];
    await service.call('POST', '/kind/unit', { id: 'one_by_one', parameters });
    await service.call('POST', '/kind/unit', { id: 'many', parameters: parameters.map(({ id }) => id) });
    const stock = { id: 'stock', kind_id: 'unit', reference_kind: 'one_by_one' };
    await service.call('POST', '/kind/unit', { id: 'each_changes_another', parameters: [stock] });
    await delay(LOAD_TIME);
    const lines = Array.from({ length: rows }, (_, at) => `s${at}`);
    for (const kind of STOCK) await importFile(service, kind, '', `code\n${lines.join('\n')}\n`);
    for (const [kind, title] of Object.entries(TITLES)) {
      if (kinds.length > 0 && !kinds.includes(kind)) continue;
      const isStock = STOCK.includes(kind);
      const file = isStock ? `code,left\n${lines.map((id) => `${id},5`).join('\n')}\n` : `stock\n${lines.join('\n')}\n`;
      const query = isStock ? '?on_conflict=update&by=code' : '';
      const { seconds, cpu, waited, memory } = await beside(service, () => importFile(service, kind, query, file));
      const took = `${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of Node's CPU`;
      console.log(`${took}, ${memory} MB, another waited ${waited.toFixed(0)} ms: ${title}`);
    }
  } finally {
    await service.stop();
    await postgres.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'kind-hooked-'));
try {
  const [rows = '3000', ...kinds] = process.argv.slice(2);
  await measure(Number(rows), kinds, folder);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
