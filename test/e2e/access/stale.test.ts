/** Permissions end with what they are for: a definition that is created again with the same id inherits none, in any process. */
import { beforeEach, describe, expect, it } from 'vitest';
import { defineKinds, tokensOf } from '../../support/callers.js';
import { createdId, expectNoDrift, ok } from '../../support/definitions.js';
import { sharedService, startTestService, type TestProject } from '../../support/service.js';

const [service, second] = [await sharedService(), await startTestService()];
let admin: TestProject;
let ann: TestProject;
/** The same member through another process, which knows the model and the session already. */
let there: TestProject;
let annId: string;

const join = (kinds: string[]) =>
  ok(admin.put('/group/unit/kind_auth_member?cascade=true', { kind_list: ['kind_admin', ...kinds] }));
async function memberOf(kind: string, name = 'ann'): Promise<{ id: string; token: string }> {
  const made = await ok(admin.post(`/${kind}/unit`, { username: name, email: `${name}@example.com` }));
  const { id } = made as { id: string };
  return { id, token: (await tokensOf(admin, kind, id)).access_token };
}

beforeEach(async () => {
  admin = await service.project();
  await defineKinds(admin, { id: 'person', parameters: [{ id: 'team', kind_id: 'string' }] });
  await join(['person']);
  await defineKinds(admin, {
    id: 'note',
    parameters: [
      { id: 'body', kind_id: 'string' },
      { id: 'secret', kind_id: 'string', read_access: 'admin' },
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
    ],
  });
  const member = await memberOf('person');
  annId = member.id;
  ann = admin.as(member.token);
  there = (await second.signIn(admin.id)).as(member.token);
  await ok(admin.post('/note/unit', { body: 'b', secret: 's', owner: annId }));
  await ok(there.get('/note/unit'));
});

describe('a change of access', () => {
  it('applies on every process to its next request', async () => {
    for (const read of ['admin', 'member', 'nobody', 'eq(owner,@member.id)', 'ne(owner,@member.id)', 'anyone']) {
      await ok(admin.put('/kind/unit/note', { access: { read } }));
      const [here, elsewhere] = [await ann.get('/note/unit'), await there.get('/note/unit')];
      expect([read, here.status, here.text]).toEqual([read, elsewhere.status, elsewhere.text]);
      expect(here.status).toBe(['admin', 'nobody'].includes(read) ? 403 : 200);
      expect((await there.get('/note/struct')).status).toBe((await ann.get('/note/struct')).status);
    }
    await ok(admin.put('/string/unit/body', { read_access: 'admin' }));
    expect((await there.get('/note/unit?filter=eq(body,b)')).status).toBe(400);
    expect(await ok(there.get('/note/unit?include=id'))).toMatchObject({ count: 1 });
    expect((await there.get('/note/unit')).text).not.toContain('"body"');
  });

  it('of a member itself applies to its next request', async () => {
    await ok(admin.put('/kind/unit/note', { access: { read: 'eq(body,@member.team)' } }));
    expect(await ok(there.get('/note/unit'))).toMatchObject({ count: 0 });
    await ok(admin.put(`/person/unit/${annId}`, { team: 'b' }));
    expect(await ok(there.get('/note/unit'))).toMatchObject({ count: 1 });
    await ok(admin.put(`/person/unit/${annId}`, { team: null }));
    expect(await ok(there.get('/note/unit'))).toMatchObject({ count: 0 });
  });
});

describe('created again under the same id', () => {
  it('a kind has neither the units nor the access nor the links of the old one', async () => {
    await ok(admin.put('/kind/unit/note', { access: { read: 'anyone' } }));
    const { items } = (await ok(admin.get('/note/unit'))) as { items: { id: string }[] };
    const old = items[0]?.id ?? '';
    const other = await createdId(admin.post('/note/unit', {}));
    await ok(admin.post(`/note/unit/${old}/link/link/note/unit/${other}`));
    await ok(admin.delete('/kind/unit/note?cascade=true'));
    expect((await there.get('/note/unit')).status).toBe(404);
    await defineKinds(admin, {
      id: 'note',
      parameters: [{ id: 'body', kind_id: 'string' }],
      access: { read: 'admin' },
    });
    expect((await there.get('/note/unit')).status).toBe(403);
    expect((await there.as(undefined).get('/note/unit')).status).toBe(401);
    expect(await ok(admin.get('/note/unit'))).toEqual({ count: 0, items: [] });
    expect((await admin.get(`/note/unit/${old}`)).status).toBe(404);
    await expectNoDrift(admin);
  });

  it('a parameter has neither the values nor the protection of the old one, and no rule refers to it', async () => {
    await ok(admin.put('/kind/unit/note', { access: { read: 'member', update: 'eq(secret,s)' } }));
    await ok(admin.delete('/string/unit/secret?cascade=true'));
    await ok(admin.post('/string/unit', { id: 'secret' }));
    await ok(admin.post('/kind/unit/note/link/parameter/string/unit/secret'));
    expect(await ok(there.get('/note/unit?include=secret'))).toEqual({ count: 1, items: [{ secret: null }] });
    expect(((await ok(admin.get('/kind/unit/note'))) as { access: object }).access).toEqual({
      read: 'member',
      update: 'nobody',
    });
    const { items } = (await ok(admin.get('/note/unit'))) as { items: { id: string }[] };
    expect((await admin.put(`/note/unit/${items[0]?.id}`, { secret: 's' })).status).toBe(403);
  });

  it('a new parameter of the member kind is not used by an old rule', async () => {
    await ok(admin.put('/kind/unit/note', { access: { read: 'eq(body,@member.team)' } }));
    await ok(admin.delete('/string/unit/team?cascade=true'));
    await ok(admin.post('/string/unit', { id: 'team' }));
    await ok(admin.post('/kind/unit/person/link/parameter/string/unit/team'));
    await ok(admin.put(`/person/unit/${annId}`, { team: 'b' }));
    expect((await there.get('/note/unit')).status).toBe(403);
  });

  it('a member kind accepts neither the tokens nor the credentials of the old one', async () => {
    await defineKinds(admin, { id: 'staff' });
    await join(['person', 'staff']);
    const old = await memberOf('staff', 'stan');
    expect((await there.as(old.token).get('/kind/unit')).status).toBe(200);
    await join(['person']);
    expect((await there.as(old.token).get('/kind/unit')).status).toBe(401);
    await ok(admin.delete('/kind/unit/staff?cascade=true'));
    await defineKinds(admin, { id: 'staff' });
    await join(['person', 'staff']);
    expect((await ann.as(old.token).get('/kind/unit')).status).toBe(401);
    await expect.poll(async () => (await there.as(old.token).get('/kind/unit')).status, { timeout: 1500 }).toBe(401);
    const again = await memberOf('staff', 'stan');
    expect(again.id).not.toBe(old.id);
    expect((await ann.as(old.token).get('/kind/unit')).status).toBe(401);
  });

  it('a member with the same name inherits nothing of the old one', async () => {
    await ok(admin.put('/kind/unit/note', { access: { read: 'eq(owner,@member.id)' } }));
    await ok(admin.put('/unit/unit/owner', { on_delete: 'set_null' }));
    await ok(admin.delete(`/person/unit/${annId}`));
    const again = await memberOf('person');
    expect(await ok(admin.as(again.token).get('/note/unit'))).toMatchObject({ count: 0 });
    expect((await ann.get('/note/unit')).status).toBe(401);
    await expect.poll(async () => (await there.get('/note/unit')).status, { timeout: 1500 }).toBe(401);
  });
});
