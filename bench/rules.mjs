/** The cost of a rule: a kind with a rule compared with the same kind without, for the same member and units. */
import assert from 'node:assert/strict';

/**
 * @typedef {import('./load.mjs').LoadRequest} LoadRequest
 * @typedef {object} Comparison
 * @property {string} id
 * @property {string} title
 * @property {readonly LoadRequest[]} plain asks the kind without a rule for what the rule lets the member see
 * @property {readonly LoadRequest[]} ruled asks the other one
 */

/** The target: reading by an indexed rule takes at most this many times as long. */
export const RULE_TARGET = 1 / 1.3;

const MEMBERS = 'reader';
const NATION = 'US';
const DIFFERENT_REQUESTS = 2000;

/**
 * Creates the kind with the rule, and a member whose nation the rule names; returns the service as this member uses it.
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./service.mjs').Service} service
 */
export async function makeReader(dataset, service) {
  const { count } = await service.call('GET', `/kind/unit?filter=eq(id,${MEMBERS})&limit=0`);
  if (count === 0) {
    const parameters = [{ id: 'nation', kind_id: 'string' }];
    await service.call('POST', '/kind/unit', { id: MEMBERS, label: 'Reader', parameters });
    await service.call('POST', `/group/unit/kind_auth_member/link/group/kind/unit/${MEMBERS}`);
  }
  await dataset.makeRuled(service, { read: 'eq(country,@member.nation)' });
  const [username, password] = [`reader_${dataset.scale}`, 'a password of the bench'];
  const credentials = { username, password, email: `${username}@example.com` };
  const { access_token } = await service.call('POST', `/auth/${MEMBERS}/signup`, {
    ...{ username, password, nation: NATION },
    kind_system_user: credentials,
  });
  return { ...service.headers, authorization: `Bearer ${access_token}` };
}

/** @param {import('./dataset.mjs').Dataset} dataset @returns {Comparison[]} */
export function comparisonsOf(dataset) {
  const { city, ruled, cities } = dataset;
  const { found } = cities.matching(({ country }) => country === NATION);
  const own = found.slice(0, DIFFERENT_REQUESTS).map(({ index }) => dataset.idOf(index));
  /** @param {string} kind @param {string} rest @returns {LoadRequest} */
  const get = (kind, rest) => ({ method: 'GET', path: `/api/lib/${kind}/unit${rest}` });
  /** @param {string} id @param {string} title @param {string} query @returns {Comparison} */
  const list = (id, title, query) => ({
    ...{ id, title },
    plain: [get(city, `?filter=eq(country,${NATION})&${query}limit=50`)],
    ruled: [get(ruled, `?${query}limit=50`)],
  });
  return [
    {
      ...{ id: 'R1', title: 'get one by id, by a rule' },
      plain: own.map((id) => get(city, `/${id}`)),
      ruled: own.map((id) => get(ruled, `/${id}`)),
    },
    list('R2', 'list 50 of a country, count, by a rule', ''),
    list('R3', 'list 50 of a country, largest first, count, by a rule', 'order=population;desc&'),
  ];
}

/**
 * Checks that both kinds return the same units. @throws if they do not
 * @param {Comparison} comparison
 * @param {string} url
 * @param {Record<string, string>} headers
 */
export async function checkAlike({ id, plain, ruled }, url, headers) {
  /** @param {LoadRequest | undefined} request */
  const contentOf = async (request) => {
    const response = await fetch(`${url}${request?.path}`, { headers });
    const text = await response.text();
    assert.equal(response.status, 200, `${id}: ${request?.path}: ${text.slice(0, 500)}`);
    return JSON.parse(text.replaceAll(/"kind_id":"[^"]*"/g, '"kind_id":""')).content;
  };
  const content = await contentOf(plain[0]);
  assert.ok(content.count === undefined || content.items.length > 0, `${id}: an empty page`);
  assert.deepEqual(await contentOf(ruled[0]), content, id);
}
