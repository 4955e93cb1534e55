/**
 * Upserts of units that are there already, each of which changes, on a table of their own: U1 arrays of 1,000, U2 one CSV
 * file, beside COPY to a temporary table and one INSERT … ON CONFLICT from it.
 */
import assert from 'node:assert/strict';
import { createInBulk } from './bulk.mjs';
import { asSystem, logged } from './compare.mjs';
import { BULK } from './dataset.mjs';
import { inTurn, withCpu } from './measure.mjs';
import { cell, copyBy, partsOf, request, withClient } from './transfer.mjs';
import { waitUntilQuiet } from './quiet.mjs';
import { warmUp } from './warm-up.mjs';

const KIND = 'upserted';
const ARRAYS = 20;
const TARGET = 0.3;
const FILE_TARGET = 0.3;

/**
 * Values that none of the units has now: those of a turn, which differ from those of the turn before.
 * @param {readonly import('./cities.mjs').City[]} cities
 * @param {number} turn
 */
function unitsOf(cities, turn) {
  return cities.map(({ name, population }, at) => ({
    external_id: `c${at}`,
    town_name: name,
    inhabitants: population + (turn % 2),
  }));
}

/**
 * The requests that give all units these values.
 * @param {readonly import('./cities.mjs').City[]} cities
 * @param {number} turn
 */
function requestsOf(cities, turn) {
  const units = unitsOf(cities, turn);
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
 * @returns {Promise<import('./report.mjs').Row[]>}
 */
export async function compareUpserts(run, all, service, systems, postgres) {
  const cities = all.slice(0, ARRAYS * BULK);
  const parameters = [
    { id: 'external_id', kind_id: 'string', unique: true },
    { id: 'town_name', kind_id: 'string' },
    { id: 'inhabitants', kind_id: 'integer' },
  ];
  await service.call('POST', '/kind/unit', { id: KIND, parameters });
  let turn = 0;
  const upsertAll = async (/** @type {import('./measure.mjs').System} */ system) => {
    const requests = requestsOf(cities, (turn += 1));
    return withCpu(system, postgres, () => createInBulk(system, requests));
  };
  await upsertAll(asSystem(service));
  const table = `"project_${service.project}"."${KIND}"`;
  await postgres.client.query(['VACUUM ANALYZE', table].join(' '));
  const measured = [];
  if (run.wants('U1')) {
    for (const system of systems) await check(system, requestsOf(cities, (turn += 1))[0]);
    const figures = await turns(run, systems, postgres, upsertAll);
    const title = 'upsert what is there, arrays of 1000, rows';
    measured.push(logged(run, { id: 'U1', title, target: TARGET, unit: 'rows', figures }));
  }
  if (run.wants('U2')) {
    const parties = [
      { name: 'COPY', child: { pid: process.pid }, url: postgres.url, headers: {} },
      ...systems.slice(1).map(asSystem),
    ];
    const figures = await turns(run, parties, postgres, (party) => {
      const units = unitsOf(cities, (turn += 1));
      const file = partsOf([
        'external_id,town_name,inhabitants\n',
        ...units.map((unit) => `${Object.values(unit).map(cell).join()}\n`),
      ]);
      const upserted = () => (party === parties[0] ? copyOver(party.url, table, file) : importOver(party, file));
      return withCpu(party, postgres, async () => {
        const started = performance.now();
        const count = await upserted();
        assert.equal(count, cities.length, `U2, ${party.name}`);
        return { count, seconds: (performance.now() - started) / 1000 };
      });
    });
    const title = 'upsert what is there by an import, CSV';
    measured.push(logged(run, { id: 'U2', title, target: FILE_TARGET, unit: 'rows', figures }));
  }
  return measured;
}

/**
 * @template {import('./measure.mjs').System} S
 * @param {import('./run.mjs').Run} run
 * @param {readonly S[]} systems
 * @param {import('./postgres.mjs').Postgres} postgres
 * @param {(system: S) => ReturnType<typeof withCpu<{ count: number, seconds: number }>>} upsertAll
 */
function turns({ options: { rounds, warmup, quiet } }, systems, postgres, upsertAll) {
  return inTurn(systems, rounds, async (system, first) => {
    if (first && warmup > 0) await warmUp(() => upsertAll(system));
    await postgres.whenIdle();
    await waitUntilQuiet(quiet);
    return upsertAll(system);
  });
}

/** @param {import('./measure.mjs').System} system @param {readonly Buffer[]} file */
async function importOver(system, file) {
  const path = `/api/lib/${KIND}/import?on_conflict=update&by=external_id`;
  return JSON.parse((await request(system, path, file)).text).content.updated;
}

/** @param {string} url @param {string} table @param {readonly Buffer[]} file @returns {Promise<number>} rows */
function copyOver(url, table, file) {
  return withClient(url, async (client) => {
    await client.query('CREATE TEMP TABLE given (external_id text, town_name text, inhabitants bigint)');
    await copyBy(client, 'COPY given FROM STDIN (FORMAT csv, HEADER)', file);
    const { rowCount } = await client.query(
      `INSERT INTO TABLE (id, external_id, town_name, inhabitants, metadata, inserted_at, updated_at)
        SELECT gen_random_uuid(), external_id, town_name, inhabitants, '{}', now(), now() FROM given
        ON CONFLICT (external_id) DO UPDATE
        SET town_name = excluded.town_name, inhabitants = excluded.inhabitants, updated_at = excluded.updated_at`.replace(
        'TABLE',
        table,
      ),
    );
    return rowCount ?? 0;
  });
}
