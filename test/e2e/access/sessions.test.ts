import { describe, expect, it } from 'vitest';
import { sharedService, startTestService, ADMIN } from '../../support/service.js';

const service = await sharedService();
const second = await startTestService();
const admin = await service.project();
await admin.post('/kind/unit', { id: 'person', parameters: [{ id: 'phone', kind_id: 'string', required: true }] });
await admin.post('/group/unit/kind_auth_member/link/group/kind/unit/person');

const open = admin.as(undefined);
const signUp = (username: string, more: object = {}) =>
  open.post('/auth/person/signup', {
    username,
    password: 'a long secret',
    kind_system_user: { username, password: 'a long secret', email: `${username}@example.com` },
    phone: '1',
    ...more,
  });
const bearer = (token: string) => ({ token });

describe('sign-up', () => {
  it('answers a whole member session', async () => {
    const { status, body } = await signUp('ada', { first_name: 'Ada' });
    expect(status).toBe(200);
    const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
    expect(body.content).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      auth_token: null,
      kind_id: 'person',
      kind_system_user: expect.stringMatching(/^[0-9a-f-]{36}$/),
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: '',
      first_access_time: expect.stringMatching(time),
      last_access_time: expect.stringMatching(time),
      inserted_at: expect.stringMatching(time),
      metadata: {},
      username: 'ada',
      phone: '1',
    });
    expect((await open.get('/auth/verify', bearer(body.content.access_token as string))).status).toBe(200);
  });

  it.each([
    [
      'a taken name',
      () => signUp('ADA', { kind_system_user: { username: 'ADA', password: 'a long secret', email: 'x@y.z' } }),
      409,
      'parameter.not_unique',
    ],
    ['a missing parameter', () => signUp('eve', { phone: undefined }), 400, 'parameter.required'],
    ['an unknown one', () => signUp('eve', { fone: '1' }), 400, 'parameter.unknown'],
    ['another password inside', () => signUp('eve', { password: 'another secret' }), 400, 'signup.mismatch'],
    [
      'a short password',
      () => signUp('eve', { password: 'x', kind_system_user: { username: 'eve', password: 'x', email: 'e@x.y' } }),
      400,
      'parameter.too_short',
    ],
    ['administrators', () => open.post('/auth/kind_admin/signup', {}), 403, 'access.denied'],
    ['a kind that is none', () => open.post('/auth/city/signup', {}), 404, 'kind.unknown'],
  ])('refuses %s', async (_, call, status, code) => {
    const reply = await call();
    expect(reply.status).toBe(status);
    expect(reply.body.messages.map((message) => message.code)).toContain(code);
    expect((await admin.get('/person/unit?filter=eq(username,eve)')).body.content.count).toBe(0);
  });
});

describe('a session', () => {
  it('is refreshed to exactly one successor, also concurrently', async () => {
    const { content } = (await signUp('bob')).body;
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => open.post('/auth/refresh', undefined, bearer(content.refresh_token as string))),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => body.content.refresh_token as string)).size).toBe(1);
    expect(replies[0]?.body.content.refresh_token).not.toBe(content.refresh_token);
    expect((await open.get('/person/unit', bearer(replies[0]?.body.content.access_token as string))).status).toBe(200);
  });

  it('accepts no token of the other type or of another project', async () => {
    const { content } = (await signUp('carl')).body;
    const other = (await service.project()).as(undefined);
    expect((await open.post('/auth/refresh', undefined, bearer(content.access_token as string))).status).toBe(401);
    expect((await open.get('/person/unit', bearer(content.refresh_token as string))).status).toBe(401);
    expect((await other.post('/auth/refresh', undefined, bearer(content.refresh_token as string))).status).toBe(401);
    expect((await open.post('/auth/refresh')).status).toBe(401);
  });

  it('ends with sign-out, for both tokens', async () => {
    const { content } = (await signUp('dan')).body;
    const token = bearer(content.access_token as string);
    expect((await open.post('/auth/signout', undefined, token)).body.content).toBeNull();
    expect((await open.get('/auth/verify', token)).status).toBe(401);
    expect((await open.post('/auth/refresh', undefined, bearer(content.refresh_token as string))).status).toBe(401);
  });

  it('ends with a change of password, except for the session that changed it', async () => {
    const first = (await signUp('emil')).body.content;
    const other = (await open.post('/auth/signin', { username: 'emil@example.com', password: 'a long secret' })).body
      .content;
    const change = (current_password: string) =>
      open.post(
        '/auth/change_password',
        { current_password, new_password: 'another secret' },
        bearer(other.access_token as string),
      );
    expect((await change('wrong')).status).toBe(401);
    expect((await change('a long secret')).status).toBe(200);
    expect((await open.get('/auth/verify', bearer(first.access_token as string))).status).toBe(401);
    expect((await open.get('/auth/verify', bearer(other.access_token as string))).status).toBe(200);
    expect((await open.post('/auth/signin', { username: 'emil', password: 'a long secret' })).status).toBe(401);
    expect((await open.post('/auth/signin', { username: 'emil', password: 'another secret' })).status).toBe(200);
  });

  it('ends when its member is deleted, on every process within a second', async () => {
    const { content } = (await signUp('finn')).body;
    const token = bearer(content.access_token as string);
    const there = (await second.signIn(admin.id)).as(undefined);
    expect((await there.get('/auth/verify', token)).status).toBe(200);
    expect((await admin.delete(`/person/unit/${content.id as string}`)).status).toBe(200);
    expect((await open.get('/auth/verify', token)).status).toBe(401);
    await expect.poll(async () => (await there.get('/auth/verify', token)).status, { timeout: 1000 }).toBe(401);
  });

  it('ends when its project is deleted, also if one with the same id is created', async () => {
    const { Provisioning } = await import('../../../src/catalog/project/provisioning.js');
    const mortal = await service.project();
    await service.service.app.get(Provisioning).delete(mortal.id);
    await service.project(mortal.id);
    await expect.poll(async () => (await mortal.get('/kind/unit')).status, { timeout: 1000 }).toBe(401);
  });

  it('is invalid while the kind of the member is inactive', async () => {
    const { content } = (await signUp('gus')).body;
    await admin.put('/kind/unit/person', { active: false });
    expect((await open.get('/auth/verify', bearer(content.access_token as string))).status).toBe(401);
    expect((await open.get('/kind/unit', bearer(content.access_token as string))).status).toBe(401);
    expect((await open.post('/auth/signin', { username: 'gus', password: 'a long secret' })).status).toBe(401);
    await admin.put('/kind/unit/person', { active: true });
    expect((await open.get('/kind/unit', bearer(content.access_token as string))).status).toBe(200);
  });
});

describe('an administrator', () => {
  it('that was deleted has no valid token', async () => {
    const made = await admin.post('/kind_admin/unit', { username: 'boss', email: 'boss@example.com' });
    expect(made.status).toBe(200);
    expect((await open.post('/auth/signin', { username: 'boss', password: ADMIN.password })).status).toBe(401);
  });
});
