/** `npm run bench`: the service against a bare handler, on one PostgreSQL; prints the tables and writes RESULTS.md. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Bare } from './bare-system.mjs';
import { bulkRequests, bulkWorkload, createInBulk, sendOnce } from './bulk.mjs';
import { checkAnswers } from './check.mjs';
import { Dataset } from './dataset.mjs';
import { measureDocuments } from './documents.mjs';
import { Graphs } from './graph.mjs';
import { FUNCTION_TARGET, functionRequests, makeFunction } from './functions.mjs';
import { graphWorkloads } from './graph-workloads.mjs';
import { loadTool, putLoad } from './load.mjs';
import { inTurn, withCpu } from './measure.mjs';
import { readOptions } from './options.mjs';
import { Postgres } from './postgres.mjs';
import { residentMegabytes } from './process-stats.mjs';
import { waitUntilQuiet } from './quiet.mjs';
import { documentTable, markdown, scaleTable, startTable } from './report.mjs';
import { checkAlike, comparisonsOf, makeReader, RULE_TARGET } from './rules.mjs';
import { Service } from './service.mjs';
import { measureStarts } from './start-times.mjs';
import { workloadsOf } from './workloads.mjs';

const root = dirname(import.meta.dirname);
const options = readOptions(process.argv.slice(2));
const folder = await mkdtemp(join(os.tmpdir(), 'kind-bench-'));

/** What was started and has to be stopped, last first. @type {{ stop(): Promise<void> }[]} */
const running = [];

/** @template {{ stop(): Promise<void> }} T @param {T} started @returns {T} */
function stopAtEnd(started) {
  running.push(started);
  return started;
}

async function cleanUp() {
  for (const each of running.splice(0).reverse()) await each.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().finally(() => process.exit(130)));

/** @param {string} line */
function log(line) {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`);
}

/** @param {string} id */
function isWanted(id) {
  return options.only === undefined || options.only.has(id);
}

/** The systems, the bare one first: ratios are relative to it. @param {Postgres} postgres */
async function startSystems(postgres) {
  const builds = [
    ['service', join(root, 'dist')],
    ...options.others.map((dist, at) => [`other ${at + 1}`, resolve(dist)]),
  ];
  const services = [];
  for (const [name = '', dist = ''] of builds) {
    const dataDir = join(folder, name);
    await mkdir(dataDir);
    const profile = options.profile === undefined ? undefined : resolve(options.profile, name);
    services.push(stopAtEnd(await Service.start({ name, dist, databaseUrl: postgres.url, dataDir, profile })));
  }
  const [service] = services;
  if (!service) throw new Error('no service');
  const shared = { databaseUrl: postgres.url, headers: service.headers };
  const bare = stopAtEnd(await Bare.start({ ...shared, name: 'bare' }));
  const keepingTokens = stopAtEnd(await Bare.start({ ...shared, name: 'bare, tokens kept', keepTokens: true }));
  return { bare, keepingTokens, service, services };
}

/**
 * @param {{ name: string, rows: number }} scale
 * @param {Awaited<ReturnType<typeof startSystems>>} systems
 * @param {Postgres} postgres
 * @param {string} tool
 * @returns {Promise<import('./report.mjs').ScaleReport>}
 */
async function measureScale(scale, { bare, keepingTokens, service, services }, postgres, tool) {
  const dataset = new Dataset(scale, postgres.client, `project_${service.project}`);
  const imported = await dataset.fill(service);
  log(`${scale.rows} cities imported, ${Math.round(imported)} rows/s`);
  const measured = [];
  for (const workload of workloadsOf(dataset).filter(({ id }) => isWanted(id))) {
    const systems = workload.id === 'W1' ? [bare, ...services, keepingTokens] : [bare, ...services];
    measured.push(await measure(workload, systems, () => dataset.reset(), postgres, tool));
  }
  if (isWanted('bulk')) measured.push(await measureBulk(dataset, [bare, ...services], postgres));
  measured.push(...(await measureRules(dataset, service, postgres, tool)));
  if (isWanted('F1')) measured.push(await measureFunction(dataset, service, postgres, tool));
  const about = `Imported through the REST API at ${Math.round(imported).toLocaleString('en-US')} rows/s.`;
  return { title: `${scale.rows.toLocaleString('en-US')} cities`, about, measured };
}

/**
 * @param {Awaited<ReturnType<typeof startSystems>>} systems
 * @param {Postgres} postgres
 * @param {string} tool
 * @returns {Promise<import('./report.mjs').ScaleReport>}
 */
async function measureGraphs({ bare, service, services }, postgres, tool) {
  const graphs = new Graphs(postgres.client, `project_${service.project}`);
  await graphs.fill(service);
  log(`a tree of ${graphs.tree.units} units, and ${graphs.random.units} with random links, are written`);
  const measured = [];
  for (const workload of graphWorkloads(graphs).filter(({ id }) => isWanted(id))) {
    measured.push(await measure(workload, [bare, ...services], () => graphs.reset(), postgres, tool));
  }
  const about = 'A tree of 111,111 units, ten below each, and 100,000 units with 1,000,000 random links; pages of 100.';
  return { title: 'Links', about, measured };
}

/**
 * @param {import('./workloads.mjs').Workload} workload
 * @param {readonly (Bare | Service)[]} systems
 * @param {() => Promise<void>} reset undoes what a workload writes
 * @param {Postgres} postgres
 * @param {string} tool
 * @returns {Promise<import('./report.mjs').Row>}
 */
async function measure(workload, systems, reset, postgres, tool) {
  const { id, title, target, writes, requests, slow = false } = workload;
  const prepare = () => (writes ? reset() : Promise.resolve());
  await checkAnswers(workload, systems, prepare);
  const requested = systems.map((system) => ({ ...asSystem(system), requests }));
  const figures = await underLoad(requested, postgres, tool, prepare, slow);
  log(`${id}: ${figures.map(({ name, rate }) => `${name} ${rate.toFixed(rate < 10 ? 1 : 0)}/s`).join(', ')}`);
  return { id, title, target, unit: 'requests', figures };
}

/** @param {Bare | Service} system @returns {import('./measure.mjs').System} */
function asSystem({ name, url, headers, child }) {
  return { name, url, headers, child };
}

/**
 * Puts load on each system in turn, with the requests of that system.
 * @param {readonly (import('./measure.mjs').System & { requests: readonly import('./load.mjs').LoadRequest[] })[]} systems
 * @param {Postgres} postgres
 * @param {string} tool
 * @param {() => Promise<void>} prepare
 * @param {boolean} [slow] each request is sent once, one after the other
 */
function underLoad(systems, postgres, tool, prepare, slow = false) {
  const { rounds, seconds, warmup } = options;
  return inTurn(systems, rounds, async (system, first) => {
    const { requests } = system;
    const load = { url: system.url, headers: system.headers, requests, folder };
    await prepare();
    if (first && warmup > 0 && !slow) {
      await putLoad(tool, { ...load, seconds: warmup });
      await prepare();
    }
    await waitUntilQuiet(options.quiet);
    return withCpu(system, postgres, async () => {
      if (slow) return { count: requests.length, seconds: await sendOnce(system, requests, 1) };
      const result = await putLoad(tool, { ...load, seconds });
      return { ...result, count: result.requests };
    });
  });
}

/**
 * The cost of a function: the service compared with itself.
 * @param {Dataset} dataset
 * @param {Service} service
 * @param {Postgres} postgres
 * @param {string} tool
 * @returns {Promise<import('./report.mjs').Row>}
 */
async function measureFunction(dataset, service, postgres, tool) {
  await makeFunction(dataset, service, join(folder, service.name, 'functions'));
  const { get, call } = functionRequests(dataset);
  const requested = [
    { ...asSystem(service), name: 'get one by id', requests: get },
    { ...asSystem(service), name: 'an empty function', requests: call },
  ];
  const figures = await underLoad(requested, postgres, tool, () => Promise.resolve());
  log(`F1: ${figures.map(({ name, rate }) => `${name} ${Math.round(rate)}/s`).join(', ')}`);
  return { id: 'F1', title: 'call an empty function', target: FUNCTION_TARGET, unit: 'requests', figures };
}

/**
 * The cost of a rule: the service compared with itself.
 * @param {Dataset} dataset
 * @param {Service} service
 * @param {Postgres} postgres
 * @param {string} tool
 */
async function measureRules(dataset, service, postgres, tool) {
  const comparisons = comparisonsOf(dataset).filter(({ id }) => isWanted(id));
  if (comparisons.length === 0) return [];
  const headers = await makeReader(dataset, service);
  const measured = [];
  for (const comparison of comparisons) {
    const { id, title, plain, ruled } = comparison;
    await checkAlike(comparison, service.url, headers);
    const reader = { ...asSystem(service), headers };
    const requested = [
      { ...reader, name: 'without a rule', requests: plain },
      { ...reader, name: 'by a rule', requests: ruled },
    ];
    const figures = await underLoad(requested, postgres, tool, () => Promise.resolve());
    measured.push({ id, title, target: RULE_TARGET, unit: 'requests', figures });
    log(`${id}: ${figures.map(({ name, rate }) => `${name} ${Math.round(rate)}/s`).join(', ')}`);
  }
  return measured;
}

/**
 * @param {Dataset} dataset
 * @param {readonly (Bare | Service)[]} systems
 * @param {Postgres} postgres
 */
async function measureBulk(dataset, systems, postgres) {
  await checkAnswers(bulkWorkload(dataset), systems, () => dataset.reset(true));
  const requests = bulkRequests(dataset);
  const figures = await inTurn(systems, options.rounds, async (system) => {
    await dataset.reset(true);
    await waitUntilQuiet(options.quiet);
    return withCpu(system, postgres, () => createInBulk(system, requests));
  });
  log(`bulk: ${figures.map(({ name, rate }) => `${name} ${Math.round(rate)} rows/s`).join(', ')}`);
  return { id: 'bulk', title: 'create, arrays of 1000, rows', target: 0.4, unit: 'rows', figures };
}

async function run() {
  /** @type {{ isFresh(): Promise<boolean>, build(): Promise<void> }} */
  const { isFresh, build } = await import(join(root, 'scripts', 'build.mjs'));
  if (!(await isFresh())) await build();
  const tool = await loadTool();
  const dist = join(root, 'dist');
  const postgres = stopAtEnd(await Postgres.start(dist, join(folder, 'postgres')));
  const systems = await startSystems(postgres);
  log(
    `PostgreSQL ${postgres.version} and ${[systems.bare, ...systems.services].length} systems run; load with ${tool}`,
  );
  await delay(1000);
  const observed = [systems.bare, ...systems.services];
  const idle = await Promise.all(observed.map(({ child }) => residentMegabytes(child.pid)));
  const scales = [];
  const linkWorkloads = [...(options.only ?? ['L'])].filter((id) => id.startsWith('L'));
  const reports = [
    ...(linkWorkloads.length === options.only?.size ? [] : options.scales).map(
      (scale) => () => measureScale(scale, systems, postgres, tool),
    ),
    ...(linkWorkloads.length > 0 ? [() => measureGraphs(systems, postgres, tool)] : []),
  ];
  for (const report of reports) {
    const result = await report();
    console.log(`\n${scaleTable(result)}\n`);
    scales.push(result);
  }
  const loaded = await Promise.all(observed.map(({ child }) => residentMegabytes(child.pid)));
  const memory = observed.map(({ name }, at) => ({ name, idle: idle[at], loaded: loaded[at] }));
  for (const { name, idle: before, loaded: after } of memory)
    log(`memory of ${name}: ${before} MB idle, ${after} MB after load`);
  const document = isWanted('document') ? await measureDocuments(systems.service, options.rounds) : undefined;
  if (document) console.log(`\n${documentTable(document)}\n`);
  const about = { version: postgres.version, settings: await postgres.settings() };
  for (const each of running.splice(0).reverse()) await each.stop();
  const starts = isWanted('start') ? await measureStarts(root, folder, options.rounds) : [];
  if (starts.length > 0) console.log(`\n${startTable(starts)}\n`);
  const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  if (options.write) {
    const text = markdown({ command, root, tool, postgres: about, options, scales, memory, starts, document });
    await writeFile(join(import.meta.dirname, 'RESULTS.md'), text);
    log('written: bench/RESULTS.md');
  }
}

try {
  await run();
} finally {
  await cleanUp();
}
