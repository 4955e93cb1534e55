/**
 * Large values in lists of related units and in aggregations: an answer that would be too large is refused before
 * PostgreSQL has built it, however often a query names the same value.
 */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { peakDuring } from '../../support/backends.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { sideConnection } from '../../support/side-connection.js';

/** Megabytes that a server process may have. */
const MOST = 400;

const database = await ownDatabase();
const service = await startServiceOn(database, { databasePool: 2 });
const side = await sideConnection(database);
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'post',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'body', kind_id: 'text' },
      { id: 'data', kind_id: 'json' },
    ],
  },
  { id: 'remark', parameters: [{ id: 'post', kind_id: 'unit', reference_kind: 'post' }, 'body'] },
);
const MEGABYTE = 'x'.repeat(1024 * 1024);
await ok(project.post('/post/unit', { code: 'a', body: MEGABYTE.repeat(4), data: [MEGABYTE.repeat(4)] }));
for (let n = 0; n < 40; n += 1) await ok(project.post('/remark/unit', { post: 'a', body: MEGABYTE }));

const terms = (count: number, term: string) => Array.from({ length: count }, (_, at) => `t${at}:${term}`).join();

it.each([
  ['related units in a list', `/post/unit?include=code,${terms(4, 'related(remark.post,limit=100)')}`],
  ['related units of one unit', `/post/unit/a?include=code,${terms(4, 'related(remark.post,limit=100)')}`],
  ['a text in many functions', `/post/aggregate?select=${terms(40, 'first(body)')}`],
  ['a JSON value in many functions', `/post/aggregate?select=${terms(40, 'last(data)')}`],
  ['a text in many groups', `/post/aggregate?group=${terms(40, 'body')}`],
])('%s: refused within the memory of a server process', { timeout: 60_000 }, async (_, path) => {
  const { result, peak } = await peakDuring(side, () => project.get(path));
  expect(refusalOf(result)).toEqual({ status: 400, messages: ['answer.too_large'] });
  expect(peak ?? 0).toBeLessThan(MOST);
});

it('values that fit are answered', async () => {
  const { items } = (await ok(project.get(`/post/unit?include=code,${terms(2, 'related(remark.post,limit=10)')}`))) as {
    items: Record<string, unknown[]>[];
  };
  expect([items[0]?.['t0']?.length, items[0]?.['t1']?.length]).toEqual([10, 10]);
  expect(await ok(project.get(`/post/aggregate?select=${terms(5, 'first(body)')}`))).toMatchObject({ count: 1 });
});
