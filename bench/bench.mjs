/** `npm run bench`: the service against a bare handler, on one PostgreSQL; prints the tables and writes RESULTS.md. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeGrowth } from './chart.mjs';
import { compare, compareBulk, compareFunction, compareGuarded, compareRecorded, compareRules } from './compare.mjs';
import { Dataset } from './dataset.mjs';
import { measureDocuments } from './documents.mjs';
import { graphWorkloads } from './graph-workloads.mjs';
import { Graphs } from './graph.mjs';
import { compareSizes } from './growth.mjs';
import { readOptions } from './options.mjs';
import { comparePeers } from './peers.mjs';
import { compareProcesses } from './processes.mjs';
import { residentMegabytes } from './process-stats.mjs';
import { aboutRun, documentTable, processSection, scaleSection, scaleTable, startTable } from './report.mjs';
import { growthTable, PEERS_ABOUT, peersText, processesTable } from './report-tables.mjs';
import { writeSection } from './results.mjs';
import { root, Run } from './run.mjs';
import { measureStarts } from './start-times.mjs';
import { startSystems } from './systems.mjs';
import { compareTransfers } from './transfer.mjs';
import { compareUpserts } from './upserts.mjs';
import { townWorkloads } from './town-workloads.mjs';
import { fillTowns } from './towns.mjs';
import { Cities } from './cities.mjs';
import { workloadsOf } from './workloads.mjs';

/**
 * @typedef {import('./postgres.mjs').Postgres} Postgres
 * @typedef {import('./systems.mjs').Systems} Systems
 */

/**
 * @param {{ name: string, rows: number }} scale
 * @param {import('./service.mjs').Service} service
 * @param {Postgres} postgres
 */
async function fill(scale, service, postgres) {
  const isGrowth = run.options.scales.length > 1;
  const dataset = new Dataset(scale, postgres, `project_${service.project}`, !isGrowth);
  const seconds = await dataset.fill(service);
  run.log(`${scale.rows} cities are there after ${seconds.toFixed(1)} s`);
  return dataset;
}

/**
 * @param {Systems} systems
 * @param {Postgres} postgres
 * @returns {Promise<import('./report.mjs').ScaleReport>}
 */
async function measureCities({ bare, keepingTokens, service, services }, postgres) {
  const dataset = await fill(run.options.scales[0], service, postgres);
  const measured = [];
  for (const workload of workloadsOf(dataset).filter(({ id }) => run.wants(id))) {
    const systems = workload.id === 'W1' ? [bare, ...services, keepingTokens] : [bare, ...services];
    measured.push(await compare(run, workload, systems, () => dataset.reset(), postgres));
  }
  if (run.wants('bulk')) measured.push(await compareBulk(run, dataset, [bare, ...services], postgres));
  if (run.wants('U1') || run.wants('U2')) {
    const { distinct } = new Cities(dataset.cities.length);
    measured.push(...(await compareUpserts(run, distinct, service, [bare, ...services], postgres)));
  }
  measured.push(...(await compareTransfers(run, dataset, services, postgres)));
  measured.push(...(await compareRules(run, dataset, service, postgres)));
  if (run.wants('F1')) measured.push(await compareFunction(run, dataset, service, postgres));
  if (run.wants('G1')) measured.push(await compareGuarded(run, dataset, service, postgres));
  measured.push(...(await compareRecorded(run, dataset, service, postgres)));
  return { title: `${dataset.cities.length.toLocaleString('en-US')} cities`, about: '', measured };
}

/**
 * @param {Systems} systems
 * @param {Postgres} postgres
 * @returns {Promise<import('./report.mjs').ScaleReport>}
 */
async function measureGraphs({ bare, service, services }, postgres) {
  const graphs = new Graphs(postgres.client, `project_${service.project}`);
  await graphs.fill(service);
  run.log(`a tree of ${graphs.tree.units} units, and ${graphs.random.units} with random links, are written`);
  const measured = [];
  for (const workload of graphWorkloads(graphs).filter(({ id }) => run.wants(id))) {
    measured.push(await compare(run, workload, [bare, ...services], () => graphs.reset(), postgres));
  }
  const about = 'A tree of 111,111 units, ten below each, and 100,000 units with 1,000,000 random links; pages of 100.';
  return { title: 'Links', about, measured };
}

/**
 * @param {Systems} systems
 * @param {Postgres} postgres
 * @returns {Promise<import('./report.mjs').ScaleReport>}
 */
async function measureTowns({ bare, service, services }, postgres) {
  const { distinct } = new Cities(run.options.scales[0].rows);
  await fillTowns(service, postgres, distinct);
  const measured = [];
  for (const workload of townWorkloads(distinct).filter(({ id }) => run.wants(id))) {
    measured.push(await compare(run, workload, [bare, ...services], async () => {}, postgres));
  }
  const about = 'Countries, and their cities with a reference to them and a name that can be searched.';
  return { title: 'Related units and search', about, measured };
}

/** The usual run: all workloads of one size. @param {Systems} systems @param {Postgres} postgres */
async function measureMain(systems, postgres) {
  const { only, rounds } = run.options;
  await delay(1000);
  const observed = [systems.bare, ...systems.services];
  const idle = await Promise.all(observed.map(({ child }) => residentMegabytes(child.pid)));
  const wants = (/** @type {RegExp} */ ids) => only === undefined || [...only].some((id) => ids.test(id));
  const parts = [
    { name: 'cities', measure: measureCities, wanted: wants(/^([AWURFIXGC]\d|bulk)/) },
    { name: 'related', measure: measureTowns, wanted: wants(/^[ES]\d/) },
    { name: 'links', measure: measureGraphs, wanted: wants(/^L\d/) },
  ].filter(({ wanted }) => wanted);
  for (const { name, measure } of parts) {
    const result = await measure(systems, postgres);
    console.log(`\n${scaleTable(result)}\n`);
    await record(name, scaleSection(result), postgres);
  }
  const loaded = await Promise.all(observed.map(({ child }) => residentMegabytes(child.pid)));
  const memory = only ? [] : observed.map(({ name }, at) => ({ name, idle: idle[at], loaded: loaded[at] }));
  for (const { name, idle: before, loaded: after } of memory)
    run.log(`memory of ${name}: ${before} MB idle, ${after} MB after load`);
  const document = run.wants('document') ? await measureDocuments(systems.service, rounds) : undefined;
  if (document) console.log(`\n${documentTable(document)}\n`);
  await run.stopAll();
  const starts = run.wants('start') ? await measureStarts(root, run.folder, rounds) : [];
  if (starts.length > 0) console.log(`\n${startTable(starts)}\n`);
  return processSection({ memory, starts, document });
}

/** @param {Systems} systems @param {Postgres} postgres */
async function measureGrowth({ bare, keepingTokens, service, services }, postgres) {
  const datasets = [];
  for (const scale of run.options.scales.toSorted((a, b) => a.rows - b.rows)) {
    datasets.push(await fill(scale, service, postgres));
  }
  const report = await compareSizes(run, { bare, keepingTokens, service, services }, datasets, postgres);
  if (run.options.write) await writeGrowth(report);
  const table = growthTable(report);
  console.log(`\n${table}\n`);
  return `## Growth with the number of units\n\nRequests per second. All sizes were measured in turn.\n\n${table}`;
}

/** @param {Systems} systems @param {Postgres} postgres */
async function measureProcesses({ service }, postgres) {
  const dataset = await fill(run.options.scales[0], service, postgres);
  const table = processesTable(await compareProcesses(run, postgres, service, dataset));
  console.log(`\n${table}\n`);
  const about = `Each process has 10 database connections. The load generator and PostgreSQL use the same processors, so their CPU time is shown too. The last column shows how many requests each process answered.`;
  return `## Several processes (\`WORKERS\`)\n\n${about}\n\n${table}`;
}

/** @param {Systems} systems @param {Postgres} postgres */
async function measurePeers({ service }, postgres) {
  const dataset = await fill(run.options.scales[0], service, postgres);
  const report = await comparePeers(run, service, dataset, postgres);
  const text = peersText(report);
  console.log(`\n${text}\n`);
  return `## Other programs, with ${dataset.cities.length.toLocaleString('en-US')} cities\n\n${PEERS_ABOUT}\n\n${text}`;
}

/** Which section of RESULTS.md a run writes, and how. */
function partOf({ processes, peers, scales } = run.options) {
  if (processes.length > 0) return { name: 'processes', measure: measureProcesses };
  if (peers.length > 0) return { name: 'peers', measure: measurePeers };
  if (scales.length > 1) return { name: 'growth', measure: measureGrowth };
  return { name: 'process', measure: measureMain };
}

/** Writes a section of RESULTS.md as soon as it is measured. @param {string} name @param {string} text @param {Postgres} postgres */
async function record(name, text, postgres) {
  if (!run.options.write) return;
  await writeSection(name, `${text}\n\n${aboutRun(run, postgres)}`);
  run.log(`written: bench/RESULTS.md, ${name}`);
}

async function measureAll() {
  /** @type {{ isFresh(): boolean, build(): Promise<void> }} */
  const { isFresh, build } = await import(join(root, 'scripts', 'build.mjs'));
  if (!isFresh()) await build();
  const postgres = await run.startPostgres();
  const systems = await startSystems(run, postgres);
  run.log(`PostgreSQL ${postgres.version} and the systems run; load with ${run.tool}`);
  const { name, measure } = partOf();
  const text = await measure(systems, postgres);
  if (text !== '') await record(name, text, postgres);
}

const run = await Run.create(readOptions(process.argv.slice(2)));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void run.cleanUp().finally(() => process.exit(130)));
}
try {
  await measureAll();
} finally {
  await run.cleanUp();
}
