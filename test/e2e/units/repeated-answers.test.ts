/** What is repeated for an idempotency key shows no more than its caller may read by then. */
import { beforeAll, describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { byKey } from '../../support/keys.js';
import type { Reply, TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'town.ts': `
    import { kind } from 'kind';
    export default kind('town').module({
      functions: { peek: kind('town').function({ description: 'Tells', methods: ['POST'], run: () => 'SECRET' }) },
    });`,
});
const service = await sharedServiceWith(folder);
const project = await service.project();
const member = await asMember(project);

let keys = 0;
const newKey = () => `key-${(keys += 1)}`;
const send = (as: TestProject, key: string, method: string, path: string, body?: unknown): Promise<Reply> =>
  as.call(method, path, body, { headers: { 'idempotency-key': key } });
const replayed = ({ headers }: Reply) => headers.get('idempotency-replayed');
const told = ({ status, text, headers }: Reply) => {
  return { status, text, etag: headers.get('etag'), result: headers.get('kind-result') };
};

describe('a repeated answer shows what the caller may read now', () => {
  const opened = (more: object = {}) => ({
    read: 'member',
    create: 'member',
    update: 'member',
    delete: 'member',
    ...more,
  });
  const own = 'eq(owner,@member.id)';
  let me = '';
  const kinds = async () => {
    me = ((await ok(member.get('/auth/me'))) as { id: string }).id;
    await defineKinds(
      project,
      {
        id: 'diary',
        access: opened({ read: own, function: 'member' }),
        parameters: [
          { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
          { id: 'page', kind_id: 'string', unique: true },
          { id: 'mood', kind_id: 'string' },
        ],
      },
      { id: 'sheet', access: opened(), parameters: ['page', 'mood'] },
    );
  };
  const give = (id: unknown, owner: string | null) => ok(project.put(`/diary/unit/${String(id)}`, { owner }));
  const repeated = async (key: string, method: string, path: string, body?: unknown) => {
    const reply = await send(member, key, method, path, body);
    return [reply.status, replayed(reply), reply.body.content ?? reply.body.messages[0]?.code] as const;
  };

  it('of a unit that a rule hides now, only its id', async () => {
    await kinds();
    const [key, body] = [newKey(), { owner: me, page: '1', mood: 'good' }];
    const first = await send(member, key, 'POST', '/diary/unit', body);
    const { id } = first.body.content;
    expect(told(await send(member, key, 'POST', '/diary/unit', body))).toEqual(told(first));
    await give(id, null);
    expect(await repeated(key, 'POST', '/diary/unit', body)).toEqual([200, 'true', { id, kind_id: 'diary' }]);
    await give(id, me);
    expect(told(await send(member, key, 'POST', '/diary/unit', body))).toEqual(told(first));
    await ok(project.delete(`/diary/unit/${String(id)}`));
    expect(await repeated(key, 'POST', '/diary/unit', body)).toEqual([200, 'true', { id, kind_id: 'diary' }]);
  });

  it('of many units, of an upsert and of a batch', async () => {
    const many = [
      { owner: me, page: '2' },
      { owner: me, page: '3' },
    ];
    const [create, upsert, batch] = [newKey(), newKey(), newKey()];
    const url = '/diary/unit?on_conflict=update&by=page';
    const operations = [
      { as: 'new', method: 'POST', path: '/diary/unit', body: { owner: me, page: '4', mood: 'fair' } },
      { method: 'GET', path: '/diary/unit/{new.id}' },
      { method: 'GET', path: '/diary/unit?limit=1' },
    ];
    const first = await send(member, create, 'POST', '/diary/unit', many);
    const [two, three] = (first.body.content as { items: { id: string }[] }).items;
    await send(member, upsert, 'POST', url, many);
    const done = await send(member, batch, 'POST', '/batch', { operations });
    expect(done.status).toBe(200);
    const { id: four } =
      (done.body.content as unknown as { items: { content: { id: string } }[] }).items[0]?.content ?? {};
    await give(two?.id, null);
    await give(four, null);
    const hidden = { id: two?.id, kind_id: 'diary' };
    for (const [key, path] of [
      [create, '/diary/unit'],
      [upsert, url],
    ] as const) {
      const [status, again, content] = await repeated(key, 'POST', path, many);
      expect([status, again]).toEqual([200, 'true']);
      expect((content as { items: object[] }).items).toEqual([
        hidden,
        expect.objectContaining({ id: three?.id, page: '3', owner: me }),
      ]);
    }
    const [, , content] = await repeated(batch, 'POST', '/batch', { operations });
    const gone = { id: four, kind_id: 'diary' };
    expect((content as { items: { content: unknown }[] }).items.map((item) => item.content)).toEqual([
      gone,
      gone,
      { count: 3, items: [hidden] },
    ]);
  });

  it('not what shows no id, where a rule decides', async () => {
    const edit = '/diary/unit?filter=eq(page,3)&include=mood';
    const key = newKey();
    await ok(send(member, key, 'PUT', edit, { mood: 'bad' }));
    expect(await repeated(key, 'PUT', edit, { mood: 'bad' })).toEqual([403, null, 'access.denied']);
    const batch = newKey();
    const body = { operations: [{ method: 'GET', path: '/diary/aggregate?select=count()' }] };
    await ok(send(member, batch, 'POST', '/batch', body));
    expect((await repeated(batch, 'POST', '/batch', body))[0]).toBe(403);
    // Administrators read all.
    const open = newKey();
    const first = await send(project, open, 'PUT', edit, { mood: 'fair' });
    expect(told(await send(project, open, 'PUT', edit, { mood: 'fair' }))).toEqual(told(first));
  });

  it('without parameters, units and links that it may read no more', async () => {
    const [created, linked, named] = [newKey(), newKey(), newKey()];
    const body = { page: 'b', mood: 'calm' };
    const first = await send(member, created, 'POST', '/sheet/unit', body);
    const { id, kind_id } = first.body.content;
    const diary = (await ok(member.post('/diary/unit', { owner: me, page: '9' }))) as { id: string };
    const link = `/sheet/unit/${String(id)}/link/link/diary/unit/${diary.id}`;
    await ok(send(member, linked, 'POST', link));
    expect((await repeated(linked, 'POST', link))[0]).toBe(200);
    await give(diary.id, null);
    expect(await repeated(linked, 'POST', link)).toEqual([403, null, 'access.denied']);
    await ok(project.put('/string/unit/mood', { read_access: 'admin' }));
    const [, , content] = await repeated(created, 'POST', '/sheet/unit', body);
    const { mood, ...rest } = first.body.content;
    expect([mood, content]).toEqual(['calm', rest]);
    await ok(project.put('/kind/unit/sheet', { access: opened({ read: 'admin' }) }));
    expect(await repeated(created, 'POST', '/sheet/unit', body)).toEqual([200, 'true', { id, kind_id }]);
    const { status } = await send(member, named, 'POST', '/sheet/unit', { page: 'c' });
    expect(status).toBe(200);
  });
});

describe('what is not units or links alone is refused once something may be hidden', () => {
  const open = { read: 'member', create: 'member', update: 'member', delete: 'member', link: 'member' };
  const town = { ...open, function: 'member' };
  const made = async () => {
    const fresh = await service.project();
    const as = await asMember(fresh);
    const { id: me } = (await ok(as.get('/auth/me'))) as { id: string };
    await defineKinds(
      fresh,
      {
        id: 'land',
        access: { ...open, read: 'eq(owner,@member.id)' },
        parameters: [
          { id: 'name', kind_id: 'string' },
          { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
        ],
      },
      {
        id: 'town',
        access: town,
        parameters: [
          { id: 'title', kind_id: 'string' },
          { id: 'land', kind_id: 'unit', reference_kind: 'land' },
        ],
      },
    );
    await ok(fresh.post('/link/unit', { id: 'road', parameters: [{ id: 'toll', kind_id: 'string' }] }));
    await ok(fresh.post('/group/unit', { id: 'function', kind_list: ['town', 'land'] }));
    await reload(service);
    const land = await createdId(fresh.post('/land/unit', { name: 'SECRET', owner: me }));
    const id = await createdId(fresh.post('/town/unit', { title: 'Bonn', land }));
    await ok(fresh.post(`/town/unit/${id}/link/road/land/unit/${land}`, { toll: 'SECRET' }));
    return { fresh, as, me, land, id };
  };
  let setup: ReturnType<typeof made>;
  beforeAll(async () => void (await (setup = made())));

  const reads = (path: string) => ({ operations: [{ method: 'GET', path: path.replaceAll(' ', '%20') }] });
  it.each([
    ['nested units', '/town/unit/ID?include=land.name&nest=true'],
    ['loaded links', '/town/unit/ID?load_links=true'],
    ['an encoded path', '/town/unit/ID?include=id,kind_id,land%2Ename'],
    ['a quoted path', '/town/unit/ID?include=id,kind_id,land."name"'],
    ['the units of a group with the id of a keyword', '/group/function/unit?include=id,kind_id,land.name'],
    ['groups that look like units', '/town/aggregate?group=id,kind_id,land.name'],
    ['groups that look like links', '/town/aggregate?group=land.name&select=parent_kind_id:max(title)'],
    ['numbers of linked units', '/town/unit/ID?include=id,kind_id,n:count_linked(road,child),land.name'],
    ['a traversal', '/town/unit/ID/link/child'],
    ['a filter', '/land/unit?filter=eq(name,SECRET)&exclude=id'],
  ])('%s', async (_, path) => {
    const { fresh, as, me, land, id } = await setup;
    const body = reads(path.replace('ID', id));
    const key = newKey();
    const first = await send(as, key, 'POST', '/batch', body);
    expect(first.text).toContain('SECRET');
    await ok(fresh.put(`/land/unit/${land}`, { owner: null }));
    const again = await send(as, key, 'POST', '/batch', body);
    expect({ status: again.status, shows: again.text.includes('SECRET') }).toEqual({ status: 403, shows: false });
    await ok(fresh.put(`/land/unit/${land}`, { owner: me }));
  });

  it('values of links are left out that may no longer be read', async () => {
    const { fresh, as, land, id } = await setup;
    const key = newKey();
    const path = `/town/unit/${id}/link/road/land/unit/${land}`;
    const first = await send(as, key, 'PUT', path, { toll: 'SECRET' });
    expect(first.body.content).toMatchObject({ toll: 'SECRET' });
    await ok(fresh.put('/string/unit/toll', { read_access: 'admin' }));
    const { toll, ...rest } = first.body.content;
    expect([toll, (await send(as, key, 'PUT', path, { toll: 'SECRET' })).body.content]).toEqual(['SECRET', rest]);
    await ok(fresh.put('/string/unit/toll', { read_access: null }));
  });

  it('the call of a function whose kind is a reference', async () => {
    const { fresh, as, id } = await setup;
    const key = newKey();
    const operations = [
      { as: 'town', method: 'GET', path: `/town/unit/${id}` },
      { method: 'POST', path: '/{town.kind_id}/function/peek' },
    ];
    expect((await send(as, key, 'POST', '/batch', { operations })).text).toContain('SECRET');
    await ok(fresh.put('/kind/unit/town', { access: { ...town, function: 'admin' } }));
    expect((await send(as, key, 'POST', '/batch', { operations })).status).toBe(403);
    await ok(fresh.put('/kind/unit/town', { access: town }));
  });

  it('an aggregation, for an API key that may read less', async () => {
    const plain = await service.project();
    const as = await asMember(plain);
    await defineKinds(plain, { id: 'town', access: open, parameters: [{ id: 'title', kind_id: 'string' }] });
    await ok(as.post('/town/unit', { title: 'SECRET' }));
    const key = newKey();
    const body = reads('/town/aggregate?group=title');
    const first = await send(as, key, 'POST', '/batch', body);
    // Without rules, and with the same rights and definitions, it is the same.
    expect(told(await send(as, key, 'POST', '/batch', body))).toEqual(told(first));
    const narrow = await byKey(as, { scope: [{ kinds: ['town'], operations: ['read'] }] });
    expect((await send(narrow, key, 'POST', '/batch', body)).status).toBe(403);
    await ok(plain.put('/kind/unit/town', { label: 'Town' }));
    expect((await send(as, key, 'POST', '/batch', body)).status).toBe(403);
  });
});
