/** The cost of transitions and checks: a create of a kind that has them, compared with one of the same kind without. */
import assert from 'node:assert/strict';
import { INDEXES } from './cities.mjs';

/** The target: creates with them are at least so many times as fast as those without. */
export const GUARDED_TARGET = 0.95;

const [PLAIN, GUARDED] = ['plain_place', 'guarded_place'];
const DIFFERENT_REQUESTS = 2000;

const STATE = {
  ...{ id: 'state', kind_id: 'string', own: true, nullable: false },
  ...{ values: ['planned', 'founded', 'left'], default_string: 'planned' },
};
const TRANSITIONS = {
  initial: ['planned'],
  planned: ['founded', 'left'],
  founded: ['left', { to: 'planned', when: 'lt(population,1000)' }],
};
const CHECKS = [
  { id: 'names', filter: 'ne_field(name,admin_code)', text: 'A place is not called as its district' },
  { id: 'left', filter: 'or(ne(state,left),eq(population,0))', text: 'Nobody lives where all have left' },
];

/**
 * Defines both kinds, with the parameters and indexes of the cities.
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./service.mjs').Service} service
 */
export async function makeGuarded({ parameters, cities }, service) {
  const shared = parameters.map(({ id }) => id);
  const define = (/** @type {object} */ kind) => service.call('POST', '/kind/unit', { indexes: INDEXES, ...kind });
  await define({ id: PLAIN, parameters: [...shared, STATE] });
  await define({ id: GUARDED, parameters: [...shared, { ...STATE, transitions: TRANSITIONS }], checks: CHECKS });
  // They do what they are there for.
  const create = (/** @type {object} */ values) =>
    service.call('POST', `/${GUARDED}/unit`, { ...cities.at(0), state: 'planned', ...values });
  await assert.rejects(create({ name: 'A', admin_code: 'A' }), /unit\.check/);
  await assert.rejects(create({ state: 'founded' }), /parameter\.transition/);
}

/** @param {import('./dataset.mjs').Dataset} dataset */
export function guardedRequests({ cities }) {
  const bodies = cities.slice(0, DIFFERENT_REQUESTS).map((city) => JSON.stringify({ ...city, state: 'planned' }));
  /** @param {string} kind @returns {import('./load.mjs').LoadRequest[]} */
  const creates = (kind) => bodies.map((body) => ({ method: 'POST', path: `/api/lib/${kind}/unit`, body }));
  return { plain: creates(PLAIN), guarded: creates(GUARDED) };
}

/** Both begin with an empty table in every turn. @param {import('./dataset.mjs').Dataset} dataset */
export async function emptyGuarded({ postgres, schema }) {
  for (const kind of [PLAIN, GUARDED]) {
    await postgres.client.query(['TRUNCATE', `"${schema}"."${kind}"`].join(' '));
    await postgres.repairCount(schema, kind);
  }
  await postgres.client.query('CHECKPOINT');
}
