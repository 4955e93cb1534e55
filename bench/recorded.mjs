/** The cost of recording changes: writes of a kind that records them, compared with those of the same kind without. */
import assert from 'node:assert/strict';
import { INDEXES } from './cities.mjs';
import { BULK } from './dataset.mjs';
import { positions } from './workloads.mjs';

/**
 * @typedef {import('./load.mjs').LoadRequest} LoadRequest
 * @typedef {object} RecordedWorkload
 * @property {string} id
 * @property {string} title
 * @property {number} target the least ratio of writes that are recorded to those that are not
 * @property {boolean} empty whether each turn begins with empty tables
 * @property {boolean} bulk whether each request is sent once and has `BULK` units
 * @property {(kind: string) => LoadRequest[]} requests
 */

/** Without and with. */
export const KINDS = ['unrecorded_place', 'recorded_place'];
const DIFFERENT_REQUESTS = 2000;
/** Units that are edited. */
const EDITED = 20_000;
const MAX_BODIES = 50;

/**
 * Defines both kinds, with the parameters and indexes of the cities.
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./service.mjs').Service} service
 */
export async function makeRecorded({ parameters, cities }, service) {
  for (const [at, id] of KINDS.entries()) {
    const kind = { id, parameters: parameters.map((parameter) => parameter.id), indexes: INDEXES };
    await service.call('POST', '/kind/unit', { ...kind, changes: at === 0 ? 'none' : 'feed' });
  }
  // It does what it is there for, and the other one does not.
  const [, recorded = ''] = KINDS;
  const { next } = await service.call('GET', `/changes?kinds=[${recorded}]`);
  await service.call('POST', `/${recorded}/unit`, cities.at(0));
  const { items } = await service.call('GET', `/changes?kinds=[${recorded}]&since=${next}`);
  assert.equal(items.length, 1);
  assert.equal(items[0].unit.name, cities.at(0).name);
}

/**
 * Makes both tables alike: empty, or with the same units, which are not recorded.
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {boolean} empty
 */
export async function resetRecorded({ postgres, schema, city }, empty) {
  /** @param {string} text */
  const run = (text) => postgres.client.query(text);
  for (const table of [...KINDS, '_outbox', '_change']) await run(`TRUNCATE "${schema}"."${table}"`);
  for (const kind of KINDS) {
    const table = `"${schema}"."${kind}"`;
    if (!empty) await run(`INSERT INTO ${table} SELECT * FROM "${schema}"."${city}" ORDER BY id LIMIT ${EDITED}`);
    await run(`VACUUM ANALYZE ${table}`);
    await postgres.repairCount(schema, kind);
  }
  await run('CHECKPOINT');
}

/** @param {import('./dataset.mjs').Dataset} dataset @returns {RecordedWorkload[]} */
export function recordedWorkloads(dataset) {
  const { cities } = dataset;
  const bodies = Array.from({ length: DIFFERENT_REQUESTS }, (_, at) => JSON.stringify(cities.at(at)));
  const edited = positions(Math.min(EDITED, cities.length), DIFFERENT_REQUESTS * 3);
  const arrays = Array.from({ length: Math.min(MAX_BODIES, Math.ceil(cities.length / BULK)) }, (_, at) =>
    JSON.stringify(cities.slice(at * BULK, (at + 1) * BULK)),
  );
  /** @param {string} kind @param {string} body */
  const create = (kind, body) => ({ method: 'POST', path: `/api/lib/${kind}/unit`, body });
  /** @param {string} kind @param {number} at @param {number} turn */
  const edit = (kind, at, turn) => ({
    method: 'PUT',
    path: `/api/lib/${kind}/unit/${dataset.idOf(at)}`,
    body: JSON.stringify({ population: cities.at(at).population + turn }),
  });
  return [
    {
      ...{ id: 'C1', title: 'create one, recorded', target: 0.92, empty: true, bulk: false },
      requests: (kind) => bodies.map((body) => create(kind, body)),
    },
    {
      ...{ id: 'C2', title: 'edit one field, recorded', target: 0.92, empty: false, bulk: false },
      requests: (kind) => edited.map((at, turn) => edit(kind, at, turn)),
    },
    {
      ...{ id: 'C3', title: 'create, arrays of 1000, recorded, rows', target: 0.85, empty: true, bulk: true },
      requests: (kind) => arrays.map((body) => create(kind, body)),
    },
  ];
}
