/** Scopes of API keys: what a scope does not name is closed to the caller on every path, as with the level `nobody`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/model/built-in-traits.js';
import { defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';
import { byKey, makeKey } from '../../support/keys.js';
import { runs } from '../../support/runs.js';
import type { Reply, TestProject } from '../../support/service.js';

const folder = new FunctionsFolder({
  'note.ts': `
    import { kind } from 'kind';
    const note = kind('note');
    export default note.module({
      functions: {
        mine: note.function({ description: 'As the caller', run: async ({ units }) => (await units('tag').list()).count }),
        whole: note.function({ description: 'As the system', run: async ({ system }) => (await system.units('tag').list()).count }),
        administers: note.function({ description: 'Who calls', run: ({ member }) => member?.administrator }),
        make: note.function({ description: 'Makes a key', run: async ({ system }) => system.units('api_key').create({ label: 'x' }) }),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const admin = await withMembers(await service.project());
await defineKinds(
  admin,
  { id: 'tag', parameters: [{ id: 'name', kind_id: 'string', unique: true }] },
  {
    id: 'note',
    parameters: [
      { id: 'text', kind_id: 'string', unique: true },
      { id: 'tag', kind_id: 'unit', reference_kind: 'tag' },
    ],
  },
);
await ok(admin.post('/group/unit', { id: 'notes', kind_list: ['note', 'tag'] }));
const tag = await createdId(admin.post('/tag/unit', { name: 'red' }));
const note = await createdId(admin.post('/note/unit', { text: 'first', tag }));
await ok(admin.post(`/note/unit/${note}/link/link/tag/unit/${tag}`));

const SCOPED = OPERATIONS.filter((operation) => operation !== 'signup');
type Scope = readonly { readonly kinds: readonly string[]; readonly operations: readonly string[] }[];
type Right = `${string}.${string}`;

/** A call, the rights without which it is refused, and those by which its unit is found. */
interface ScopedCall {
  readonly call: readonly [method: string, path: string, body?: unknown];
  readonly needs: readonly Right[];
  readonly finds?: readonly Right[];
  /** Any of these is enough. */
  readonly any?: readonly Right[];
}

const unit = `/note/unit/${note}`;
const link = `${unit}/link/link/tag/unit/${tag}`;
const CALLS: readonly ScopedCall[] = [
  ...['unit', 'unit?limit=0', 'aggregate?select=[count()]', 'export?format=ndjson', 'unit?filter=all()'].map(
    (path): ScopedCall => ({ call: ['GET', `/note/${path}`], needs: ['note.read'] }),
  ),
  { call: ['GET', unit], needs: ['note.read'] },
  { call: ['GET', '/note/by/text/first'], needs: ['note.read'] },
  { call: ['GET', `${unit}/struct`], needs: ['note.read'] },
  { call: ['GET', '/note/struct'], needs: [], any: ['note.read', 'note.create'] },
  ...['filter=eq(tag.name,red)', 'include=[text,tag.name]', 'order=tag.name', 'filter=linked(link,child,tag)'].map(
    (query): ScopedCall => ({ call: ['GET', `/note/unit?${query}`], needs: ['note.read', 'tag.read'] }),
  ),
  ...['filter=exists(note.tag)', 'include=[name,n:count_related(note.tag)]', 'include=[name,n:related(note.tag)]'].map(
    (query): ScopedCall => ({ call: ['GET', `/tag/unit?${query}`], needs: ['note.read', 'tag.read'] }),
  ),
  { call: ['POST', '/note/unit?dry_run=true', { text: 'new' }], needs: ['note.create'] },
  { call: ['POST', '/note/unit?dry_run=true', [{ text: 'a' }, { text: 'b' }]], needs: ['note.create'] },
  {
    call: ['POST', '/note/unit?dry_run=true', { text: 'in', tag: { name: 'new' } }],
    needs: ['note.create', 'tag.create'],
  },
  { call: ['PUT', `${unit}?dry_run=true`, { text: 'x' }], needs: ['note.update'], finds: ['note.read'] },
  { call: ['DELETE', `${unit}?dry_run=true`], needs: ['note.delete'], finds: ['note.read'] },
  { call: ['POST', `${link}?dry_run=true`], needs: ['note.link', 'tag.read'], finds: ['note.read'] },
  { call: ['DELETE', `${link}?dry_run=true`], needs: ['note.link', 'tag.read'], finds: ['note.read'] },
  { call: ['GET', `${unit}/link/child`], needs: ['note.read'] },
  { call: ['GET', '/group/notes/unit'], needs: ['group.read'] },
  { call: ['GET', '/group/unit'], needs: ['group.read'] },
  { call: ['GET', '/kind/unit'], needs: ['kind.read'] },
  { call: ['GET', '/kind/unit/note'], needs: ['kind.read'] },
  { call: ['GET', '/string/unit'], needs: ['string.read'] },
  { call: ['POST', '/string/unit?dry_run=true', { id: 'fresh' }], needs: ['string.create'] },
  { call: ['PUT', '/kind/unit/note?dry_run=true', { label: 'x' }], needs: ['kind.update'], finds: ['kind.read'] },
  { call: ['POST', '/kind/unit?dry_run=true', { id: 'fresh' }], needs: ['kind.create'] },
  { call: ['GET', '/api_key/unit'], needs: ['api_key.read'] },
  { call: ['GET', '/kind_admin/unit'], needs: ['kind_admin.read'] },
  { call: ['GET', '/person/unit'], needs: ['person.read'] },
  { call: ['POST', '/batch', { operations: [{ method: 'GET', path: '/note/unit' }] }], needs: ['note.read'] },
  { call: ['POST', '/note/function/mine', {}], needs: ['note.function', 'tag.read'] },
  { call: ['POST', '/note/function/whole', {}], needs: ['note.function'] },
];

/** The naive evaluation: a list of pairs. */
function expected({ needs, finds = [], any }: ScopedCall, scope: Scope): number[] {
  const has = (right: Right): boolean => {
    const [kind = '', operation = ''] = right.split('.');
    return scope.some(({ kinds, operations }) => kinds.includes(kind) && operations.includes(operation));
  };
  if (any && !any.some(has)) return [403];
  return [...needs, ...finds].every(has) ? [200] : [403];
}

const part = fc.record({
  kinds: fc.uniqueArray(fc.constantFrom('note', 'tag', 'group', 'kind', 'string', 'person', 'kind_admin', 'api_key'), {
    minLength: 1,
  }),
  operations: fc.uniqueArray(fc.constantFrom(...SCOPED), { minLength: 1 }),
});

it('every call answers as the scope says, from the first request after it was set', { timeout: 300_000 }, async () => {
  const { id, secret } = await makeKey(admin, { scope: [] });
  const key = admin.as(secret);
  const check = async (scope: Scope): Promise<void> => {
    await ok(admin.put(`/api_key/unit/${id}`, { scope }));
    for (const each of CALLS) {
      const [method, path, body] = each.call;
      const reply: Reply = await key.call(method, path, body);
      const statuses = expected(each, scope);
      expect({ path, scope, status: statuses.includes(reply.status) ? statuses : reply.status }).toEqual({
        path,
        scope,
        status: statuses,
      });
    }
  };
  await check([]);
  await check([
    { kinds: ['note', 'tag', 'group', 'kind', 'string', 'person', 'kind_admin', 'api_key'], operations: SCOPED },
  ]);
  await fc.assert(fc.asyncProperty(fc.array(part, { maxLength: 3 }), check), { numRuns: runs(10) });
});

describe('a scope', () => {
  it('never adds to the rights of the member', async () => {
    const ann = await signUp(admin, 'ann');
    await ok(admin.put('/kind/unit/tag', { access: { create: 'admin' } }));
    const scope = [{ kinds: ['tag', 'kind', 'kind_admin'], operations: SCOPED }];
    const key = await byKey(admin.as(ann.accessToken), { scope });
    await ok(key.get('/tag/unit'));
    for (const path of ['/tag/unit', '/kind/unit', '/kind_admin/unit']) {
      expect((await key.post(path, { name: 'x' })).status, path).toBe(403);
    }
    await ok(admin.put('/kind/unit/tag', { access: {} }));
  });

  it('says which right of a kind the key lacks, if its member may read the kind', async () => {
    const bea = await signUp(admin, 'bea');
    const asBea = admin.as(bea.accessToken);
    const scope = [{ kinds: ['note'], operations: ['create', 'update', 'link', 'function'] }];
    const [key, ofAdmin] = [await byKey(asBea, { scope }), await byKey(admin, { scope })];
    const said = async (method: string, path: string, body: object = {}, by = key) => {
      const { status, body: answer } = await by.call(method, path, body);
      return [status, ...answer.messages.map(({ code, text }) => `${code} ${text}`)];
    };
    const unread = [403, "access.denied This API key may not read units of 'note'"];
    expect(await said('DELETE', unit)).toEqual([403, "access.denied This API key may not delete units of 'note'"]);
    expect(await said('PUT', unit, { text: 'x' })).toEqual(unread);
    expect(await said('PUT', '/note/unit?filter=all()', { text: 'x' })).toEqual(unread);
    expect(await said('POST', link)).toEqual(unread);
    expect(await said('POST', '/note/function/mine')).toEqual([
      403,
      "access.denied This API key may not read units of 'tag'",
    ]);
    const refused = [400, "parameter.bad_reference tag: no such unit of 'tag' that this API key may read"];
    expect(await said('POST', '/note/unit', { text: 'y', tag })).toEqual(refused);
    expect(await said('GET', '/kind/access', undefined, ofAdmin)).toEqual([
      403,
      "access.denied This API key may not read units of 'kind'",
    ]);
    const reader = await byKey(admin, { scope: [{ kinds: ['note', 'kind'], operations: ['read'] }] });
    expect(await said('GET', '/note/unit?explain=true', undefined, reader)).toEqual([
      403,
      'access.denied explain is for administrators; this API key has a scope',
    ]);
    // What the member may not do either is said as to the member.
    await ok(admin.put('/kind/unit/note', { access: { delete: 'admin' } }));
    expect(await said('DELETE', unit)).toEqual([403, "access.denied You may not delete units of 'note'"]);
    await ok(admin.put('/kind/unit/note', { access: { read: 'admin' } }));
    expect(await said('DELETE', unit)).toEqual([403, "access.denied You may not delete units of 'note'"]);
    await ok(admin.put('/kind/unit/note', { access: {} }));
    await ok(admin.put('/kind/unit/tag', { access: { read: 'admin', create: 'admin' } }));
    expect(await said('POST', '/note/unit', { text: 'y', tag })).toEqual(
      await said('POST', '/note/unit', { text: 'y', tag }, asBea),
    );
    await ok(admin.put('/kind/unit/tag', { access: {} }));
  });

  it('hides what is linked, and what groups and links lead to', async () => {
    const key = await byKey(admin, { scope: [{ kinds: ['note', 'group'], operations: ['read'] }] });
    const list = (await ok(key.get('/group/notes/unit'))) as { items: { kind_id: string }[] };
    expect(list.items.map(({ kind_id }) => kind_id)).toEqual(['note']);
    expect((await ok(key.get(`${unit}/link/child`))).count).toBe(0);
    expect((await ok(key.get(`${unit}?load_links=count`))).links).toEqual({ parent: {}, child: {} });
    expect((await ok(admin.get(`${unit}/link/child`))).count).toBe(1);
    // The same requests again, in any order: what is remembered of one caller is not answered to another.
    for (const caller of [key, admin, key]) {
      const count = caller === admin ? 1 : 0;
      expect((await ok(caller.get(`${unit}/link/child`))).count).toBe(count);
      expect((await caller.get('/tag/unit')).status).toBe(caller === admin ? 200 : 403);
    }
  });

  it('makes an administrator know no more than it names', async () => {
    const key = await byKey(admin, { scope: [{ kinds: ['note'], operations: ['read'] }] });
    expect((await key.get(`${unit}/access`)).status).toBe(403);
    expect((await key.get('/note/unit?explain=true')).status).toBe(403);
    const whole = await byKey(admin);
    expect((await whole.get('/note/unit?explain=true')).status).toBe(200);
    const paths = async (caller: TestProject) =>
      Object.keys((JSON.parse((await caller.get('/doc/openapi.json')).text) as { paths: object }).paths);
    expect(await paths(key)).toContain('/api/lib/note/unit');
    expect((await paths(key)).filter((path) => path.startsWith('/api/lib/tag/unit'))).toEqual([]);
    expect(await paths(whole)).toContain('/api/lib/tag/unit');
  });

  it('narrows functions that act as the caller, and not those that act as the system, which make no keys', async () => {
    const scope = [{ kinds: ['note'], operations: ['function'] }];
    const key = await byKey(admin, { scope });
    expect((await key.post('/note/function/mine', {})).status).toBe(403);
    expect(await ok(key.post('/note/function/whole', {}))).toBe(1);
    for (const caller of [key, admin]) {
      expect(refusalOf(await caller.post('/note/function/make', {}))).toEqual({
        status: 403,
        messages: ['access.denied'],
      });
    }
  });

  it('makes the member of functions no administrator', async () => {
    const scope = [{ kinds: ['note'], operations: ['function'] }];
    const callers = [admin, await byKey(admin), await byKey(admin, { scope })];
    const told = await Promise.all(callers.map((caller) => ok(caller.post('/note/function/administers', {}))));
    expect(told).toEqual([true, true, false]);
  });

  it('loses a kind that is deleted, also if there is a new one of the same name', async () => {
    await defineKinds(admin, { id: 'gone' }, { id: 'stays' });
    const one = await makeKey(admin, { scope: [{ kinds: ['gone'], operations: ['read'] }] });
    const two = await makeKey(admin, {
      scope: [
        { kinds: ['stays', 'gone'], operations: ['read'] },
        { kinds: ['gone'], operations: ['create'] },
      ],
    });
    const [first, second] = [admin.as(one.secret), admin.as(two.secret)];
    await ok(first.get('/gone/unit'));
    await ok(second.get('/gone/unit'));
    await ok(admin.delete('/kind/unit/gone'));
    expect((await first.get('/gone/unit')).status).toBe(404);
    await defineKinds(admin, { id: 'gone' });
    for (const key of [first, second]) {
      expect((await key.get('/gone/unit')).status).toBe(403);
      expect((await key.post('/gone/unit', {})).status).toBe(403);
    }
    await ok(second.get('/stays/unit'));
    // Nothing left is nothing allowed, and not everything.
    expect((await ok(admin.get(`/api_key/unit/${one.id}`))).scope).toEqual([]);
    const kept = await ok(admin.get(`/api_key/unit/${two.id}`));
    expect(kept.scope).toEqual([{ kinds: ['stays'], operations: ['read'] }]);
    await ok(admin.put(`/api_key/unit/${two.id}`, kept));
    expect((await first.get('/note/unit')).status).toBe(403);
  });

  it('is applied to answers that were kept for the member', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const path = '/note/unit';
    const { id } = (await ok(admin.post(path, { text: 'kept' }, { headers }))) as { id: string };
    const repeated = async (operations: readonly string[]) => {
      const key = await byKey(admin, { scope: [{ kinds: ['note'], operations }] });
      return key.post(path, { text: 'kept' }, { headers });
    };
    expect((await repeated(['read', 'create'])).body.content).toMatchObject({ id, text: 'kept' });
    const reply = await repeated(['create']);
    expect(reply.headers.get('idempotency-replayed')).toBe('true');
    expect(reply.body.content).toEqual({ id, kind_id: 'note' });
    expect((await repeated(['read'])).status).toBe(403);
    await ok(admin.delete(`${path}/${id}`));
  });
});
