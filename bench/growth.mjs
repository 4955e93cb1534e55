/** Growth: the same requests to tables of different sizes, all sizes in turn. */
import assert from 'node:assert/strict';
import { checkAnswers } from './check.mjs';
import { asSystem, logged, underLoad } from './compare.mjs';
import { PAGE, workloadsOf } from './workloads.mjs';

const WORKLOADS = ['W1', 'W2', 'W3', 'W8'];
/** The page far from the first one, or the middle one of a smaller table. */
const FAR_PAGE = 10_000;
const LARGEST_PAGE = 1000;
/** How many times slower the largest table may be than the smallest. */
const FLAT = 1.3;

/**
 * @typedef {object} Growth
 * @property {string} id
 * @property {string} title
 * @property {{ most?: number, ratio?: number }} target times slower from the smallest to the largest; ratio to the first
 *   system at each size
 * @property {{ name: string, figures: import('./measure.mjs').Figure[] }[]} systems figures in the order of sizes
 * @typedef {{ sizes: number[], measured: Growth[] }} GrowthReport
 * @typedef {import('./load.mjs').LoadRequest} LoadRequest
 */

/**
 * @param {import('./run.mjs').Run} run
 * @param {import('./systems.mjs').Systems} systems
 * @param {readonly import('./dataset.mjs').Dataset[]} datasets from the smallest to the largest
 * @param {import('./postgres.mjs').Postgres} postgres
 * @returns {Promise<GrowthReport>}
 */
export async function compareSizes(run, { bare, service }, datasets, postgres) {
  const measured = [];
  for (const id of WORKLOADS.filter((each) => run.wants(each))) {
    const workloads = datasets.map((dataset) => workloadsOf(dataset).find((each) => each.id === id));
    for (const workload of workloads) {
      if (workload) await checkAnswers(workload, [bare, service], () => Promise.resolve());
    }
    const requests = workloads.map((workload) => workload?.requests ?? []);
    const target = id === 'W1' || id === 'W3' ? { most: FLAT } : { ratio: 0.9 };
    const about = { id, title: workloads[0]?.title ?? '', target };
    measured.push(await measureSizes(run, about, [asSystem(bare), asSystem(service)], [requests, requests], postgres));
  }
  if (run.wants('cursor')) {
    const first = datasets.map(({ city }) => [firstPage(city)]);
    const far = [];
    for (const dataset of datasets) far.push([await farPage(service, dataset)]);
    const about = { id: 'cursor', title: 'list 50 of all by cursor', target: { most: FLAT } };
    const named = ['page 1', 'page 10,000'].map((name) => ({ ...asSystem(service), name }));
    measured.push(await measureSizes(run, about, named, [first, far], postgres));
  }
  return { sizes: datasets.map(({ cities }) => cities.length), measured };
}

/**
 * @param {import('./run.mjs').Run} run
 * @param {Pick<Growth, 'id' | 'title' | 'target'>} about
 * @param {readonly import('./measure.mjs').System[]} systems
 * @param {readonly (readonly (readonly LoadRequest[])[])[]} requests by system, then by size
 * @param {import('./postgres.mjs').Postgres} postgres
 * @returns {Promise<Growth>}
 */
async function measureSizes(run, about, systems, requests, postgres) {
  const sizes = requests[0].map((_, at) => at);
  const loaded = sizes.flatMap((size) => systems.map((system, at) => ({ ...system, requests: requests[at][size] })));
  const figures = await underLoad(run, loaded, postgres);
  logged(run, { id: about.id, title: about.title, target: undefined, unit: 'requests', figures });
  const bySystem = systems.map(({ name }, at) => ({
    name,
    figures: sizes.map((size) => figures[size * systems.length + at]),
  }));
  return { ...about, systems: bySystem };
}

/** @param {string} city @returns {LoadRequest} */
function firstPage(city) {
  return { method: 'GET', path: `/api/lib/${city}/unit?limit=${PAGE}&cursor=` };
}

/**
 * The request of a page far from the first one, found by following the cursors of larger pages. @throws if it is wrong
 * @param {import('./service.mjs').Service} service
 * @param {import('./dataset.mjs').Dataset} dataset
 * @returns {Promise<LoadRequest>}
 */
async function farPage(service, dataset) {
  const pages = dataset.cities.length / PAGE;
  const skipped = Math.min(FAR_PAGE - 1, Math.floor(pages / 2)) * PAGE;
  let cursor = '';
  for (let at = 0; at < skipped;) {
    const limit = Math.min(LARGEST_PAGE, skipped - at);
    const page = await service.call('GET', `/${dataset.city}/unit?include=id&limit=${limit}&cursor=${cursor}`);
    cursor = page.next;
    at += limit;
  }
  const path = `/${dataset.city}/unit?limit=${PAGE}&cursor=${cursor}`;
  const { count, items } = await service.call('GET', path);
  assert.equal(count, dataset.cities.length);
  /** @type {{ id: string }[]} */
  const units = items;
  assert.deepEqual(
    units.map(({ id }) => id),
    Array.from({ length: PAGE }, (_, at) => dataset.idOf(skipped + at)),
  );
  return { method: 'GET', path: `/api/lib${path}` };
}
