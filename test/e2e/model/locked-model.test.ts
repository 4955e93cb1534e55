/** A project whose model is changed by model files alone. */
import { expect, it } from 'vitest';
import { asAdministrator, asMember, defineKinds } from '../../support/callers.js';
import { runCommand } from '../../support/command-line.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const LOCKED = { status: 403, messages: ['model.locked'] };

it('refuses every other change of definitions, webhooks, providers and settings of the model', async () => {
  const project = await service.project();
  await asMember(project);
  await defineKinds(project, { id: 'note', parameters: [{ id: 'text', kind_id: 'string' }], changes: 'feed' });
  const admin = await asAdministrator(project);
  await ok(admin.post('/webhook/unit', { id: 'audit', url: 'https://example.org/h', kinds: ['note'] }));
  const set = (setting: string) => runCommand('project', 'set', project.id, setting, '--json');
  expect(JSON.parse((await set('model=locked')).out)).toMatchObject({ model: 'locked' });
  expect(JSON.parse((await runCommand('project', 'show', project.id, '--json')).out)).toMatchObject({
    model: 'locked',
  });
  await expect.poll(async () => refusalOf(await admin.post('/kind/unit', { id: 'more' }))).toEqual(LOCKED);

  const provider = { id: 'login', issuer: 'https://login.example.org', client_id: 'x', member_kind: 'person' };
  for (const [method, path, body] of [
    ['PUT', '/kind/unit/note', { label: 'A note' }],
    ['DELETE', '/kind/unit/note?cascade=true', undefined],
    ['POST', '/string/unit', { id: 'title' }],
    ['PUT', '/string/unit/text', { max_length: 5 }],
    ['POST', '/group/unit', { id: 'notes', kind_list: ['note'] }],
    ['POST', '/group/unit/kind_auth_member/link/group/kind/unit/note', undefined],
    ['POST', '/link/unit', { id: 'about' }],
    ['PUT', '/webhook/unit/audit', { active: false }],
    ['POST', '/webhook/unit', { id: 'other', url: 'https://example.org/h', kinds: ['note'] }],
    ['DELETE', '/webhook/unit/audit', undefined],
    ['POST', '/identity_provider/unit', provider],
    ['PUT', '/settings', { originals: 'owner' }],
  ] as const)
    expect([method, path, refusalOf(await admin.call(method, path, body))]).toEqual([method, path, LOCKED]);
  for (const setting of ['otp=on', 'access_default=closed', 'image_sizes=thumb:20x20:cover'])
    expect(await set(setting)).toMatchObject({ code: 1, err: expect.stringContaining('is locked') as string });

  // Data, what does not change, and settings that are the operator's go on.
  await ok(admin.post('/note/unit', { text: 'One' }));
  await ok(admin.put('/settings', { originals: 'all', file_url_seconds: 60 }));
  expect((await set('changes_keep=10')).code).toBe(0);
  const file = {
    ...{ format: 'kind-model', version: 1, partial: true, settings: { originals: 'owner' } },
    ...{ kinds: { note: { label: 'A note' } }, webhooks: { audit: { active: false } } },
  };
  await ok(admin.post('/model/apply', file));
  expect(await ok(admin.get('/settings'))).toMatchObject({ originals: 'owner', model: 'locked' });
  expect((await runCommand('project', 'list')).out).toMatch(new RegExp(`^${project.id} .* locked `, 'm'));
  expect(await ok(admin.get('/kind/unit/note'))).toMatchObject({ label: 'A note' });
  expect(await ok(admin.get('/webhook/unit/audit'))).toMatchObject({ active: false });

  expect((await set('model=open')).code).toBe(0);
  await expect.poll(async () => (await admin.put('/kind/unit/note', { label: 'Note' })).status).toBe(200);
});
