/** The workloads: requests and expected answers. */
import assert from 'node:assert/strict';
import { copiedName } from './cities.mjs';

/**
 * @typedef {import('./load.mjs').LoadRequest} LoadRequest
 * @typedef {import('./dataset.mjs').Dataset} Dataset
 * @typedef {import('./cities.mjs').City} City
 * @typedef {City & { id: string }} Unit
 * @typedef {ReturnType<import('./cities.mjs').Cities['matching']>} Matching
 * @typedef {Unit & { count: number, items: Unit[] }} Content of a unit or of a page of units
 * @typedef {object} Workload
 * @property {string} id
 * @property {string} title
 * @property {number} target the least ratio to bare
 * @property {boolean} writes
 * @property {readonly LoadRequest[]} requests sent in turn, over and over
 * @property {boolean} [slow] a request takes so long that each is sent once, one after the other
 * @property {readonly LoadRequest[]} samples whose answers are checked
 * @property {(content: Content, sample: number) => void} check throws where a content is not right
 */

export const DIFFERENT_REQUESTS = 2000;
const SAMPLES = 20;
export const PAGE = 50;
export const COUNTRIES = ['US', 'IN', 'BR'];
export const POPULATION = 100_000;

/** The names of a city's copies, as bytes, which PostgreSQL compares. @param {string} name @param {number} copies */
function copiesOf(name, copies) {
  return Array.from({ length: copies }, (_, copy) => Buffer.from(copiedName(name, copy)));
}

/** @param {number} length @param {number} wanted so many positions, spread over the whole list, in no order */
export function positions(length, wanted) {
  return Array.from({ length: wanted }, (_, at) => Math.floor(((at * 0.618034) % 1) * length));
}

/** @param {Record<string, unknown>} content @param {Record<string, unknown> | undefined} fields that it must have */
function assertHas(content, fields) {
  assert.deepEqual({ ...content, ...fields }, content);
}

/** @param {Dataset} dataset @returns {Workload[]} */
export function workloadsOf(dataset) {
  const all = [getById(dataset), ...lists(dataset), create(dataset), edit(dataset), groupByCountry(dataset)];
  return all.sort((a, b) => a.id.localeCompare(b.id));
}

/** @param {Dataset} dataset @returns {Workload} */
function getById(dataset) {
  const chosen = positions(dataset.cities.length, DIFFERENT_REQUESTS);
  const requests = chosen.map((at) => ({ method: 'GET', path: `/api/lib/${dataset.city}/unit/${dataset.idOf(at)}` }));
  return {
    id: 'W1',
    title: 'get one by id',
    target: 0.7,
    writes: false,
    requests,
    samples: requests.slice(0, SAMPLES),
    check: (content, sample) => assertHas(content, dataset.cities.at(chosen[sample])),
  };
}

/** @param {Dataset} dataset @returns {Workload[]} */
function lists({ city, cities }) {
  /**
   * @param {Pick<Workload, 'id' | 'title' | 'target'>} about
   * @param {string} query
   * @param {(city: City) => boolean} matches
   * @param {(items: Unit[], matching: Matching['found']) => void} checkItems
   * @returns {Workload}
   */
  const list = (about, query, matches, checkItems) => {
    const requests = [{ method: 'GET', path: `/api/lib/${city}/unit?${query}limit=50` }];
    const matching = cities.matching(matches);
    /** @param {Content} content */
    const check = ({ count, items }) => {
      assert.equal(count, matching.count);
      assert.equal(items.length, Math.min(PAGE, count));
      checkItems(items, matching.found);
    };
    return { ...about, writes: false, requests, samples: requests, check };
  };
  return [
    list(
      { id: 'W2', title: 'list 50 of a country, largest first, count', target: 0.9 },
      'filter=eq(country,US)&order=population;desc&',
      ({ country }) => country === 'US',
      (items, matching) => {
        const largest = matching.flatMap(({ city: { population }, copies }) => Array(copies).fill(population));
        assert.deepEqual(
          items.map(({ population }) => population),
          largest.sort((a, b) => b - a).slice(0, PAGE),
        );
      },
    ),
    list(
      { id: 'W3', title: 'list 50 of all, count', target: 8 },
      '',
      () => true,
      (items) =>
        assert.deepEqual(
          items,
          items.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        ),
    ),
    list(
      { id: 'W7', title: 'list 50 whose name contains "san", any case, count', target: 0.9 },
      'filter=icontains(name,san)&',
      ({ name }) => /san/i.test(name),
      (items) => assert.ok(items.every(({ name }) => /san/i.test(name))),
    ),
    list(
      { id: 'W8', title: 'list 50 large ones of three countries, by name, count', target: 0.9 },
      `filter=and(gt(population,${POPULATION}),in(country,${COUNTRIES.join(',')}))&order=name;asc&`,
      ({ population, country }) => population > POPULATION && COUNTRIES.includes(country),
      (items, matching) => {
        const names = matching.flatMap(({ city: { name }, copies }) => copiesOf(name, copies)).sort(Buffer.compare);
        assert.deepEqual(
          items.map(({ name }) => name),
          names.slice(0, PAGE).map(String),
        );
      },
    ),
  ];
}

/** @param {Dataset} dataset @returns {Workload} */
function groupByCountry({ city, cities }) {
  const query = 'group=country&select=[count(),sum(population),avg(population)]&limit=1000';
  const requests = [{ method: 'GET', path: `/api/lib/${city}/aggregate?${query}` }];
  /** @type {Map<string, { count: number, sum: number }>} */
  const expected = new Map();
  for (const { city: each, copies } of cities.matching(() => true).found) {
    const { count, sum } = expected.get(each.country) ?? { count: 0, sum: 0 };
    expected.set(each.country, { count: count + copies, sum: sum + copies * each.population });
  }
  /** @param {any} content groups in place of units */
  const check = ({ count, items }) => {
    assert.equal(count, expected.size);
    assert.equal(items.length, expected.size);
    for (const item of items) {
      const { count: units, sum } = expected.get(item.country) ?? { count: 0, sum: 0 };
      assert.deepEqual([item.count, item.sum_population], [units, sum]);
      assert.ok(Math.abs(Number(item.avg_population) - sum / units) < 0.001);
    }
  };
  return {
    id: 'A1',
    title: 'group all by country: count, sum and average',
    target: 0.9,
    writes: false,
    requests,
    samples: requests,
    check,
  };
}

/** @param {Dataset} dataset @returns {Workload} */
function create({ place, cities }) {
  const bodies = positions(cities.length, DIFFERENT_REQUESTS).map((at) => cities.at(at));
  const requests = bodies.map((body) => ({
    method: 'POST',
    path: `/api/lib/${place}/unit`,
    body: JSON.stringify(body),
  }));
  return {
    id: 'W4',
    title: 'create one',
    target: 0.6,
    writes: true,
    requests,
    samples: requests.slice(0, SAMPLES),
    check: (content, sample) => assertHas(content, bodies[sample]),
  };
}

/** @param {Dataset} dataset @returns {Workload} */
function edit(dataset) {
  const { place, cities } = dataset;
  const chosen = positions(cities.length, DIFFERENT_REQUESTS * 3);
  const changed = chosen.map((at, turn) => cities.at(at).population + turn);
  const requests = chosen.map((at, turn) => ({
    method: 'PUT',
    path: `/api/lib/${place}/unit/${dataset.idOf(at)}`,
    body: JSON.stringify({ population: changed[turn] }),
  }));
  return {
    id: 'W5',
    title: 'edit one field',
    target: 0.6,
    writes: true,
    requests,
    samples: requests.slice(0, SAMPLES),
    check: (content, sample) => assertHas(content, { ...cities.at(chosen[sample]), population: changed[sample] }),
  };
}
