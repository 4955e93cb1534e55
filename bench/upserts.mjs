/** Upserts: arrays of 1,000 units that are there already, each of which changes, on a table of their own. */
import assert from 'node:assert/strict';
import { createInBulk } from './bulk.mjs';
import { asSystem, logged } from './compare.mjs';
import { BULK } from './dataset.mjs';
import { inTurn, withCpu } from './measure.mjs';
import { waitUntilQuiet } from './quiet.mjs';
import { warmUp } from './warm-up.mjs';

const KIND = 'upserted';
const ARRAYS = 20;
const TARGET = 0.3;

/**
 * The requests that give all units values that none of them has now: those of a turn, which differ from those of the
 * turn before.
 * @param {readonly import('./cities.mjs').City[]} cities
 * @param {number} turn
 */
function requestsOf(cities, turn) {
  const units = cities.map(({ name, population }, at) => ({
    external_id: `c${at}`,
    title: name,
    inhabitants: population + (turn % 2),
  }));
  return Array.from({ length: Math.ceil(units.length / BULK) }, (_, at) => ({
    method: 'POST',
    path: `/api/lib/${KIND}/unit?on_conflict=update&by=external_id`,
    body: JSON.stringify(units.slice(at * BULK, (at + 1) * BULK)),
  }));
}

/**
 * Sends one request. @throws if a unit of the answer has not the values of the body
 * @param {import('./systems.mjs').System} system
 * @param {ReturnType<typeof requestsOf>[number]} request
 */
async function check({ name, url, headers }, { method, path, body }) {
  const response = await fetch(url + path, { method, headers, body });
  const { content } = /** @type {any} */ (await response.json());
  const expected = JSON.parse(body);
  assert.equal(content?.count, expected.length, `U1, ${name}: ${response.status}`);
  for (const [at, item] of content.items.entries()) assert.deepEqual({ ...item, ...expected[at] }, item);
  assert.ok((content.results ?? []).every((/** @type {string} */ result) => result === 'updated'));
}

/**
 * @param {import('./run.mjs').Run} run
 * @param {readonly import('./cities.mjs').City[]} all
 * @param {import('./service.mjs').Service} service
 * @param {readonly import('./systems.mjs').System[]} systems
 * @param {import('./postgres.mjs').Postgres} postgres
 * @returns {Promise<import('./report.mjs').Row>}
 */
export async function compareUpserts(run, all, service, systems, postgres) {
  const cities = all.slice(0, ARRAYS * BULK);
  const parameters = [
    { id: 'external_id', kind_id: 'string', unique: true },
    { id: 'title', kind_id: 'string' },
    { id: 'inhabitants', kind_id: 'integer' },
  ];
  await service.call('POST', '/kind/unit', { id: KIND, parameters });
  let turn = 0;
  const upsertAll = async (/** @type {import('./measure.mjs').System} */ system) => {
    const requests = requestsOf(cities, (turn += 1));
    return withCpu(system, postgres, () => createInBulk(system, requests));
  };
  await upsertAll(asSystem(service));
  await postgres.client.query('VACUUM ANALYZE UPSERTED'.replace('UPSERTED', `"project_${service.project}"."${KIND}"`));
  for (const system of systems) await check(system, requestsOf(cities, (turn += 1))[0]);
  const { rounds, warmup, quiet } = run.options;
  const figures = await inTurn(systems, rounds, async (system, first) => {
    if (first && warmup > 0) await warmUp(() => upsertAll(system));
    await postgres.whenIdle();
    await waitUntilQuiet(quiet);
    return upsertAll(system);
  });
  const title = 'upsert what is there, arrays of 1000, rows';
  return logged(run, { id: 'U1', title, target: TARGET, unit: 'rows', figures });
}
