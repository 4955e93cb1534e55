import { describe, expect, it } from 'vitest';
import { tokensOf } from '../../support/callers.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();

await admin.post('/kind/unit', { id: 'person', parameters: [{ id: 'team', kind_id: 'string' }] });
await admin.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] });

async function member(name: string, team: string | null) {
  const made = await admin.post('/person/unit', { username: name, email: `${name}@example.com`, team });
  expect(made.status).toBe(200);
  const id = made.body.content.id as string;
  const tokens = await tokensOf(admin, 'person', id);
  return { id, api: admin.as(tokens.access_token) };
}

const ada = await member('ada', 'red');
const bob = await member('bob', null);

describe('owner-only notes', async () => {
  const own = 'eq(owner,@member.id)';
  await admin.post('/kind/unit', {
    id: 'note',
    parameters: [
      { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
      { id: 'body', kind_id: 'string' },
    ],
    access: { read: own, create: own, update: own, delete: own },
  });

  it('lets each member read and write its own', async () => {
    const made = await ada.api.post('/note/unit', { owner: ada.id, body: 'mine' });
    expect(made).toMatchObject({ status: 200, body: { content: { body: 'mine' } } });
    const path = `/note/unit/${made.body.content.id as string}`;
    expect(await ada.api.get('/note/unit')).toMatchObject({ body: { content: { count: 1 } } });
    expect(await bob.api.get('/note/unit')).toMatchObject({ body: { content: { count: 0, items: [] } } });
    expect((await bob.api.get(path)).status).toBe(404);
    expect((await bob.api.put(path, { body: 'x' })).status).toBe(404);
    expect((await bob.api.delete(path)).status).toBe(404);
    expect((await bob.api.post('/note/unit', { owner: ada.id })).status).toBe(403);
    expect((await ada.api.put(path, { owner: bob.id })).status).toBe(403);
    expect((await ada.api.put(path, { body: 'new' })).status).toBe(200);
    expect((await admin.as(undefined).get('/note/unit')).status).toBe(401);
    expect((await admin.get(path)).status).toBe(200);
    expect(await ada.api.statements(() => ada.api.get('/note/unit'))).toBe(1);
  });

  it('is held by an index on the parameter of the rule', async () => {
    const refused = await admin.post('/kind/unit', {
      id: 'bad',
      parameters: [],
      access: { read: 'eq(nobody,@member.id)' },
    });
    expect(refused).toMatchObject({ status: 400, body: { messages: [{ parameter: 'access' }] } });
  });
});

describe('a rule whose value is absent', async () => {
  await admin.post('/kind/unit', {
    id: 'paper',
    parameters: [{ id: 'group_name', kind_id: 'string' }],
    access: { read: ['eq(group_name,@member.team)'], create: 'member' },
  });

  it('is false as a whole', async () => {
    await admin.post('/paper/unit', { group_name: 'red' });
    await admin.post('/paper/unit', { group_name: null });
    expect(await ada.api.get('/paper/unit')).toMatchObject({ body: { content: { count: 1 } } });
    expect(await bob.api.get('/paper/unit')).toMatchObject({ body: { content: { count: 0 } } });
    await admin.put('/kind/unit/paper', { access: { read: 'ne(group_name,@member.team)' } });
    expect(await ada.api.get('/paper/unit')).toMatchObject({ body: { content: { count: 1 } } });
    expect(await bob.api.get('/paper/unit')).toMatchObject({ body: { content: { count: 0 } } });
    expect((await bob.api.post('/paper/unit', { group_name: 'x' })).body.content).toEqual({
      id: expect.anything(),
      kind_id: 'paper',
    });
  });

  it('admits nobody after its parameter is deleted', async () => {
    expect((await admin.delete('/kind/unit/paper/link/parameter/string/unit/group_name?cascade=true')).status).toBe(
      200,
    );
    expect((await admin.get('/kind/unit/paper')).body.content.access).toEqual({ read: 'nobody' });
    expect((await ada.api.get('/paper/unit')).status).toBe(403);
  });
});

it('reading with a rule takes as many statements as without', async () => {
  const told: number[][] = [];
  for (const id of ['free', 'bound']) {
    const access = id === 'bound' ? { read: 'eq(owner,@member.id)' } : {};
    const made = await admin.post('/kind/unit', { id, parameters: ['owner', 'body'], access });
    expect(made.status).toBe(200);
    await admin.post('/group/unit', { id: `all_${id}`, kind_list: [id] });
    const units = await ada.api.post(`/${id}/unit`, [{ owner: ada.id }, { owner: ada.id, body: 'x' }]);
    const [first, second] = units.body.content.items as { id: string }[];
    const path = `/${id}/unit/${first?.id}`;
    expect((await ada.api.post(`${path}/link/link/${id}/unit/${second?.id}`)).status).toBe(200);
    const reads = [
      path,
      `${path}?load_links=true&depth=2`,
      `${path}/link/child?depth=3`,
      `${path}/struct`,
      `/${id}/unit`,
      `/${id}/unit?filter=isnull(body)&order=body;desc&cursor=`,
      `/${id}/unit?load_links=true`,
      `/${id}/unit?filter=isnull(owner.team)&include=body,owner.team`,
      `/group/all_${id}/unit`,
    ];
    const statements: number[] = [];
    for (const read of reads) {
      expect((await ada.api.get(read)).status, read).toBe(200);
      statements.push(await ada.api.statements(() => ada.api.get(read)));
    }
    told.push(statements);
  }
  expect(told[1]).toEqual(told[0]);
});
