/** Linking kinds of the model: `link` of the parent and `read` of the child, by level and by rule. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
await defineKinds(
  admin,
  { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] },
  { id: 'town', parameters: ['name'] },
);
await admin.post('/string/unit', { id: 'extra' });
await admin.post('/group/unit', { id: 'open', kind_list: ['city'] });
await admin.post('/group/unit', { id: 'closed', kind_list: ['city'] });
const member = await asMember(admin);

async function allow(kind: string, access: object | null): Promise<void> {
  const set = await admin.put(`/kind/unit/${kind}`, { access });
  if (set.status !== 200) throw new Error(set.text);
}

const add = (group: string, kind: string) => member.post(`/group/unit/${group}/link/group/kind/unit/${kind}`);
const take = (group: string, kind: string) => member.delete(`/group/unit/${group}/link/group/kind/unit/${kind}`);

it('a group that a rule hides neither gains nor loses kinds', async () => {
  await allow('group', { read: 'ne(id,closed)', link: 'member' });
  expect((await add('closed', 'town')).status).toBe(404);
  expect((await take('closed', 'city')).status).toBe(404);
  expect((await add('open', 'town')).status).toBe(200);
});

describe('the right to link kinds of the model', () => {
  it('is link of the parent', async () => {
    await allow('group', { update: 'member' });
    expect((await add('closed', 'town')).status).toBe(403);
    await allow('group', { link: 'eq(id,open)' });
    expect((await add('closed', 'town')).status).toBe(403);
    expect((await add('open', 'town')).status).toBe(200);
    expect((await take('open', 'town')).status).toBe(200);
    await allow('kind', { link: 'eq(id,town)' });
    expect((await member.post('/kind/unit/city/link/parameter/string/unit/extra')).status).toBe(403);
    expect((await member.post('/kind/unit/town/link/parameter/string/unit/extra')).status).toBe(200);
    await allow('kind', null);
  });

  it('and read of the child', async () => {
    await allow('group', { link: 'member' });
    await allow('kind', { read: 'ne(id,town)' });
    expect((await add('open', 'town')).status).toBe(404);
    await allow('kind', { read: 'admin' });
    expect((await add('open', 'city')).status).toBe(403);
    await allow('kind', null);
    await allow('group', null);
  });
});

it('missing objects are reported before faults of the query', async () => {
  const add = (group: string) => admin.post(`/group/unit/${group}/link/group/kind/unit/city?nonsense=1`);
  expect((await add('nowhere')).status).toBe(404);
  expect((await add('open')).status).toBe(400);
});
