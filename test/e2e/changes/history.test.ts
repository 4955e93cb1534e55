/** The history of units: who sees which version, units as they were, and putting back. */
import { expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
const bob = await asMember(project, 'guest');
const idOf = async (member: TestProject) => ((await ok(member.get('/auth/me'))) as { id: string }).id;
const [annId, bobId] = [await idOf(ann), await idOf(bob)];
const open = { create: 'member', update: 'member', read: 'member', delete: 'member', link: 'member' };
const MINE = 'eq(owner,@member.id)';
await defineKinds(
  project,
  {
    id: 'task',
    changes: 'history',
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
    changes: 'history',
    access: { ...open, read: [MINE, 'eq(shared,true)'], history: 'member' },
    parameters: [
      { id: 'owner', kind_id: 'string' },
      { id: 'shared', kind_id: 'boolean' },
      { id: 'text', kind_id: 'string' },
      { id: 'wage', kind_id: 'integer', read_access: MINE },
    ],
  },
  {
    id: 'page',
    changes: 'history',
    access: { ...open, history: 'member' },
    parameters: [
      { id: 'slug', kind_id: 'string', is_primary: true },
      { id: 'body', kind_id: 'string' },
    ],
  },
  { id: 'diary', changes: 'history', access: { ...open, history: MINE }, parameters: ['owner', 'text'] },
  { id: 'off', parameters: ['title'], access: open },
);

interface Version {
  readonly unit_id?: string;
  readonly version: number;
  readonly at: string;
  readonly operation: string;
  readonly member: string | null;
  readonly via: string;
  readonly changes: Record<string, unknown>;
  readonly erased?: true;
}
interface Page {
  readonly count: number;
  readonly items: readonly Version[];
  readonly next?: string | null;
}
const create = async (kind: string, body: object, caller = project) =>
  ((await ok(caller.post(`/${kind}/unit`, body))) as { id: string }).id;
const edit = (kind: string, id: string, body: object, caller = project) => ok(caller.put(`/${kind}/unit/${id}`, body));
const history = (kind: string, id: string, query = '', caller = project) =>
  ok(caller.get(`/${kind}/unit/${id}/history${query}`)) as Promise<Page>;
const refusal = async (answer: ReturnType<TestProject['get']>) => {
  const { status, body } = await answer;
  return [status, body.messages[0]?.code];
};
const operations = ({ items }: Page) => items.map(({ operation }) => operation);

it('has all versions of a unit, the newest first, also of a deleted one', async () => {
  const id = await create('task', { title: 'a', count: 1, tags: [[1, [2]], {}], secret: 'canary' }, ann);
  await edit('task', id, { title: 'b', count: 1 }, ann);
  await edit('task', id, { title: 'b' });
  await ok(project.delete(`/task/unit/${id}`));
  const page = await history('task', id);
  expect(page.count).toBe(4);
  expect(operations(page)).toEqual(['delete', 'update', 'update', 'create']);
  expect(page.items.map(({ changes }) => changes)).toEqual([
    { title: ['b', null], count: [1, null], tags: [[[1, [2]], {}], null], metadata: [{}, null] },
    {},
    { title: ['a', 'b'] },
    { title: [null, 'a'], count: [null, 1], tags: [null, [[1, [2]], {}]], metadata: [null, {}] },
  ]);
  expect(page.items[3]).toMatchObject({ member: annId, member_kind: 'person', via: 'api', key: null });
  const [first, second] = page.items.map(({ version }) => version);
  expect(first).toBeGreaterThan(second ?? 0);
  expect(JSON.stringify(page)).not.toContain('canary');
  expect(await refusal(ann.get(`/task/unit/${id}/history`))).toEqual([403, 'access.denied']);
});

it('is filtered, ordered and paged', async () => {
  const id = await create('task', { title: 'a' }, ann);
  for (const count of [1, 2, 3]) await edit('task', id, { count }, ann);
  await edit('task', id, { title: 'z' });
  const counts = async (query: string) => (await history('task', id, query)).count;
  expect(await counts('?filter=contains(changed,title)')).toBe(2);
  expect(await counts('?filter=eq(operation,create)')).toBe(1);
  expect(await counts(`?filter=eq(member,${annId})`)).toBe(4);
  expect(await counts('?filter=and(eq(via,api),ne(operation,create))')).toBe(4);
  const all = await history('task', id);
  const [last] = all.items;
  expect(await counts(`?filter=gte(at,${all.items[1]?.at ?? ''})`)).toBe(2);
  expect(await counts(`?filter=lt(version,${last?.version ?? 0})`)).toBe(4);
  const oldest = await history('task', id, '?order=version;asc&limit=2&offset=1');
  expect(oldest.items.map(({ changes }) => changes)).toEqual([{ count: [null, 1] }, { count: [1, 2] }]);
  for (const order of ['', '&order=operation;desc', '&order=member', '&order=at']) {
    const seen: number[] = [];
    let cursor: string | null | undefined = '';
    while (typeof cursor === 'string') {
      const page: Page = await history('task', id, `?limit=2&cursor=${cursor}${order}`);
      seen.push(...page.items.map(({ version }) => version));
      cursor = page.next;
    }
    expect([new Set(seen).size, seen.length], order).toEqual([5, 5]);
  }
  const { next } = await history('task', id, '?limit=2&cursor=');
  const token = JSON.parse(Buffer.from(next ?? '', 'base64url').toString()) as { k: string[] };
  expect(token.k).toEqual([expect.stringMatching(/^[\w-]{38,64}$/)]);
  const forged = Buffer.from(JSON.stringify({ ...token, k: ['5'] })).toString('base64url');
  expect(await refusal(project.get(`/task/unit/${id}/history?cursor=${forged}`))).toEqual([400, 'query.bad_value']);
  expect(await history('task', id, '?limit=0')).toEqual({ count: 5, items: [] });
});

it('of a whole kind has deleted units too', async () => {
  const [one, two] = [await create('diary', { owner: annId, text: 'x' }), await create('diary', { owner: bobId })];
  await ok(project.delete(`/diary/unit/${one}`));
  const of = async (caller: TestProject, query = '') => {
    const { items, count } = (await ok(caller.get(`/diary/history${query}`))) as Page;
    expect(count).toBe(items.length);
    return items.map(({ unit_id: id, operation }) => [operation, id]);
  };
  const deleted = '?filter=eq(operation,delete)';
  expect(await of(project, deleted)).toEqual([['delete', one]]);
  expect(await of(project, `?filter=eq(unit_id,${two})`)).toEqual([['create', two]]);
  expect(await of(ann)).toEqual([
    ['delete', one],
    ['create', one],
  ]);
  expect(await of(bob)).toEqual([['create', two]]);
});

it('a version is seen by who may read the unit now and as it was then', async () => {
  const id = await create('note', { owner: annId, text: '1', wage: 1 });
  await edit('note', id, { text: '2', wage: 2 });
  await edit('note', id, { owner: bobId, text: '3', wage: 3 });
  await edit('note', id, { text: '4', wage: 4 });
  const texts = async (caller: TestProject) =>
    (await history('note', id, '', caller)).items.map(({ changes }) => [changes['text'], changes['wage']]);
  // Bob has it now, and had it in the last two; what it was before them is not his, nor what differs from that.
  expect(await texts(bob)).toEqual([
    [
      ['3', '4'],
      [3, 4],
    ],
    [undefined, undefined],
  ]);
  expect((await history('note', id, '', bob)).items[1]?.changes).toEqual({});
  expect(await refusal(ann.get(`/note/unit/${id}/history`))).toEqual([404, 'unit.unknown']);
  await edit('note', id, { shared: true });
  // Now Ann may read it again, and see what was hers; its wage now is not.
  expect(await texts(ann)).toEqual([
    [undefined, undefined],
    [['1', '2'], undefined],
    [[null, '1'], undefined],
  ]);
  const counted = async (caller: TestProject, name: string) =>
    (await history('note', id, `?filter=contains(changed,${name})`, caller)).count;
  expect([await counted(ann, 'wage'), await counted(ann, 'text'), await counted(bob, 'wage')]).toEqual([0, 2, 1]);
  expect((await texts(project)).length).toBe(5);
  await ok(project.delete(`/note/unit/${id}`));
  expect((await history('note', id, '', ann)).items.map(({ operation }) => operation)).toContain('delete');
});

it('of a natural key that was made again has both, in the order in which they were', async () => {
  for (const body of ['first', 'second']) {
    await create('page', { slug: 'home', body });
    await ok(project.delete('/page/unit/home'));
  }
  await create('page', { slug: 'home', body: 'third' });
  const page = await history('page', 'home');
  expect(operations(page)).toEqual(['create', 'delete', 'create', 'delete', 'create']);
  expect(page.items.map(({ changes }) => changes['body'])).toEqual([
    [null, 'third'],
    ['second', null],
    [null, 'second'],
    ['first', null],
    [null, 'first'],
  ]);
  const bodies = [];
  for (const { version } of page.items.toReversed()) {
    const answer = await project.get(`/page/unit/home?as_of=${version}`);
    bodies.push(answer.status === 200 ? (answer.body.content as { body: string }).body : answer.body.messages[0]?.code);
  }
  expect(bodies).toEqual(['first', 'unit.unknown', 'second', 'unit.unknown', 'third']);
});

it('answers a unit as it was', async () => {
  const id = await create('task', { title: 'a', count: 1, secret: 'canary' });
  for (const count of [2, 3]) await edit('task', id, { count });
  const { items } = await history('task', id);
  const past = async (query: string, caller = project) => ok(caller.get(`/task/unit/${id}?${query}`));
  const [last, middle, first] = items;
  expect(await past(`as_of=${middle?.version}`)).toMatchObject({ id, kind_id: 'task', title: 'a', count: 2 });
  expect(await past(`as_of=${middle?.at}&include=[count]`)).toEqual({ count: 2 });
  expect(await past(`as_of=${(last?.version ?? 0) + 1}`)).toMatchObject({ count: 3 });
  expect(await past(`as_of=${first?.version}&exclude=[title]`)).not.toHaveProperty('title');
  expect(JSON.stringify(await past(`as_of=${first?.version}`))).not.toContain('canary');
  const etags = ['', `?as_of=${last?.version}`, `?as_of=${last?.version}&include=[count]`].map(async (query) =>
    (await project.get(`/task/unit/${id}${query}`)).headers.get('etag'),
  );
  expect(new Set(await Promise.all(etags)).size).toBe(1);
  const early = await project.get(`/task/unit/${id}?as_of=2020-01-01`);
  expect([early.status, early.body.messages[0]?.code]).toEqual([400, 'history.not_kept']);
  expect(early.body.messages[0]?.text).toContain(first?.at);
  const refused: Record<string, [string, number, string, TestProject?]> = {
    future: ['as_of=2999-01-01', 400, 'history.not_kept'],
    'no time': ['as_of=yesterday', 400, 'query.bad_value'],
    empty: ['as_of=', 400, 'query.bad_value'],
    'a path': [`as_of=${last?.version}&include=[owner.name]`, 400, 'query.bad_value'],
    'an unknown field': [`as_of=${last?.version}&include=[nothing]`, 400, 'parameter.unknown'],
    'another query parameter': [`as_of=${last?.version}&load_links=true`, 400, 'query.unknown'],
    'no right': [`as_of=${last?.version}`, 403, 'access.denied', ann],
  };
  for (const [what, [query, status, code, caller = project]] of Object.entries(refused)) {
    expect(await refusal(caller.get(`/task/unit/${id}?${query}`)), what).toEqual([status, code]);
  }
});

it('of a unit that was never written since its kind has a history, is known since its version', async () => {
  const id = await create('off', { title: 'old' });
  await edit('kind', 'off', { changes: 'history' });
  expect(await history('off', id)).toEqual({ count: 0, items: [] });
  expect(await refusal(project.get(`/off/unit/${id}?as_of=2020-01-01`))).toEqual([400, 'history.not_kept']);
  expect(await ok(project.get(`/off/unit/${id}?as_of=${new Date().toISOString()}`))).toMatchObject({ title: 'old' });
  await edit('kind', 'off', { changes: 'none' });
});

it('refuses what is not there', async () => {
  const cases: Record<string, [string, number, string]> = {
    'a kind without': ['/off/history', 400, 'history.off'],
    'a unit of a kind without': ['/off/unit/0198c0de-0000-7000-8000-000000000000/history', 400, 'history.off'],
    'no such kind': ['/nothing/history', 404, 'kind.unknown'],
    'an id that never was': ['/task/unit/0198c0de-0000-7000-8000-000000000000/history', 404, 'unit.unknown'],
    'an id that is none': ['/task/unit/x/history?filter=eq(x,1)', 404, 'unit.unknown'],
    'an unknown name in a filter': ['/task/history?filter=eq(title,a)', 400, 'filter.unknown_parameter'],
    'a cursor that is none': ['/task/history?cursor=abc', 400, 'query.bad_value'],
    'a search': ['/task/history?search=a', 400, 'query.unknown'],
    'a moment': ['/task/history?filter=gt(at,@now-1d)', 400, 'filter.bad_value'],
  };
  for (const [what, [path, status, code]] of Object.entries(cases)) {
    expect(await refusal(project.get(path)), what).toEqual([status, code]);
  }
});

it('definitions have a history too', async () => {
  await edit('kind', 'task', { label: 'Job' });
  const { items } = await history('kind', 'task');
  expect(items[0]).toMatchObject({ operation: 'update', changes: { label: ['task', 'Job'] } });
  expect(items.at(-1)).toMatchObject({ operation: 'create' });
  expect(await query(project, `SELECT 1 FROM $schema._change WHERE "kind" = 'kind_system_user'`)).toEqual([]);
});

const revert = (kind: string, id: string, body: object, caller = project, query = '') =>
  caller.post(`/${kind}/unit/${id}/revert${query}`, body);
const versionsOf = async (kind: string, id: string) =>
  (await history(kind, id)).items.map(({ version }) => version).toReversed();

it('puts values back by an edit of what differs', async () => {
  const id = await create('task', { title: 'a', count: 1, tags: [{ add: 1 }], secret: 'canary' });
  await edit('task', id, { title: 'b', count: 2, tags: [] });
  const [first, second] = await versionsOf('task', id);
  const one = await ok(revert('task', id, { version: first, parameters: ['title'] }));
  expect(one).toMatchObject({ unit: { id, title: 'a', count: 2 }, left_out: [] });
  const dry = await ok(revert('task', id, { version: first }, project, '?dry_run=true'));
  expect(dry).toMatchObject({ unit: { count: 1, tags: [{ add: 1 }] } });
  expect(await ok(project.get(`/task/unit/${id}`))).toMatchObject({ count: 2 });
  expect(await ok(revert('task', id, { version: first }))).toMatchObject({ unit: { count: 1, tags: [{ add: 1 }] } });
  const { items } = await history('task', id);
  expect(items[0]).toMatchObject({ operation: 'update', via: 'revert', changes: { count: [2, 1] } });
  expect(Object.keys(items[1]?.changes ?? {})).toEqual(['title']);
  const gone = await ok(revert('task', id, { version: second, parameters: ['count', 'nothing', 'inserted_at'] }));
  expect(gone).toMatchObject({
    unit: { title: 'a', count: 2 },
    left_out: [
      { parameter: 'nothing', code: 'parameter.unknown' },
      { parameter: 'inserted_at', code: 'access.denied' },
    ],
  });
  expect(await query(project, `SELECT "secret" FROM $schema.task WHERE "id" = '${id}'`)).toEqual([
    { secret: 'canary' },
  ]);
});

it('brings a deleted unit back with its id and the time of its creation', async () => {
  const id = await create('task', { title: 'a', count: 1 });
  const before = (await ok(project.get(`/task/unit/${id}`))) as Record<string, unknown>;
  await ok(project.delete(`/task/unit/${id}`));
  const [made, deleted] = await versionsOf('task', id);
  const stale = { headers: { 'if-match': '"x"' } };
  const matched = project.post(`/task/unit/${id}/revert`, { version: made }, stale);
  expect(await refusal(matched)).toEqual([412, 'unit.changed']);
  const back = (await ok(revert('task', id, { version: deleted }))) as { unit: Record<string, unknown> };
  expect(back.unit).toEqual({ ...before, updated_at: back.unit['updated_at'] });
  expect(operations(await history('task', id))).toEqual(['create', 'delete', 'create']);
  expect(await refusal(revert('task', id, { version: deleted }))).toEqual([409, 'unit.exists']);
  expect(await ok(revert('task', id, { version: made }))).toMatchObject({ unit: { title: 'a' } });
  await create('page', { slug: 'back', body: 'x' });
  await ok(project.delete('/page/unit/back'));
  const [, version] = await versionsOf('page', 'back');
  // Some values alone, and its key.
  expect(await ok(revert('page', 'back', { version, parameters: [] }))).toMatchObject({
    unit: { id: 'back', slug: 'back', body: null },
  });
  await ok(project.delete('/page/unit/back'));
  expect(await ok(revert('page', 'back', { version }))).toMatchObject({
    unit: { id: 'back', slug: 'back', body: 'x' },
  });
  // Another one with the same key.
  await ok(project.delete('/page/unit/back'));
  await create('page', { slug: 'back', body: 'y' });
  expect(await refusal(revert('page', 'back', { version }))).toEqual([409, 'unit.exists']);
});

it('puts nothing back that its caller may not read there or write now', async () => {
  const id = await create('note', { owner: bobId, text: '1', wage: 1, shared: true });
  await edit('note', id, { text: '2', wage: 2 });
  const [first] = await versionsOf('note', id);
  expect(await ok(revert('note', id, { version: first }, ann))).toMatchObject({
    unit: { text: '1' },
    left_out: [{ parameter: 'wage', code: 'access.denied' }],
  });
  expect(await ok(revert('note', id, { version: first }, bob))).toMatchObject({ unit: { wage: 1 }, left_out: [] });
  await edit('kind', 'note', { access: { ...open, read: [MINE, 'eq(shared,true)'], history: 'member', update: MINE } });
  expect(await refusal(revert('note', id, { version: first }, ann))).toEqual([403, 'access.denied']);
  await edit('kind', 'note', { access: { ...open, read: [MINE, 'eq(shared,true)'], history: 'member' } });
});

it('leaves out what a rule refuses once the rest is put back, of a unit that comes back too', async () => {
  await defineKinds(project, {
    id: 'ticket',
    changes: 'history',
    public: true,
    access: { create: 'anyone', update: 'anyone', history: 'anyone' },
    parameters: [
      'title',
      { id: 'state', kind_id: 'string' },
      { id: 'price', kind_id: 'integer', write_access: 'eq(state,open)' },
      { id: 'tax', kind_id: 'integer', write_access: 'eq(state,open)' },
    ],
  });
  const left_out = ['price', 'tax'].map((parameter) => ({ parameter, code: 'access.denied' }));
  for (const caller of [ann, anonymous(project)]) {
    const id = await create('ticket', { title: 'a', state: 'closed', price: 1, tax: 1 });
    await edit('ticket', id, { title: 'b', state: 'open', price: 2, tax: 2 });
    const [version] = await versionsOf('ticket', id);
    const unit = { id, title: 'a', state: 'closed' };
    const edited = { unit: { ...unit, price: 2, tax: 2 }, left_out };
    expect(await ok(revert('ticket', id, { version }, caller))).toMatchObject(edited);
    await ok(project.delete(`/ticket/unit/${id}`));
    const created = { unit: { ...unit, price: null, tax: null }, left_out };
    expect(await ok(revert('ticket', id, { version }, caller))).toMatchObject(created);
  }
});

it('refuses what cannot be put back', async () => {
  const id = await create('task', { title: 'a' });
  const [version] = await versionsOf('task', id);
  const diary = await create('diary', { owner: bobId });
  const [written] = await versionsOf('diary', diary);
  const member = await asMember(project, 'visitor');
  const memberId = await idOf(member);
  await edit('kind', 'visitor', { changes: 'history', access: { history: 'member' } });
  await edit('visitor', memberId, { first_name: 'Vi' });
  await edit('visitor', memberId, { first_name: 'Vo', email: 'vo@visitor.example' });
  const [, named] = await versionsOf('visitor', memberId);
  // Names to sign in with are changed by administrators.
  expect(await ok(revert('visitor', memberId, { version: named }, member))).toMatchObject({
    unit: { first_name: 'Vi', email: 'vo@visitor.example' },
    left_out: [{ parameter: 'email', code: 'access.denied' }],
  });
  await ok(project.delete(`/visitor/unit/${memberId}`));
  const cases: Record<string, [string, string, object, number, string, TestProject?]> = {
    'no version': ['task', id, {}, 400, 'parameter.required'],
    'a text': ['task', id, { version: 'a' }, 400, 'parameter.bad_type'],
    'no list': ['task', id, { version, parameters: 'title' }, 400, 'parameter.bad_type'],
    'another name': ['task', id, { version, parameter: [] }, 400, 'parameter.unknown'],
    'a version beyond all': ['task', id, { version: 2 ** 63 }, 400, 'parameter.bad_value'],
    'an unknown version': ['task', id, { version: 7 }, 404, 'history.unknown'],
    'a history out of sight': ['diary', diary, { version: written }, 404, 'history.unknown', ann],
    'an unknown unit': ['task', '0198c0de-0000-7000-8000-000000000000', { version }, 404, 'unit.unknown'],
    'a kind without': ['off', id, { version }, 400, 'history.off'],
    'no right': ['task', id, { version }, 403, 'access.denied', ann],
    // Its values are gone with it.
    'a member': ['visitor', memberId, { version }, 409, 'unit.member'],
  };
  for (const [what, [kind, unit, body, status, code, caller = project]] of Object.entries(cases)) {
    expect(await refusal(revert(kind, unit, body, caller)), what).toEqual([status, code]);
  }
  const batch = [{ method: 'POST', path: `/task/unit/${id}/revert`, body: { version } }];
  expect(await ok(project.post('/batch', { operations: batch }))).toMatchObject({
    items: [{ status: 200, content: { unit: { title: 'a' } } }],
  });
  await edit('kind', 'task', { active: false });
  for (const call of [
    project.get('/task/history'),
    project.get(`/task/unit/${id}/history`),
    project.get(`/task/unit/${id}?as_of=${version}`),
    project.delete(`/task/unit/${id}/history`),
    revert('task', id, { version }),
  ]) {
    expect(await refusal(call)).toEqual([403, 'kind.inactive']);
  }
  await edit('kind', 'task', { active: true });
});

it('what no longer fits is refused as the edit is', async () => {
  await defineKinds(project, {
    id: 'job',
    changes: 'history',
    access: { ...open, history: 'member' },
    parameters: [
      { id: 'name', kind_id: 'string', unique: true },
      { id: 'size', kind_id: 'integer' },
    ],
  });
  const id = await create('job', { name: 'a', size: 5 });
  await edit('job', id, { name: 'b', size: 1 });
  await create('job', { name: 'a' });
  const [first] = await versionsOf('job', id);
  expect(await refusal(revert('job', id, { version: first }))).toEqual([409, 'parameter.not_unique']);
  await edit('kind', 'job', { checks: [{ id: 'small', filter: 'lt(size,3)', text: 'too large' }] });
  const tooLarge = await revert('job', id, { version: first, parameters: ['size'] });
  expect([tooLarge.status, tooLarge.body.messages[0]?.code]).toEqual([400, 'unit.check']);
});

it('tells nothing of units that had the same key and were out of sight', async () => {
  const parameters = [{ id: 'name', kind_id: 'string', is_primary: true, own: true }, 'owner'];
  await defineKinds(project, {
    id: 'room',
    changes: 'history',
    access: { ...open, read: MINE, history: 'member' },
    parameters,
  });
  for (const owner of [bobId, annId, bobId]) {
    await create('room', { name: 'a', owner });
    await ok(project.delete('/room/unit/a'));
  }
  await create('room', { name: 'a', owner: annId });
  const all = (await history('room', 'a')).items.toReversed();
  expect(operations(await history('room', 'a', '', ann))).toEqual(['create', 'delete', 'create']);
  const answers = [];
  for (const { version } of [{ version: 7 }, ...all]) {
    const { status, body } = await ann.get(`/room/unit/a?as_of=${version}`);
    answers.push(status === 200 ? 200 : body.messages[0]?.text);
  }
  const early = expect.stringContaining(all[2]?.at ?? '-') as unknown;
  const [, , , , deleted] = answers;
  expect(answers).toEqual([early, early, early, 200, deleted, deleted, deleted, 200]);
});

it('a definition as it was shows no values to those who are shown only some', async () => {
  await edit('kind', 'string', { access: { history: 'member' } });
  await ok(project.post('/string/unit', { id: 'grade', label: 'Grade', values: ['canary'] }));
  const [version] = await versionsOf('string', 'grade');
  await edit('string', 'grade', { hidden: true });
  const past = (caller: TestProject) => ok(caller.get(`/string/unit/grade?as_of=${version}`));
  expect(await past(project)).toMatchObject({ values: ['canary'] });
  expect(await past(ann)).toMatchObject({ label: 'Grade', values: null });
  // Nor does putting back take what is not shown for nothing.
  await edit('kind', 'string', { access: { history: 'member', update: 'member' } });
  await edit('string', 'grade', { hidden: false, values: ['new'], label: 'Mark' });
  const [, hidden] = await versionsOf('string', 'grade');
  const back = (await ok(revert('string', 'grade', { version: hidden }, ann))) as { left_out: object[] };
  expect(back).toMatchObject({ unit: { label: 'Grade', hidden: true } });
  expect(back.left_out).toContainEqual({ parameter: 'values', code: 'access.denied' });
  expect(await ok(project.get('/string/unit/grade'))).toMatchObject({ values: ['new'] });
  await ok(project.delete('/string/unit/grade'));
  const deleted = (await versionsOf('string', 'grade')).at(-1);
  expect(await ok(revert('string', 'grade', { version: deleted }))).toMatchObject({
    unit: { label: 'Grade', values: ['new'], hidden: true },
    left_out: [],
  });
});

it('a masked parameter whose name all objects have is left out of what is put back', async () => {
  const parameters = ['title', { id: 'constructor', kind_id: 'string', own: true, read_access: 'eq(title,a)' }];
  await defineKinds(project, { id: 'plan', changes: 'history', access: { ...open, history: 'member' }, parameters });
  const id = await create('plan', { title: 'b', constructor: 'x' });
  await edit('plan', id, { title: 'c', constructor: 'y' });
  const [version] = await versionsOf('plan', id);
  expect(await ok(revert('plan', id, { version, parameters: ['constructor'] }, ann))).toMatchObject({
    left_out: [{ parameter: 'constructor', code: 'access.denied' }],
  });
  expect(await ok(project.get(`/plan/unit/${id}`))).toMatchObject({ constructor: 'y' });
});

it('a definition is put back as well', async () => {
  await edit('kind', 'diary', { label: 'Journal' });
  const versions = await versionsOf('kind', 'diary');
  const answer = await ok(revert('kind', 'diary', { version: versions[0], parameters: ['label'] }));
  expect(answer).toMatchObject({ unit: { id: 'diary', label: 'diary' }, left_out: [] });
});
