/** Bulk creates: arrays of 1,000 units, a few at a time, measured until the end of the last answer. */
import assert from 'node:assert/strict';
import http from 'node:http';
import { BULK } from './dataset.mjs';

const PARALLEL = 4;
const MAX_BODIES = 100;

/** @param {import('./dataset.mjs').Dataset} dataset */
export function bulkRequests({ place, cities }) {
  const bodies = Math.min(MAX_BODIES, Math.ceil(cities.length / BULK));
  return Array.from({ length: bodies }, (_, at) => ({
    method: 'POST',
    path: `/api/lib/${place}/unit`,
    body: JSON.stringify(cities.slice(at * BULK, (at + 1) * BULK)),
  }));
}

/**
 * The check of one body, for `checkAnswers`.
 * @param {import('./dataset.mjs').Dataset} dataset
 */
export function bulkWorkload(dataset) {
  const expected = dataset.cities.slice(0, BULK);
  return {
    id: 'bulk',
    writes: true,
    samples: bulkRequests(dataset).slice(0, 1),
    /** @param {import('./workloads.mjs').Content} content */
    check: ({ count, items }) => {
      assert.equal(count, expected.length);
      for (const [at, item] of items.entries()) assert.deepEqual({ ...item, ...expected[at] }, item);
    },
  };
}

/**
 * @param {import('./measure.mjs').System} system
 * @param {readonly import('./load.mjs').LoadRequest[]} requests
 * @returns {Promise<{ count: number, seconds: number }>} rows, and the time they took
 */
export async function createInBulk(system, requests) {
  return { count: requests.length * BULK, seconds: await sendOnce(system, requests, PARALLEL) };
}

/**
 * Sends each request once, a few at a time; returns the duration in seconds.
 * @param {import('./measure.mjs').System} system
 * @param {readonly import('./load.mjs').LoadRequest[]} requests
 * @param {number} parallel
 */
export async function sendOnce({ url, headers }, requests, parallel) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: parallel });
  const waiting = [...requests];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await send(agent, url, headers, next);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: parallel }, worker));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return seconds;
}

/**
 * Answers are read to their end and discarded, because work in this process slows the systems down.
 * @param {http.Agent} agent
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {import('./load.mjs').LoadRequest} request
 * @returns {Promise<void>}
 */
function send(agent, url, headers, { method, path, body }) {
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { agent, method, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${method} ${path}: ${response.statusCode}`));
      response.on('end', resolve).on('error', reject).resume();
    });
    request.on('error', reject).end(body);
  });
}
