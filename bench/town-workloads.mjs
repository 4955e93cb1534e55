/** The workloads with related units and search: requests and expected answers. */
import assert from 'node:assert/strict';
import { NATION, TOWN } from './towns.mjs';

const PAGE = 50;
const LARGE = 1_000_000;

/** @param {readonly import('./cities.mjs').City[]} cities @returns {import('./workloads.mjs').Workload[]} */
export function townWorkloads(cities) {
  /** @type {Map<string, number>} */
  const nations = new Map();
  for (const { country } of cities) nations.set(country, (nations.get(country) ?? 0) + 1);
  const large = new Set(cities.filter(({ population }) => population > LARGE).map(({ country }) => country));
  const most = [...nations.values()].sort((a, b) => b - a);
  const found = cities.filter(({ name }) => {
    const words = new Set(name.toLowerCase().split(/[^\p{L}\p{N}]+/u));
    return words.has('san') && words.has('juan');
  });
  /** @param {string} id @param {string} title @param {number} target @param {string} path @param {(content: any) => void} check */
  const list = (id, title, target, path, check) => {
    const requests = [{ method: 'GET', path: `/api/lib/${path}&limit=50` }];
    return { id, title, target, writes: false, requests, samples: requests, check };
  };
  const related = `${TOWN}.land`;
  return [
    list(
      'E1',
      'list 50 countries with a large city: exists',
      0.9,
      `${NATION}/unit?filter=exists(${related},gt(inhabitants,${LARGE}))&include=code`,
      ({ count }) => assert.equal(count, large.size),
    ),
    list(
      'E2',
      'list 50 countries by their number of cities: count_related',
      0.9,
      `${NATION}/unit?include=[code,towns:count_related(${related})]&order=-count_related(${related})`,
      ({ items }) =>
        assert.deepEqual(
          items.map((/** @type {any} */ { towns }) => towns),
          most.slice(0, PAGE),
        ),
    ),
    list(
      'E3',
      'list 50 countries with their three largest cities: related',
      0.9,
      `${NATION}/unit?include=[code,largest:related(${related},order=-inhabitants,limit=3)]`,
      ({ count, items }) => assert.deepEqual([count, items.length], [nations.size, PAGE]),
    ),
    list(
      'S1',
      'list 50 cities with two words in their names: search',
      0.8,
      `${TOWN}/unit?search=san+juan`,
      ({ count, items }) => assert.deepEqual([count, items.length], [found.length, PAGE]),
    ),
  ];
}
