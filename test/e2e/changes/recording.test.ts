/** Each write of a unit or link is recorded once, whichever way it comes. */
import { expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
const open = { create: 'member', update: 'member', read: 'member', delete: 'member', link: 'member' };
await defineKinds(
  project,
  { id: 'list', parameters: [{ id: 'code', kind_id: 'string', unique: true }], changes: 'feed', access: open },
  {
    id: 'task',
    changes: 'feed',
    access: open,
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'count', kind_id: 'integer' },
      { id: 'secret', kind_id: 'string', hidden: true },
      { id: 'list', kind_id: 'unit', reference_kind: 'list', on_delete: 'cascade' },
      { id: 'old_list', kind_id: 'unit', reference_kind: 'list', on_delete: 'set_null' },
    ],
  },
  { id: 'unrecorded', parameters: ['title'], access: open },
);
await project.post('/link/unit', { id: 'after', parameters: [{ id: 'days', kind_id: 'integer' }] });

interface Event {
  readonly origin: Readonly<Record<string, unknown>>;
  readonly operation: string;
  readonly kind: string;
  readonly unit: string;
  readonly version: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

/** What is recorded, with a number or without, in the order of writing. */
function recorded(of: TestProject): Promise<Event[]> {
  const columns = '"origin", "operation", "kind", "unit", "version", "before", "after"';
  return query<Event>(
    of,
    `SELECT ${columns} FROM (
      SELECT "id" AS n, ${columns} FROM $schema._outbox UNION ALL SELECT "outbox", ${columns} FROM $schema._change
    ) AS c ORDER BY n`,
  );
}

/** What is recorded of units and links of users' kinds while `work` runs, as `operation kind`; sorted. */
async function during(work: () => Promise<unknown>): Promise<string[]> {
  const before = (await recorded(project)).length;
  await work();
  const own = (await recorded(project)).slice(before);
  return own.map(({ operation, kind, origin }) => `${operation} ${kind}${origin['cascade'] ? ' cascade' : ''}`).sort();
}

const create = async (kind: string, body: object) => (await ok(ann.post(`/${kind}/unit`, body))) as { id: string };

it('a create, an edit and a deletion are recorded with the values that they change, and who did it', async () => {
  const made = await create('task', { title: 'one', count: 1, secret: 'canary' });
  const edited = await ann.put(`/task/unit/${made.id}`, { title: 'two', count: { $inc: 2 } });
  await ok(ann.delete(`/task/unit/${made.id}`));
  const events = (await recorded(project)).filter(({ unit }) => unit === made.id);
  expect(events).toMatchObject([
    { operation: 'create', before: null, after: { title: 'one', count: 1, metadata: {} } },
    { operation: 'update', before: { title: 'one', count: 1 }, after: { title: 'two', count: 3 } },
    { operation: 'delete', before: { title: 'two', count: 3, metadata: {} }, after: null },
  ]);
  expect(events.map(({ origin }) => origin)).toEqual(
    events.map(() => ({ via: 'api', member: expect.any(String) as string, member_kind: 'person' })),
  );
  const [, version = ''] = /^"(\w+)-/.exec(edited.headers.get('etag') ?? '') ?? [];
  expect(parseInt(version, 36)).toBe(Number(events[1]?.version));
  expect(JSON.stringify(events)).not.toContain('canary');
});

it('an edit of a unit that is changed meanwhile records what it had just before', async () => {
  const made = await create('task', { title: 'hot', count: 0 });
  await Promise.all(Array.from({ length: 40 }, () => ok(ann.put(`/task/unit/${made.id}`, { count: { $inc: 1 } }))));
  const edits = (await recorded(project)).filter(({ unit, operation }) => unit === made.id && operation === 'update');
  expect(edits.map(({ before, after }) => [before?.['count'], after?.['count']])).toEqual(
    Array.from({ length: 40 }, (_, at) => [at, at + 1]),
  );
});

it('what several units are written with at once', async () => {
  const several = (operation: string, count: number) => Array.from({ length: count }, () => `${operation} list`);
  const headers = { 'content-type': 'text/csv' };
  const codes = (...all: string[]) => all.map((code) => ({ code }));
  expect(await during(() => ok(ann.post('/list/unit', codes('a', 'b', 'c'))))).toEqual(several('create', 3));
  expect(
    await during(() => ok(ann.post('/list/unit?on_conflict=update&by=code', codes('a', 'd')))),
    'an upsert that changes nothing of one, and creates another',
  ).toEqual(several('create', 1));
  const edited = codes('a', 'b').map((each, at) => ({ ...each, metadata: { at } }));
  expect(await during(() => ok(ann.post('/list/unit?on_conflict=update&by=code', edited)))).toEqual(
    several('update', 2),
  );
  expect(await during(() => ok(ann.call('POST', '/list/import', 'code\r\ni\r\nj\r\n', { headers })))).toEqual(
    several('create', 2),
  );
  expect((await recorded(project)).at(-1)?.origin).toMatchObject({ via: 'import', member_kind: 'person' });
  expect(await during(() => ok(ann.put('/list/unit?filter=in(code,[i,j])', { metadata: { a: 1 } })))).toEqual(
    several('update', 2),
  );
  expect(await during(() => ok(ann.delete('/list/unit?filter=in(code,[i,j])')))).toEqual(several('delete', 2));
  const operations = [
    { as: 'x', method: 'POST', path: '/list/unit', body: { code: 'batch' } },
    { as: 'y', method: 'PUT', path: '/list/unit/{x.id}', body: { code: 'batch2' } },
    { as: 'z', method: 'DELETE', path: '/list/unit/{x.id}' },
  ];
  expect(await during(() => ok(ann.post('/batch', { operations })))).toEqual([
    'create list',
    'delete list',
    'update list',
  ]);
});

it('what the rules of references do', async () => {
  const [list, other] = [await create('list', { code: 'r1' }), await create('list', { code: 'r2' })];
  await create('task', { title: 'goes', list: list.id });
  const stays = await create('task', { title: 'stays', list: other.id, old_list: list.id });
  expect(await during(() => ok(ann.delete(`/list/unit/${list.id}`)))).toEqual([
    'delete list',
    'delete task cascade',
    'update task cascade',
  ]);
  expect((await recorded(project)).findLast(({ unit }) => unit === stays.id)).toMatchObject({
    before: { old_list: list.id },
    after: { old_list: null },
  });
});

it('links, of the unit that is their parent', async () => {
  const [one, two, three] = [await create('task', {}), await create('task', {}), await create('list', { code: 'l3' })];
  const path = `/task/unit/${one.id}/link/after/task/unit/${two.id}`;
  expect(await during(() => ok(ann.post(path, { days: 1 })))).toEqual(['link task']);
  expect(await during(() => ann.post(path, { days: 1 })), 'one that exists').toEqual([]);
  expect(await during(() => ok(ann.put(path, { days: 2 })))).toEqual(['link task']);
  expect((await recorded(project)).at(-1)).toMatchObject({
    unit: one.id,
    after: { link_id: 'after', child_kind_id: 'task', child_id: two.id },
  });
  expect(await during(() => ok(ann.delete(path)))).toEqual(['unlink task']);
  const set = (items: object[], replace = false) =>
    ok(ann.post(`/task/unit/${one.id}/link/after/child`, { items, replace }));
  const [toTwo, toThree] = [
    { kind_id: 'task', id: two.id },
    { kind_id: 'list', id: three.id },
  ];
  expect(await during(() => set([toTwo, toThree]))).toEqual(['link task', 'link task']);
  expect(await during(() => set([{ ...toTwo, days: 5 }], true))).toEqual(['link task', 'unlink task']);
  expect(
    await during(() =>
      ok(ann.post(`/list/unit/${three.id}/link/after/parent`, { items: [{ kind_id: 'task', id: one.id }] })),
    ),
  ).toEqual(['link task']);
  expect(await during(() => ok(ann.delete(`/task/unit/${two.id}`))), 'with its links').toEqual([
    'delete task',
    'unlink task',
  ]);
});

it('nothing of what is undone, refused, repeated or not recorded', async () => {
  expect(await during(() => ann.post('/task/unit?dry_run=true', { title: 'dry' }))).toEqual([]);
  expect(await during(() => ann.post('/task/unit', { count: 'x' }))).toEqual([]);
  expect(await during(() => create('unrecorded', { title: 'x' }))).toEqual([]);
  const headers = { 'idempotency-key': 'once' };
  const repeated = () => ok(ann.post('/task/unit', { title: 'once' }, { headers }));
  expect(await during(async () => [await repeated(), await repeated()])).toEqual(['create task']);
  const operations = [
    { as: 'x', method: 'POST', path: '/task/unit', body: { title: 'batch' } },
    { as: 'y', method: 'POST', path: '/task/unit', body: { count: 'x' } },
  ];
  expect(await during(() => ann.post('/batch', { operations }))).toEqual([]);
});

it('definitions, also those that a change of another one changes', async () => {
  expect(
    await during(() => ok(project.post('/kind/unit', { id: 'note', parameters: [{ id: 'body', kind_id: 'text' }] }))),
  ).toEqual(['create kind', 'create text']);
  await ok(project.put('/kind/unit/note', { access: { read: 'eq(body,a)' } }));
  expect(await during(() => ok(project.delete('/text/unit/body?cascade=true'))), 'a rule that names it').toEqual([
    'delete text',
    'update kind',
    'update kind',
  ]);
  expect(await during(() => ok(project.delete('/kind/unit/note')))).toEqual(['delete kind']);
});
