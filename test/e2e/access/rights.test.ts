/** What members are told of their own rights, and that it is what happens when they try. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { byKey } from '../../support/keys.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
const member = await asMember(admin);
const me = (await ok(member.get('/auth/me'))) as { id: string };
const own = 'eq(owner,@member.id)';
const parameters = [
  { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
  { id: 'title', kind_id: 'string' },
];
// The member is no coach, so that a rule about its team never holds.
await defineKinds(admin, { id: 'coach', parameters: [{ id: 'team', kind_id: 'string' }] });
await ok(admin.post('/group/unit/kind_auth_member/link/group/kind/unit/coach'));
await defineKinds(
  admin,
  { id: 'open', parameters },
  {
    id: 'shown',
    parameters: ['owner', 'title'],
    access: { create: 'admin', update: 'admin', delete: 'nobody', link: 'admin' },
  },
  {
    id: 'ruled',
    parameters: ['owner', 'title'],
    access: { read: own, create: own, update: own, delete: own, link: own },
  },
  { id: 'editable', parameters: ['owner', 'title'], access: { update: own, delete: 'admin' } },
  { id: 'dropbox', parameters: ['title'], access: { read: 'admin' } },
  { id: 'closed', access: { read: 'admin', create: 'admin', update: 'member', delete: 'member', link: 'member' } },
  { id: 'never', parameters: ['title'], access: { read: 'eq(title,@member.team)', create: 'eq(title,@member.team)' } },
  { id: 'idle', active: false },
  {
    id: 'marked',
    parameters: [
      'title',
      { id: 'state', kind_id: 'string', write_access: 'admin' },
      { id: 'hint', kind_id: 'string', write_access: 'eq(title,@member.username)' },
      { id: 'secret', kind_id: 'string', read_access: 'admin', write_access: 'admin' },
    ],
  },
);
await ok(admin.post('/link/unit', { id: 'likes', access: { create: 'member', delete: 'admin' } }));
await ok(admin.post('/link/unit', { id: 'owns', access: { create: 'eq(parent.owner,@member.id)' } }));

interface Rights {
  readonly administrator: boolean;
  readonly kinds: readonly Readonly<Record<string, unknown>>[];
  readonly link_types: readonly object[];
}

async function rightsOf(caller: TestProject): Promise<Rights> {
  return await ok((await caller.documented()).get('/auth/rights'));
}
const shortOf = ({ kinds }: Rights, kind: string): string | undefined => {
  const found = kinds.find(({ id }) => id === kind);
  return found && ['read', 'create', 'update', 'delete', 'link'].map((name) => found[name] as string).join(' ');
};

describe('GET /auth/rights', () => {
  it('tells a member what it may do with each kind', async () => {
    const rights = await rightsOf(member);
    expect(rights.administrator).toBe(false);
    expect(shortOf(rights, 'open')).toBe('all all all all all');
    expect(shortOf(rights, 'shown')).toBe('all none none none none');
    expect(shortOf(rights, 'ruled')).toBe('some some some some some');
    expect(shortOf(rights, 'editable')).toBe('all all some none all');
    expect(shortOf(rights, 'dropbox')).toBe('none all none none none');
    expect(shortOf(rights, 'person')).toBe('some none some some all');
    expect(shortOf(rights, 'kind')).toBe('all none none none none');
    expect(shortOf(rights, 'api_key')).toBe('some some some some none');
  });

  it('names no kind with which the member may do nothing', async () => {
    const { kinds } = await rightsOf(member);
    const ids = kinds.map(({ id }) => id);
    for (const id of ['closed', 'never', 'idle', 'kind_admin', 'kind_system_user', 'nothing'])
      expect(ids).not.toContain(id);
  });

  it('names fields that may be read and not set', async () => {
    const { kinds } = await rightsOf(member);
    expect(kinds.find(({ id }) => id === 'marked')).toMatchObject({ read_only: ['state'] });
    const all = await rightsOf(admin);
    expect(all.kinds.find(({ id }) => id === 'marked')).toMatchObject({ read_only: [] });
  });

  it('tells of link types with access of their own', async () => {
    const { link_types: types } = await rightsOf(member);
    expect(types).toEqual([
      { id: 'likes', create: 'all', delete: 'none' },
      { id: 'owns', create: 'some', delete: null },
    ]);
    expect((await rightsOf(admin)).link_types).toContainEqual({ id: 'owns', create: 'all', delete: null });
  });

  it('tells an administrator that rules do not limit it, but “nobody” does', async () => {
    const rights = await rightsOf(admin);
    expect(rights.administrator).toBe(true);
    expect(shortOf(rights, 'ruled')).toBe('all all all all all');
    expect(shortOf(rights, 'shown')).toBe('all all all none all');
    expect(shortOf(rights, 'kind')).toBe('all all all all all');
  });

  it('narrows them as the scope of an API key does', async () => {
    const key = await byKey(admin, { scope: [{ kinds: ['open', 'ruled'], operations: ['read', 'create'] }] });
    const rights = await rightsOf(key);
    expect(rights.administrator).toBe(false);
    expect(rights.kinds.map(({ id }) => id)).toEqual(['open', 'ruled']);
    expect(shortOf(rights, 'open')).toBe('all all none none none');
  });

  it('follows changes of access at once, and refuses strangers and queries', async () => {
    await ok(admin.put('/kind/unit/open', { access: { delete: 'admin' } }));
    expect(shortOf(await rightsOf(member), 'open')).toBe('all all all none all');
    await ok(admin.put('/kind/unit/open', { access: {} }));
    expect((await anonymous(admin).get('/auth/rights')).status).toBe(401);
    expect((await member.get('/auth/rights?kinds=open')).body.messages[0]?.code).toBe('query.unknown');
  });

  it('is what happens when it is tried', async () => {
    const { kinds } = await rightsOf(member);
    const rightsTo = (id: string) => kinds.find((each) => each['id'] === id) ?? {};
    for (const kind of ['open', 'shown', 'ruled', 'editable', 'dropbox', 'closed', 'never']) {
      const holdsOwner = !['dropbox', 'closed', 'never'].includes(kind);
      const id = await createdId(admin.post(`/${kind}/unit`, holdsOwner ? { owner: me.id } : {}));
      const tries = {
        create: await member.post(`/${kind}/unit?dry_run=true`, holdsOwner ? { owner: me.id } : {}),
        update: await member.put(`/${kind}/unit/${id}?dry_run=true`, {}),
        delete: await member.delete(`/${kind}/unit/${id}?dry_run=true`),
      };
      for (const [operation, { status }] of Object.entries(tries)) {
        const right = rightsTo(kind)[operation] ?? 'none';
        expect([kind, operation, right, status < 400]).toEqual([kind, operation, right, right !== 'none']);
      }
    }
  });
});
