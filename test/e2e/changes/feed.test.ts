/** `GET /changes`: who sees which change, in an order that stays. */
import { expect, it, vi } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { Waiting } from '../../../src/changes/waiting/waiting.js';
import { schemaName } from '../../../src/model/names.js';
import { forgetChangesStatement } from '../../../src/sql/changes/number.sql.js';
import { ok, query } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
const me = (await ok(ann.get('/auth/me'))) as { id: string };
const open = { create: 'member', update: 'member', read: 'member', delete: 'member', link: 'member' };
await defineKinds(
  project,
  {
    id: 'task',
    changes: 'feed',
    access: open,
    parameters: [
      { id: 'title', kind_id: 'string' },
      { id: 'count', kind_id: 'integer' },
      { id: 'tags', kind_id: 'json', multiple: true },
      { id: 'secret', kind_id: 'string', hidden: true },
    ],
  },
  {
    id: 'note',
    changes: 'feed',
    access: { ...open, read: ['eq(owner,@member.id)', 'eq(shared,true)'] },
    parameters: [
      { id: 'owner', kind_id: 'string' },
      { id: 'shared', kind_id: 'boolean' },
    ],
  },
  { id: 'off', parameters: ['title'], access: open },
);
await project.post('/link/unit', { id: 'about' });

interface Change {
  readonly cursor: string;
  readonly operation: string;
  readonly unit_id: string;
  readonly version: number;
  readonly unit?: Record<string, unknown> | null;
  readonly changes?: Record<string, unknown>;
  readonly [more: string]: unknown;
}
interface Page {
  readonly count: number;
  readonly items: readonly Change[];
  readonly next: string;
  readonly more: boolean;
}

const read = (caller: TestProject, query: string) => ok(caller.get(`/changes?${query}`)) as Promise<Page>;
const now = async (caller: TestProject, kinds: string) => (await read(caller, `kinds=[${kinds}]`)).next;
const create = async (kind: string, body: object, caller = project) =>
  (await ok(caller.post(`/${kind}/unit`, body))) as { id: string };
const operations = ({ items }: Page) => items.map(({ operation, unit_id: id }) => [operation, id]);

it('answers creates, edits and deletions in their order, and goes on from each of them', async () => {
  const begin = await now(ann, 'task');
  const made = await create('task', { title: 'one', count: 1, tags: [[1, [2]], {}], secret: 'canary' }, ann);
  const edited = await ann.put(`/task/unit/${made.id}`, { title: 'two', count: 1 });
  const page = await read(ann, `kinds=[task]&since=${begin}`);
  expect(page).toMatchObject({ count: 2, more: false });
  expect(page.items).toMatchObject([
    { operation: 'create', kind_id: 'task', unit_id: made.id, via: 'api', member: me.id, key: null },
    { operation: 'update', kind_id: 'task', unit_id: made.id, unit: { title: 'two', tags: [[1, [2]], {}] } },
  ]);
  const [, version = ''] = /^"(\w+)-/.exec(edited.headers.get('etag') ?? '') ?? [];
  expect(page.items[1]?.version).toBe(parseInt(version, 36));
  expect(page.items.every(({ unit_version: each }) => each === page.items[1]?.version)).toBe(true);
  await ok(ann.delete(`/task/unit/${made.id}`));
  const rest = await read(ann, `kinds=[task]&since=${page.items[0]?.cursor}`);
  expect(rest.items).toMatchObject([
    { operation: 'update', unit: null },
    { operation: 'delete', unit_id: made.id },
  ]);
  expect(await read(ann, `kinds=[task]&since=${rest.next}`)).toMatchObject({ count: 0, items: [], more: false });
  expect(JSON.stringify([page, rest])).not.toContain('canary');
  const first = await read(ann, `kinds=[task]&since=${begin}&limit=1`);
  expect([first.count, first.more]).toEqual([1, true]);
  for (const kinds of ['[task]', '["task"]', '[*]', '["*"]'])
    expect(operations(await read(ann, `kinds=${kinds}&since=${begin}&operations=[delete]`))).toEqual([
      ['delete', made.id],
    ]);
});

it('a filter lets units enter and leave, by what they were then', async () => {
  const begin = await now(ann, 'task');
  const { id } = await create('task', { title: 'out', count: 1 });
  for (const count of [5, 6, 2, 7]) await ok(project.put(`/task/unit/${id}`, { count }));
  await ok(project.delete(`/task/unit/${id}`));
  const page = await read(ann, `kinds=[task]&since=${begin}&filter=gt(count,4)&include=[count]`);
  expect(operations(page).map(([operation]) => operation)).toEqual(['enter', 'update', 'leave', 'enter', 'delete']);
  expect(page.items[2]).not.toHaveProperty('unit');
});

it('rules are asked of the unit as it is now, and as it was', async () => {
  const begin = await now(ann, 'note');
  const own = await create('note', { owner: me.id });
  const other = await create('note', { owner: 'bob' });
  const given = await create('note', { owner: 'bob', shared: true });
  await ok(project.put(`/note/unit/${given.id}`, { shared: false }));
  const later = await create('note', { owner: 'bob' });
  await ok(project.put(`/note/unit/${later.id}`, { shared: true }));
  await ok(project.put(`/note/unit/${own.id}`, { owner: 'bob' }));
  const page = await read(ann, `kinds=[note]&since=${begin}`);
  expect(operations(page)).toEqual([
    ['leave', given.id],
    ['enter', later.id],
    ['leave', own.id],
  ]);
  expect(page.items.flatMap(({ via }) => via ?? [])).toEqual([]);
  expect(operations(await read(project, `kinds=[note]&since=${begin}`)).map(([, id]) => id)).toContain(other.id);
});

it('links are answered to those who may read both units', async () => {
  const [task, own] = [await create('task', {}), await create('note', { owner: me.id })];
  const other = await create('note', { owner: 'bob' });
  const begin = await now(ann, 'task');
  for (const { id } of [own, other]) await ok(project.post(`/task/unit/${task.id}/link/about/note/unit/${id}`));
  await ok(project.delete(`/task/unit/${task.id}/link/about/note/unit/${own.id}`));
  const { items } = await read(ann, `kinds=[task]&since=${begin}`);
  const link = { unit_id: task.id, link_id: 'about', child_kind_id: 'note', child_id: own.id };
  expect(items).toMatchObject([
    { operation: 'link', ...link },
    { operation: 'unlink', ...link },
  ]);
  expect(items).toHaveLength(2);
});

it('administrators are told the values before and after, and who wrote them', async () => {
  const begin = await now(project, 'task');
  const { id } = await create('task', { title: 'a', count: 1 }, ann);
  await ok(ann.put(`/task/unit/${id}`, { title: 'b', count: 1 }));
  await ok(ann.put(`/task/unit/${id}`, { title: 'b' }));
  await ok(ann.delete(`/task/unit/${id}`));
  const { items } = await read(project, `kinds=[task]&since=${begin}`);
  expect(items.map(({ changes }) => changes)).toEqual([
    { title: [null, 'a'], count: [null, 1], metadata: [null, {}] },
    { title: ['a', 'b'] },
    {},
    undefined,
  ]);
  expect(items).toMatchObject(items.map(() => ({ member: me.id, member_kind: 'person' })));
});

it('values are told where the field is shown now and then, and where the history of both states and now may be read', async () => {
  await defineKinds(project, {
    id: 'case',
    changes: 'feed',
    access: { ...open, history: 'eq(told,true)' },
    parameters: [
      { id: 'state', kind_id: 'string' },
      { id: 'told', kind_id: 'boolean' },
      { id: 'note', kind_id: 'string', read_access: ['eq(state,open)'] },
      { id: 'wage', kind_id: 'integer' },
    ],
  });
  const begin = await now(ann, 'case');
  const { id } = await create('case', { state: 'open', told: true, note: 'a', wage: 1 });
  await ok(project.put(`/case/unit/${id}`, { note: 'canary' }));
  const changes = async () =>
    (await read(ann, `kinds=[case]&since=${begin}`)).items.map(({ changes: values }) => values?.['note']);
  expect(await changes()).toEqual([
    [null, 'a'],
    ['a', 'canary'],
  ]);
  await ok(project.put(`/case/unit/${id}`, { state: 'closed', note: 'b' }));
  expect(await changes()).toEqual([undefined, undefined, undefined]);
  const other = await create('case', { told: false, wage: 1 });
  await ok(project.put(`/case/unit/${other.id}`, { told: true, wage: 2 }));
  const { items } = await read(ann, `kinds=[case]&since=${begin}`);
  expect(items.at(-1)).toMatchObject({ operation: 'update', unit_id: other.id, changes: {} });
  await ok(project.put(`/case/unit/${other.id}`, { told: false }));
  const later = (await read(ann, `kinds=[case]&since=${begin}`)).items.filter((item) => item.unit_id === other.id);
  expect(later.map((item) => [item.changes, item['via']])).toEqual(Array(3).fill([undefined, undefined]));
});

it('waits for a change, and ends in time', async () => {
  const since = await now(ann, 'note');
  const started = performance.now();
  const waiting = read(ann, `kinds=[note]&since=${since}&wait=20`);
  await create('note', { owner: 'bob' });
  const { id } = await create('note', { owner: me.id });
  expect(operations(await waiting)).toEqual([['create', id]]);
  expect(performance.now() - started).toBeLessThan(15_000);
  const [last] = (await read(ann, `kinds=[note]&since=${since}`)).items.slice(-1);
  expect(await read(ann, `kinds=[note]&since=${last?.cursor ?? ''}&wait=1`)).toMatchObject({ count: 0, more: false });
});

it('misses nothing and repeats nothing while many write', async () => {
  let since = await now(ann, 'task');
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    const { id } = await create('task', { count: 0, title: `w${writer}` });
    for (let count = 1; count <= 10; count++) await ok(project.put(`/task/unit/${id}`, { count }));
    return id;
  });
  const found = new Map<string, number[]>();
  const done = Promise.all(writers);
  let ended = false;
  void done.then(() => (ended = true));
  for (let last = false; !last;) {
    last = ended;
    const page = await read(project, `kinds=[task]&since=${since}&limit=7`);
    for (const { unit_id: id, changes } of page.items) {
      const [, count] = (changes?.['count'] ?? []) as number[];
      found.set(id, [...(found.get(id) ?? []), count ?? -1]);
    }
    since = page.next;
    if (page.more) last = false;
  }
  const ids = await done;
  expect(ids.map((id) => found.get(id))).toEqual(ids.map(() => Array.from({ length: 11 }, (_, count) => count)));
});

it('filters definitions by what its reader is shown of them', async () => {
  const since = await now(ann, 'string');
  for (const hidden of [false, true]) {
    const body = { id: hidden ? 'hidden_code' : 'shown_code', max_length: 7, hidden };
    await ok(project.post('/string/unit', body));
    await ok(project.put(`/string/unit/${body.id}`, { label: 'Code' }));
  }
  const units = async (caller: TestProject) => {
    const page = await read(caller, `kinds=[string]&since=${since}&filter=eq(max_length,7)`);
    return page.items.map(({ operation, unit_id: id }) => `${operation} ${id}`);
  };
  const shown = ['create shown_code', 'update shown_code'];
  expect(await units(ann)).toEqual(shown);
  expect(await units(project)).toEqual([...shown, 'create hidden_code', 'update hidden_code']);
});

it('refuses what cannot be read, and says why', async () => {
  const since = await now(ann, 'task');
  await defineKinds(project, { id: 'asleep', changes: 'feed', active: false, parameters: [] });
  const elsewhere = await service.project();
  await defineKinds(elsewhere, { id: 'task', changes: 'feed', parameters: [] });
  const refusals: Record<string, [string, number, string, TestProject?]> = {
    'a kind that is not there': ['kinds=[no]', 404, 'kind.unknown'],
    'a kind that is not recorded': ['kinds=[off]', 400, 'changes.off'],
    'an inactive kind': ['kinds=[asleep]', 403, 'kind.inactive'],
    'no kinds': ['', 400, 'query.bad_value'],
    'an unknown operation': ['kinds=[task]&operations=[insert]', 400, 'query.bad_value'],
    'a filter of several kinds': ['kinds=[task,note]&filter=eq(nothing,a)', 400, 'query.bad_value'],
    'a filter of all kinds': ['kinds=[*]&filter=eq(title,a)', 400, 'query.bad_value'],
    'the time of a filter': ['kinds=[task]&filter=gt(updated_at,@now-7d)', 400, 'filter.bad_value'],
    'a limit of 0': ['kinds=[task]&limit=0', 400, 'query.bad_value'],
    'a wait of an hour': ['kinds=[task]&wait=3600', 400, 'query.bad_value'],
    'what is no cursor': ['kinds=[task]&since=now', 400, 'query.bad_value'],
    'a cursor that is cut': [`kinds=[task]&since=${since.slice(0, -4)}`, 410, 'changes.resync'],
    'a cursor that is lengthened': [`kinds=[task]&since=${since}AAAA`, 410, 'changes.resync'],
    'a random cursor': [`kinds=[task]&since=${'A'.repeat(since.length)}`, 410, 'changes.resync'],
    'a cursor of another project': [`kinds=[task]&since=${since}`, 410, 'changes.resync', elsewhere],
    'no token': ['kinds=[task]', 401, 'token.missing', anonymous(project)],
  };
  for (const [what, [query, status, code, caller = ann]] of Object.entries(refusals)) {
    const { status: found, body } = await caller.get(`/changes?${query}`);
    expect([found, body.messages.map((each) => each.code)], what).toEqual([status, [code]]);
  }
  const { body } = await ann.get('/changes?kinds=[task]&limit=1001');
  expect(body.messages[0]?.text).toContain('from 1 to 1000');
  expect(since).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
});

it('forgets what is older than the project keeps it', async () => {
  const since = await now(project, 'task');
  const { id } = await create('task', { title: 'old' });
  await now(project, 'task');
  await query(project, 'UPDATE $schema._change SET "version" = 1');
  await create('task', { title: 'new' });
  await now(project, 'task');
  const forget = forgetChangesStatement(schemaName(project.id), 30);
  for (let looked = 1; looked > 0;) {
    const [row] = await service.service.database.run<{ looked: number }>(forget);
    looked = row?.looked ?? 0;
  }
  const old = await ann.get(`/changes?kinds=[task]&since=${since}`);
  expect([old.status, old.body.messages[0]?.code]).toEqual([410, 'changes.resync']);
  const kept = await read(project, 'kinds=[task,kind]&since=');
  expect(operations(kept).map(([operation]) => operation)).toEqual(['create']);
  expect(JSON.stringify(kept)).not.toContain(id);
  await ok(project.delete('/kind/unit/task?cascade=true'));
  const rows = await query(project, `SELECT 1 FROM $schema._change WHERE "kind" = 'task'`);
  expect(rows).toEqual([]);
});

it('lets six requests of a caller wait, and others of the project go on', async () => {
  const since = await now(project, 'note');
  const waiting = Array.from({ length: 7 }, () => project.get(`/changes?kinds=[note]&since=${since}&wait=20`));
  const refused = await Promise.race(waiting);
  expect([refused.status, refused.body.messages[0]?.code]).toEqual([429, 'stream.too_many']);
  const other = ann.get(`/changes?kinds=[note]&since=${since}&wait=20`);
  await create('note', { owner: me.id });
  expect((await other).body.content.count).toBe(1);
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 200, 429]);
});

it('ends with the session of who waits', async () => {
  const bob = await asMember(project, 'guest');
  const since = await now(bob, 'note');
  const waits = service.service.app.get(Waiting);
  const before = waits.size;
  const waiting = bob.get(`/changes?kinds=[note]&since=${since}&wait=20`);
  await vi.waitUntil(() => waits.size > before);
  await ok(bob.post('/auth/signout'));
  await create('note', { shared: true });
  expect((await waiting).body.content).toMatchObject({ count: 0, items: [] });
});
