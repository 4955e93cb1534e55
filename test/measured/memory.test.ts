/**
 * Statements of one tenant leave memory for others: the largest that rules and queries can produce, eight at once, beside a
 * quiet project. What a server process takes to plan them is bounded.
 */
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/shared/limits.js';
import { asMember, defineKinds } from '../support/callers.js';
import { createdId, ok } from '../support/definitions.js';
import { alternatives, defineFarKinds, farWays, shareOf } from '../support/far-kinds.js';
import { peakDuring } from '../support/backends.js';
import { beside } from '../support/neighbour.js';
import { ownDatabase, startServiceOn } from '../support/own-database.js';
import { sideConnection } from '../support/side-connection.js';

const database = await ownDatabase();
const service = await startServiceOn(database, { databasePool: 10 });
const side = await sideConnection(database);
const loud = await service.project();
const member = await asMember(loud);
await defineFarKinds(loud);
const quiet = await service.project();
await defineKinds(quiet, { id: 'note', parameters: [{ id: 'text', kind_id: 'string' }] });
const note = await createdId(quiet.post('/note/unit', { text: 'x' }));

/** Megabytes that a server process may have. */
const MOST = 256;
const AT_ONCE = 8;
const OPERATIONS = ['read', 'create', 'update', 'delete', 'link'];

const { items: people } = (await ok(loud.get('/person/unit'))) as { items: { id: string }[] };
await ok(loud.put(`/person/unit/${people[0]?.id}`, { p_text: 'mine', p_num: 3 }));

/** As many tests as may be, over as many references, each with a value of the member. */
const LARGEST = alternatives(
  LIMITS.ruleTests,
  (at) => `ne(${shareOf(farWays(LIMITS.ruleLookups), at)}.name,@member.p_text)`,
  () => 'ne(n,@member.p_num)',
);
const access = Object.fromEntries(OPERATIONS.map((operation) => [operation, LARGEST]));
await ok(loud.put('/kind/unit/a', { access }));
const { items } = (await ok(loud.get('/a/unit?limit=1'))) as { items: { id: string }[] };
const unit = items[0]?.id ?? '';

const ways = farWays(LIMITS.queryLookups);
const [filter = ''] = alternatives(
  120,
  (at) => `ne(${shareOf(ways, at)}.name,x${at})`,
  (at) => `ne(n,${at})`,
);
const order = ways.slice(0, 16).map((way) => `&order[]=${way}.name;asc`);
const query = `filter=${encodeURIComponent(filter)}${order.join('')}&include=${ways.map((way) => `${way}.n`).join()}`;

it.each([
  ['a list by rules and a filter', () => member.get(`/a/unit?${query}`)],
  ['a list by cursor', () => member.get(`/a/unit?${query}&cursor=`)],
  ['creates under rules', () => member.post('/a/unit', [{ n: 1 }, { n: 2 }])],
  ['edits under rules', () => member.put(`/a/unit/${unit}`, { n: 1 })],
  ['links under rules', () => member.post(`/a/unit/${unit}/link/link/a/unit/${unit}`)],
  ['walks under rules', () => member.get(`/a/unit/${unit}/link/child?depth=2`)],
  ['explanations of rules', () => loud.get(`/a/unit/${unit}/access?member=${people[0]?.id}`)],
])('leave the others room, eight at once: %s', { timeout: 120_000 }, async (_, ask) => {
  const all = () => Promise.all(Array.from({ length: AT_ONCE }, ask));
  const { result, waits } = await beside(quiet, `/note/unit/${note}`, () => peakDuring(side, all));
  // One slow statement of a project runs at a time beside others, so that the last may have waited too long.
  const refused = result.result.filter(({ status }) => status !== 200);
  for (const { status, body } of refused) {
    expect({ status, code: body.messages[0]?.code }).toEqual({ status: 503, code: 'server.busy' });
  }
  expect(refused.length).toBeLessThan(AT_ONCE / 2);
  expect(result.peak ?? 0).toBeLessThan(MOST);
  expect(Math.max(...waits)).toBeLessThan(10_000);
});
