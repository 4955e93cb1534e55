/** Names of definitions are suggested ("did you mean …?") and described only to callers who may know them. */
import { expect, it } from 'vitest';
import { asMember, anonymous } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
const member = await asMember(admin);
await ok(admin.post('/string/unit', { id: 'secret_parameter' }));
await ok(admin.post('/kind/unit', { id: 'secret_kind', label: 'Secret', access: { read: 'admin' } }));
for (const id of ['unit', 'kind', 'group']) {
  await ok(admin.put(`/kind/unit/${id}`, { access: { create: 'member' } }));
}

/** Definitions that name something which does not exist. */
const ATTEMPTS = [
  ['/unit/unit', { id: 'ref', reference_kind: 'secret_kin' }, 'secret_kind'],
  ['/unit/unit', { id: 'ref', reference_kind: 'secret_kin', on_delete: 7 }, 'secret_kind'],
  ['/kind/unit', { id: 'fresh', parameters: ['secret_paramete'] }, 'secret_parameter'],
  [
    '/kind/unit',
    { id: 'fresh', parameters: [{ id: 'ref', kind_id: 'unit', reference_kind: 'secret_kin' }] },
    'secret_kind',
  ],
  ['/group/unit', { id: 'fresh', kind_list: ['secret_kin'] }, 'secret_kind'],
] as const;

it.each(ATTEMPTS)('%s %j: to members who may read the definitions', async (path, body, name) => {
  const { status, text } = await member.post(path, body);
  expect(status).toBe(400);
  expect(text).toContain(`did you mean '${name}'`);
});

it('not to members who may create definitions, but not read them', async () => {
  await ok(admin.put('/kind/unit/kind', { access: { create: 'member', read: 'admin' } }));
  await ok(admin.put('/kind/unit/string', { access: { read: 'admin' } }));
  for (const [path, body, name] of ATTEMPTS) {
    const { status, text } = await member.post(path, body);
    expect([path, body, status]).toEqual([path, body, 400]);
    expect(text).not.toContain(name);
    expect((await admin.post(path, body)).text).toContain(`did you mean '${name}'`);
  }
});

it('access.signup opens nothing of a kind that is no member kind', async () => {
  await ok(admin.post('/kind/unit', { id: 'vault', access: { read: 'admin', create: 'admin', signup: 'anyone' } }));
  expect((await anonymous(admin).get('/vault/struct')).status).toBe(401);
  expect((await member.get('/vault/struct')).status).toBe(403);
});
