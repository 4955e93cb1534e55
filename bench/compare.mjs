/** Comparisons of systems: answers are checked, then each system is put under load in turn. */
import { join } from 'node:path';
import { bulkRequests, bulkWorkload, createInBulk, sendOnce } from './bulk.mjs';
import { checkAnswers } from './check.mjs';
import { FUNCTION_TARGET, functionRequests, makeFunction } from './functions.mjs';
import { emptyGuarded, GUARDED_TARGET, guardedRequests, makeGuarded } from './guarded.mjs';
import { putLoad } from './load.mjs';
import { inTurn, withCpu } from './measure.mjs';
import { waitUntilQuiet } from './quiet.mjs';
import { makeRecorded, KINDS, recordedWorkloads, resetRecorded } from './recorded.mjs';
import { checkAlike, comparisonsOf, makeReader, RULE_TARGET } from './rules.mjs';
import { warmUp } from './warm-up.mjs';

/**
 * @typedef {import('./run.mjs').Run} Run
 * @typedef {import('./postgres.mjs').Postgres} Postgres
 * @typedef {import('./systems.mjs').System} System
 * @typedef {import('./measure.mjs').System & { requests: readonly import('./load.mjs').LoadRequest[] }} LoadedSystem
 */

/**
 * @param {Run} run
 * @param {import('./workloads.mjs').Workload} workload
 * @param {readonly System[]} systems
 * @param {() => Promise<void>} reset undoes what a workload writes
 * @param {Postgres} postgres
 * @returns {Promise<import('./report.mjs').Row>}
 */
export async function compare(run, workload, systems, reset, postgres) {
  const { id, title, target, writes, requests, slow = false } = workload;
  const prepare = () => (writes ? reset() : Promise.resolve());
  await checkAnswers(workload, systems, prepare);
  const loaded = systems.map((system) => ({ ...asSystem(system), requests }));
  const figures = await underLoad(run, loaded, postgres, prepare, slow);
  return logged(run, { id, title, target, unit: 'requests', figures });
}

/** @param {System} system @returns {import('./measure.mjs').System} */
export function asSystem({ name, url, headers, child }) {
  return { name, url, headers, child };
}

/** @param {Run} run @param {import('./report.mjs').Row} row */
export function logged(run, row) {
  const rates = row.figures.map(({ name, rate }) => `${name} ${rate.toFixed(rate < 10 ? 1 : 0)}/s`);
  run.log(`${row.id}: ${rates.join(', ')}`);
  return row;
}

/**
 * Puts load on each system in turn, with the requests of that system.
 * @param {Run} run
 * @param {readonly LoadedSystem[]} systems
 * @param {Postgres} postgres
 * @param {() => Promise<void>} [prepare]
 * @param {boolean} [slow] each request is sent once, one after the other
 */
export function underLoad({ options, tool, folder }, systems, postgres, prepare = async () => {}, slow = false) {
  const { rounds, seconds, warmup } = options;
  return inTurn(systems, rounds, async (system, first) => {
    const { requests, url, headers } = system;
    const load = { url, headers, requests, folder };
    /** @param {number} duration seconds */
    const loaded = (duration) =>
      withCpu(system, postgres, async () => {
        const result = await putLoad(tool, { ...load, seconds: duration });
        return { ...result, count: result.requests };
      });
    if (first && warmup > 0 && !slow) {
      await warmUp(async () => {
        await prepare();
        return loaded(warmup);
      });
    }
    await prepare();
    await postgres.whenIdle();
    await waitUntilQuiet(options.quiet);
    if (!slow) return loaded(seconds);
    const sent = async () => ({ count: requests.length, seconds: await sendOnce(system, requests, 1) });
    return withCpu(system, postgres, sent);
  });
}

/**
 * The cost of a function: the service compared with itself.
 * @param {Run} run
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./service.mjs').Service} service
 * @param {Postgres} postgres
 */
export async function compareFunction(run, dataset, service, postgres) {
  await makeFunction(dataset, service, join(run.folder, service.name, 'functions'));
  const { get, call } = functionRequests(dataset);
  const loaded = [
    { ...asSystem(service), name: 'get one by id', requests: get },
    { ...asSystem(service), name: 'an empty function', requests: call },
  ];
  const figures = await underLoad(run, loaded, postgres);
  return logged(run, {
    ...{ id: 'F1', title: 'call an empty function', target: FUNCTION_TARGET, unit: 'requests' },
    figures,
  });
}

/**
 * The cost of transitions and checks: the service compared with itself.
 * @param {Run} run
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./service.mjs').Service} service
 * @param {Postgres} postgres
 */
export async function compareGuarded(run, dataset, service, postgres) {
  await makeGuarded(dataset, service);
  const { plain, guarded } = guardedRequests(dataset);
  const loaded = [
    { ...asSystem(service), name: 'without', requests: plain },
    { ...asSystem(service), name: 'with', requests: guarded },
  ];
  const figures = await underLoad(run, loaded, postgres, () => emptyGuarded(dataset));
  const title = 'create one, with transitions and checks';
  return logged(run, { id: 'G1', title, target: GUARDED_TARGET, unit: 'requests', figures });
}

/**
 * The cost of a rule: the service compared with itself.
 * @param {Run} run
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./service.mjs').Service} service
 * @param {Postgres} postgres
 */
export async function compareRules(run, dataset, service, postgres) {
  const comparisons = comparisonsOf(dataset).filter(({ id }) => run.wants(id));
  if (comparisons.length === 0) return [];
  const headers = await makeReader(dataset, service);
  const measured = [];
  for (const comparison of comparisons) {
    const { id, title, plain, ruled } = comparison;
    await checkAlike(comparison, service.url, headers);
    const reader = { ...asSystem(service), headers };
    const loaded = [
      { ...reader, name: 'without a rule', requests: plain },
      { ...reader, name: 'by a rule', requests: ruled },
    ];
    const figures = await underLoad(run, loaded, postgres);
    measured.push(logged(run, { id, title, target: RULE_TARGET, unit: 'requests', figures }));
  }
  return measured;
}

/**
 * @param {Run} run
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {readonly System[]} systems
 * @param {Postgres} postgres
 */
export async function compareBulk(run, dataset, systems, postgres) {
  await checkAnswers(bulkWorkload(dataset), systems, () => dataset.reset(true));
  const loaded = systems.map((system) => ({ ...asSystem(system), requests: bulkRequests(dataset) }));
  const figures = await inBulk(run, loaded, postgres, () => dataset.reset(true));
  return logged(run, { id: 'bulk', title: 'create, arrays of 1000, rows', target: 0.6, unit: 'rows', figures });
}

/**
 * Each system creates units in bulk in turn, with the requests of that system.
 * @param {Run} run
 * @param {readonly LoadedSystem[]} systems
 * @param {Postgres} postgres
 * @param {() => Promise<void>} prepare
 */
function inBulk({ options: { rounds, warmup, quiet } }, systems, postgres, prepare) {
  const created = async (/** @type {LoadedSystem} */ system) => {
    await prepare();
    await waitUntilQuiet(quiet);
    return withCpu(system, postgres, () => createInBulk(system, system.requests));
  };
  return inTurn(systems, rounds, async (system, first) => {
    if (first && warmup > 0) await warmUp(() => created(system));
    return created(system);
  });
}

/**
 * The cost of recording changes: the service compared with itself.
 * @param {Run} run
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./service.mjs').Service} service
 * @param {Postgres} postgres
 */
export async function compareRecorded(run, dataset, service, postgres) {
  const wanted = recordedWorkloads(dataset).filter(({ id }) => run.wants(id));
  if (wanted.length === 0) return [];
  await makeRecorded(dataset, service);
  const measured = [];
  for (const { id, title, target, empty, bulk, requests } of wanted) {
    const names = ['without', 'with'];
    const loaded = KINDS.map((kind, at) => ({ ...asSystem(service), name: names[at] ?? '', requests: requests(kind) }));
    const prepare = () => resetRecorded(dataset, empty);
    const figures = await (bulk ? inBulk(run, loaded, postgres, prepare) : underLoad(run, loaded, postgres, prepare));
    measured.push(logged(run, { id, title, target, unit: bulk ? 'rows' : 'requests', figures }));
  }
  return measured;
}
