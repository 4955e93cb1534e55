/** The workloads with links: requests and expected answers. */
import assert from 'node:assert/strict';
import { idOf, MADE } from './graph.mjs';

/**
 * @typedef {import('./workloads.mjs').Workload} Workload
 * @typedef {import('./graph.mjs').Graph} Graph
 * @typedef {import('./graph.mjs').Graphs} Graphs
 */

/** At most 1.5 times the time of bare. */
const TARGET = 0.67;
const COUNT_TARGET = 0.9;
/** Values are validated and locks taken before the one statement that SQL by hand is. */
const MANY_TARGET = 0.5;
/** Links of one request, and requests. */
const MANY = 1000;
const MANY_REQUESTS = 20;
const PAGE = 100;
/** Enough links that none is created twice in one measurement. */
const LINKS = 100_000;
const SAMPLES = 5;

/** Units of the second level of the tree: a thousand and more below each. */
const INNER = Array.from({ length: 100 }, (_, at) => 11 + at);
const ANY = Array.from({ length: 1000 }, (_, at) => Math.floor(((at * 0.618034) % 1) * 100_000));
/** The number of requests for slow traversals. */
const SLOW = 5;

/** @param {Graphs} graphs @returns {Workload[]} */
export function graphWorkloads({ tree, random, hub }) {
  return [
    walk('L1', 'tree: neighbours', tree, INNER, 0),
    walk('L2', 'tree: three steps, 1,110 units', tree, INNER, 2),
    walk('L3', 'tree: all 111,110 units', tree, Array(SLOW).fill(0), 5),
    walk('L4', 'random links: neighbours', random, ANY, 0),
    walk('L5', 'random links: three steps, 1,110 units', random, ANY, 2),
    walk('L6', 'random links: six steps, nearly all 100,000 units', random, ANY.slice(0, SLOW), 5),
    linking(random),
    walk('L8', 'hub: 100 of 1,000 neighbours', hub, [0], 0),
    linkCounts(random),
    linkingMany(random),
  ];
}

/**
 * @param {string} id
 * @param {string} title
 * @param {Graph} graph
 * @param {readonly number[]} starts
 * @param {number} depth
 * @returns {Workload}
 */
function walk(id, title, graph, starts, depth) {
  const query = depth === 0 ? '' : `?depth=${depth}`;
  const requests = starts.map((start) => ({
    method: 'GET',
    path: `/api/lib/${graph.kind}/unit/${idOf(start)}/link/child${query}`,
  }));
  return {
    id,
    title: `${title}, page and count`,
    target: TARGET,
    writes: false,
    slow: starts.length === SLOW,
    requests,
    samples: requests.slice(0, starts.length === SLOW ? 1 : SAMPLES),
    check: ({ count, items }, sample) => {
      assert.equal(count, graph.within(starts[sample], depth + 1));
      assert.equal(items.length, Math.min(PAGE, count));
    },
  };
}

/** A thousand links of one unit at once. @param {Graph} graph @returns {Workload} */
function linkingMany({ kind, units }) {
  const others = Array.from({ length: MANY }, (_, at) => idOf(units - 1 - at));
  const body = JSON.stringify({ items: others.map((id) => ({ kind_id: kind, id })) });
  const requests = Array.from({ length: MANY_REQUESTS }, (_, at) => {
    return { method: 'POST', path: `/api/lib/${kind}/unit/${idOf(at)}/link/${MADE}/child`, body };
  });
  return {
    id: 'L10',
    title: `make ${MANY} links of one unit at once`,
    target: MANY_TARGET,
    writes: true,
    slow: true,
    requests,
    samples: requests.slice(0, 1),
    check: ({ items }) =>
      assert.deepEqual(
        items.map((/** @type {any} */ { child_id: id }) => id),
        others,
      ),
  };
}

/** A list with the numbers of links of each unit. @param {Graph} graph @returns {Workload} */
function linkCounts(graph) {
  const path = `/api/lib/${graph.kind}/unit?load_links=count&include=id&count=none&limit=${PAGE}`;
  const requests = [{ method: 'GET', path }];
  return {
    id: 'L9',
    title: `random links: list ${PAGE} units with their numbers of links: load_links=count`,
    target: COUNT_TARGET,
    writes: false,
    requests,
    samples: requests,
    check: ({ items }) =>
      assert.deepEqual(
        items.map((/** @type {any} */ { links }) => links.child.link ?? 0),
        Array.from({ length: PAGE }, (_, at) => graph.within(at, 1)),
      ),
  };
}

/** @param {Graph} graph @returns {Workload} */
function linking({ kind, units }) {
  const requests = Array.from({ length: LINKS }, (_, at) => {
    const [from, to] = [at % units, (at * 7919 + 1) % units].map(idOf);
    return { method: 'POST', path: `/api/lib/${kind}/unit/${from}/link/${MADE}/${kind}/unit/${to}` };
  });
  return {
    id: 'L7',
    title: 'make a link',
    target: TARGET,
    writes: true,
    requests,
    samples: requests.slice(0, SAMPLES),
    check: (content, sample) => {
      const [, from, to] = /unit\/([^/]+)\/.*unit\/(.+)$/.exec(requests[sample].path) ?? [];
      assert.deepEqual({ ...content, parent_id: from, child_id: to, link_id: MADE }, content);
    },
  };
}
