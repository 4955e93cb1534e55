/** `after_commit`: once for each recorded change, on one of two services. Times are moved by changing rows. */
import { afterEach, expect, it, vi } from 'vitest';
import { Followers } from '../../../src/changes/follow/followers.js';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { modelOf, ok } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { eventsStatement, type EventRow } from '../../../src/sql/changes/event.sql.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const folder = new FunctionsFolder();
const settings = {
  functionsDir: folder.path,
  functionTimeout: 1500,
  databasePool: 10,
  shutdownGrace: 200,
  shutdownIdle: 0,
};
const services = [await startTestService(settings), await startTestService(settings)] as const;
const [one] = services;
const project = await one.project();
const member = await asMember(project);
const side = await sideConnection();
const schema = `"project_${project.id}"`;

const MODULE = `
  import { FunctionError, kind } from 'kind';
  const calls = (globalThis.commitCalls ??= []);
  const gates = (globalThis.commitGates ??= {});
  export default kind('item').module({
    hooks: {
      async after_commit({ event, attempt, member, units, system, links, mail, signal, log }) {
        const { title } = event.unit;
        calls.push([event.unit_id, event.operation, attempt]);
        if (title === 'broken') throw new Error('no way to postgres://me:secret@host/db');
        if (title === 'slow') await new Promise(() => undefined);
        if (title === 'gate') await new Promise((open) => (gates.open = open));
        if (title === 'loop') return void (await system.units('item').update(event.unit_id, { count: { $inc: 1 } }));
        const allowed = await units('note').list().then(() => true, ({ status }) => status);
        await system.units('note').create({
          name: event.unit_id + ' ' + event.operation,
          data: { event, attempt, member: member && member.id, allowed, signal: signal.aborted },
        });
      },
    },
  });`;

await defineKinds(
  project,
  {
    id: 'note',
    access: { read: 'member' },
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'data', kind_id: 'json' },
    ],
  },
  {
    id: 'item',
    changes: 'feed',
    access: { create: 'anyone', update: 'member', delete: 'member', read: 'anyone', link: 'member' },
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'count', kind_id: 'integer', default_integer: 0 },
      { id: 'secret', kind_id: 'string', hidden: true },
    ],
  },
);

const calls = ((globalThis as { commitCalls?: [string, string, number][] }).commitCalls ??= []);
const poll = async () => void (await Promise.all(services.map(({ service }) => service.app.get(Followers).poll())));
const due = async () => {
  await side.rows(`UPDATE ${schema}._task SET next_at = now() WHERE next_at IS NOT NULL AND state = 'waiting'`);
  await side.rows(`UPDATE kind.work SET due_at = now() WHERE project = $1 AND type = 'follow'`, [project.id]);
  await poll();
};
const deploy = async (text = MODULE) => {
  folder.write(`${project.id}/item.ts`, text);
  await Promise.all(services.map(reload));
};
const create = async (body: object, caller = project) => (await ok(caller.post('/item/unit', body))) as { id: string };
interface Noted {
  readonly name: string;
  readonly data: {
    readonly event: Record<string, unknown>;
    readonly attempt: number;
    readonly member: string | null;
    readonly allowed: unknown;
  };
}
const notes = async (id: string) =>
  ((await ok(project.get(`/note/unit?filter=startswith(name,${id})&order=inserted_at;asc`))) as { items: Noted[] })
    .items;
const noted = (id: string, count: number) =>
  vi.waitFor(async () => {
    const found = await notes(id);
    expect(found).toHaveLength(count);
    return found;
  });
const failures = async () =>
  ((await ok(project.get('/function/failure'))) as { items: Record<string, unknown>[] }).items;
const tasks = () => side.rows<Record<string, unknown>>(`SELECT * FROM ${schema}._task ORDER BY seq`);
/** Lets all ten attempts fail. */
const failAll = () =>
  vi.waitFor(async () => {
    await due();
    expect((await tasks()).filter(({ state }) => state === 'waiting')).toEqual([]);
  });

afterEach(async () => void (await side.rows(`DELETE FROM ${schema}._task`)));

await create({ title: 'before the module' });
await deploy();

it('runs once for each change, with the unit as it was after it, as the member who wrote', async () => {
  const { id: me } = (await ok(member.get('/auth/me'))) as { id: string };
  const { id } = await create({ title: 'a', secret: 's' }, member);
  await ok(member.put(`/item/unit/${id}`, { title: 'b' }));
  await ok(member.delete(`/item/unit/${id}`));
  const [created, updated, deleted] = await noted(id, 3);
  const shared = { kind_id: 'item', unit_id: id, member: me, member_kind: 'person', via: 'api', link: null };
  expect(created?.data).toMatchObject({
    attempt: 1,
    member: me,
    allowed: true,
    event: { ...shared, operation: 'create', changes: { title: [null, 'a'], count: [null, 0] } },
  });
  expect(created?.data.event['unit']).toMatchObject({ id, title: 'a', count: 0 });
  expect(JSON.stringify(created?.data)).not.toContain('secret');
  expect(updated?.data.event).toMatchObject({ ...shared, operation: 'update', changes: { title: ['a', 'b'] } });
  expect(updated?.data.event['unit']).toMatchObject({ id, title: 'b' });
  expect(deleted?.data.event).toMatchObject({ ...shared, operation: 'delete', unit: { id, title: 'b' } });
  const { id: stranger } = await create({ title: 'c' }, anonymous(project));
  expect((await noted(stranger, 1))[0]?.data).toMatchObject({ member: null, allowed: 401, event: { member: null } });
  expect(calls.filter(([unit]) => unit === id)).toHaveLength(3);
  await vi.waitFor(async () => expect(await tasks()).toEqual([]));
});

it('reads values that are large together one after the other', async () => {
  const size = 100;
  lowerLimit('eventBytes', 1000);
  await deploy();
  const titles = Array.from({ length: 12 }, (_, at) => `${at}`.padStart(size, 'x'));
  const operations = titles.map((title) => ({ method: 'POST', path: '/item/unit', body: { title } }));
  const { items } = (await ok(project.post('/batch', { operations }))) as { items: { content: { id: string } }[] };
  for (const [at, { content }] of items.entries()) {
    const [note] = await noted(content.id, 1);
    expect(note?.data.event).toMatchObject({ unit: { title: titles[at] }, changes: { title: [null, titles[at]] } });
  }
  const model = await modelOf(project);
  const kind = model.kinds.get('item');
  if (!kind) throw new Error('no kind');
  const fields = [...kind.fields.values()];
  const numbers = await side.rows<{ seq: string }>(`SELECT seq FROM ${schema}._change WHERE kind = 'item'`);
  const plan = { schema: schema.slice(1, -1), kind, fields, versioned: fields, memberKinds: [] };
  const seqs = numbers.map(({ seq }) => seq);
  const rows = await one.service.database.run<EventRow>(eventsStatement(plan, seqs));
  expect(rows).toHaveLength(seqs.length);
  const read = rows.flatMap(({ unit, changes }) => (unit === null ? [] : unit.length + (changes?.length ?? 0)));
  expect(read.length).toBeGreaterThan(0);
  expect(read.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(1000);
  lowerLimit('eventBytes', 1);
  const first = await one.service.database.run<EventRow>(eventsStatement(plan, seqs));
  expect(first.map(({ unit }) => unit !== null)).toEqual(seqs.map((_, at) => at === 0));
});

it('runs for links, with the parent', async () => {
  const [parent, child] = [await create({ title: 'p' }), await create({ title: 'q' })];
  await noted(parent.id, 1);
  await ok(project.post(`/item/unit/${parent.id}/link/link/item/unit/${child.id}`));
  const [, linked] = await noted(parent.id, 2);
  expect(linked?.data.event).toMatchObject({
    operation: 'link',
    unit_id: parent.id,
    unit: { id: parent.id, title: 'p' },
    changes: {},
    link: { link_id: 'link', child_kind_id: 'item', child_id: child.id },
  });
});

it('does nothing of what a failed attempt wrote, tells why after ten, and lets the unit go on', async () => {
  const { id } = await create({ title: 'fine' });
  await noted(id, 1);
  await ok(project.put(`/item/unit/${id}`, { title: 'broken' }));
  await ok(project.put(`/item/unit/${id}`, { title: 'mended' }));
  const other = await create({ title: 'other' });
  await noted(other.id, 1);
  await vi.waitFor(async () => expect(await tasks()).toMatchObject([{ attempts: '1' }, { attempts: '0' }]));
  expect(await notes(id)).toHaveLength(1);
  await failAll();
  await noted(id, 2);
  expect(calls.filter(([unit, operation]) => unit === id && operation === 'update')).toHaveLength(11);
  const { held } = await documented({ held: project });
  const [failure] = (
    (await ok(held.get('/function/failure?kind_id=item&limit=1'))) as { items: Record<string, unknown>[] }
  ).items;
  expect(failure).toMatchObject({
    kind_id: 'item',
    unit_id: id,
    operation: 'update',
    attempts: 10,
    code: 'server.error',
    text: 'no way to postgres://…@host/db',
    file: `${project.id}/item.ts`,
    line: 10,
  });
  await deploy(MODULE.replace("title === 'broken'", "title === 'nothing'"));
  const again = await ok(held.post(`/function/failure/${String(failure?.['id'])}/retry`));
  expect(again).toMatchObject({ id: failure?.['id'] });
  expect((await noted(id, 3))[2]?.data).toMatchObject({
    attempt: 1,
    event: { id: failure?.['event_id'], unit: { title: 'broken' } },
  });
  expect(await failures()).toEqual([]);
  await deploy();
});

it('discards a failure, and cannot repeat one whose change is gone', async () => {
  await create({ title: 'broken' });
  await vi.waitFor(async () => expect(await tasks()).toHaveLength(1));
  await failAll();
  const [failure] = await failures();
  const at = `/function/failure/${String(failure?.['id'])}`;
  for (const [caller, status] of [
    [anonymous(project), 401],
    [member, 403],
  ] as const) {
    expect((await caller.get('/function/failure')).status).toBe(status);
    expect((await caller.post(`${at}/retry`)).status).toBe(status);
    expect((await caller.delete(at)).status).toBe(status);
  }
  await side.rows(`DELETE FROM ${schema}._change WHERE seq = (SELECT seq FROM ${schema}._task)`);
  const gone = await project.post(`${at}/retry`);
  expect([gone.status, gone.body.messages[0]?.code]).toEqual([409, 'changes.gone']);
  expect(await ok(project.delete(at))).toBeNull();
  expect(await failures()).toEqual([]);
  for (const answer of [
    await project.delete(at),
    await project.post(`${at}/retry`),
    await project.delete('/function/failure/5'),
  ]) {
    expect([answer.status, answer.body.messages[0]?.code]).toEqual([404, 'function.no_failure']);
  }
});

it('ends a loop, and what takes too long', async () => {
  const { id } = await create({ title: 'loop' });
  await vi.waitFor(async () => {
    expect(await failures()).toMatchObject([{ unit_id: id, code: 'function.loop', attempts: 1 }]);
  });
  expect(await ok(project.get(`/item/unit/${id}?include=[count]`))).toMatchObject({ count: 11 });
  const [{ origin } = { origin: {} }] = await side.rows<{ origin: object }>(
    `SELECT origin FROM ${schema}._change WHERE unit = $1 ORDER BY seq DESC LIMIT 1`,
    [id],
  );
  expect(origin).toMatchObject({ via: 'after_commit', depth: 11 });
  const slow = await create({ title: 'slow' });
  await vi.waitFor(async () => {
    expect(await tasks()).toMatchObject([{}, { unit: slow.id, attempts: '1', report: { code: 'function.timeout' } }]);
  });
  await side.rows(`DELETE FROM ${schema}._task`);
});

it('is stored once when its service is taken for dead while it runs', async () => {
  const { id } = await create({ title: 'gate' });
  await vi.waitFor(() => expect(calls.at(-1)).toEqual([id, 'create', 1]));
  const open = (globalThis as unknown as { commitGates: { open: () => void } }).commitGates.open;
  const [work] = await side.rows<{ holder: string }>(
    `SELECT holder FROM kind.work WHERE project = $1 AND type = 'follow'`,
    [project.id],
  );
  await side.rows(`UPDATE kind.service SET seen_at = now() - interval '1 minute' WHERE id = $1`, [work?.holder]);
  await vi.waitFor(async () => {
    const other = services.find(({ service }) => service.database.serviceId !== work?.holder);
    void other?.service.app.get(Followers).poll();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls.filter(([unit]) => unit === id)).toEqual([
      [id, 'create', 1],
      [id, 'create', 2],
    ]);
  });
  // Both come to their end now.
  open();
  (globalThis as unknown as { commitGates: { open: () => void } }).commitGates.open();
  await noted(id, 1);
  await failAll();
  expect(await notes(id)).toHaveLength(1);
});

it('waits while nothing runs by itself, and while its module is gone', async () => {
  const set = async (change: string) => {
    await side.rows(`UPDATE kind.project SET settings = ${change} WHERE id = $1`, [project.id]);
    await side.rows(`SELECT pg_notify('kind_project', $1)`, [project.id]);
    await new Promise((resolve) => setTimeout(resolve, 100));
  };
  await set(`settings || '{"background": false}'`);
  const first = await create({ title: 'x' });
  await poll();
  const refused = await project.post('/function/failure/00000000-0000-0000-0000-000000000000/retry');
  expect(refused.body.messages[0]?.code).toBe('project.background');
  expect(await notes(first.id)).toEqual([]);
  await set(`settings - 'background'`);
  await vi.waitFor(async () => {
    await due();
    expect(await notes(first.id)).toHaveLength(1);
  });
  await deploy(`import { kind } from 'kind';\nexport default kind('item').module({});`);
  const second = await create({ title: 'y' });
  await poll();
  expect(await notes(second.id)).toEqual([]);
  await deploy();
  await vi.waitFor(async () => {
    await due();
    expect(await notes(second.id)).toHaveLength(1);
  });
});

it('goes on where it was under another id of its kind', async () => {
  folder.write(`${project.id}/thing.ts`, MODULE.replace("kind('item')", "kind('thing')"));
  await deploy();
  const done = await create({ title: 'z' });
  await noted(done.id, 1);
  const { id } = await create({ title: 'broken' });
  await vi.waitFor(() => expect(calls.at(-1)).toEqual([id, 'create', 1]));
  await vi.waitFor(async () => expect(await tasks()).toMatchObject([{ unit: id, attempts: '1', holder: null }]));
  calls.length = 0;
  await ok(project.put('/kind/unit/item', { rename_to: 'thing' }));
  const next = (await ok(project.post('/thing/unit', { title: 'z' }))) as { id: string };
  await noted(next.id, 1);
  await due();
  await vi.waitFor(() => expect(calls).toContainEqual([id, 'create', 2]));
  const calledOnce = calls.filter(([unit]) => unit !== id);
  expect(calledOnce).toEqual([[next.id, 'create', 1]]);
  await ok(project.put('/kind/unit/thing', { rename_to: 'item' }));
  folder.remove(`${project.id}/thing.ts`);
  await deploy();
  await ok(project.delete(`/item/unit/${id}`));
  await side.rows(`DELETE FROM ${schema}._task`);
});

it('is a fault of the module where changes are not recorded, and everything else of it works', async () => {
  await ok(project.put('/kind/unit/item', { changes: 'none' }));
  const { modules } = (await ok(project.get('/function'))) as {
    modules: { hooks: string[]; faults: { text: string }[] }[];
  };
  expect(modules).toMatchObject([
    {
      hooks: ['after_commit'],
      faults: [{ text: "hooks.after_commit: does not run, because 'item' has changes: 'none'" }],
    },
  ]);
  const { id } = await create({ title: 'z' });
  await poll();
  expect(await notes(id)).toEqual([]);
  await ok(project.put('/kind/unit/item', { changes: 'feed' }));
  const next = await create({ title: 'z' });
  await noted(next.id, 1);
  await ok(project.put(`/item/unit/${next.id}`, { title: 'broken' }));
  await vi.waitFor(async () => expect(await tasks()).toHaveLength(1));
  await ok(project.delete('/kind/unit/item?cascade=true'));
  expect(await tasks()).toEqual([]);
});
