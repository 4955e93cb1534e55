import { describe, expect, it } from 'vitest';
import { ADMIN, sharedService, startTestService, TestProject } from '../../support/service.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { asMember } from '../../support/callers.js';

const service = await sharedService();
const admin = await service.project();
const other = await service.project();
await asMember(admin);
const open = admin.as(undefined);
const PASSWORD = 'a long secret';

async function signUp(username: string): Promise<Record<string, string>> {
  const credentials = { username, password: PASSWORD };
  const body = { ...credentials, kind_system_user: { ...credentials, email: `${username}@example.com` } };
  return (await open.post('/auth/person/signup', body)).body.content as Record<string, string>;
}

async function signIn(username: string, userAgent?: string): Promise<TestProject> {
  const headers = userAgent === undefined ? {} : { 'user-agent': userAgent };
  const { body } = await open.post('/auth/signin', { username, password: PASSWORD }, { headers });
  return admin.as(body.content.access_token as string);
}

async function sessionsOf(
  caller: TestProject,
  query = '',
): Promise<{ count: number; items: Record<string, unknown>[] }> {
  const { status, body } = await caller.get(`/auth/session${query}`);
  expect(status).toBe(200);
  return body.content as { count: number; items: Record<string, unknown>[] };
}

describe('GET /auth/me', () => {
  it('answers what a get of the member does, with its groups', async () => {
    const { id, access_token: token } = await signUp('ada');
    const ada = admin.as(token);
    const { content } = (await ada.get(`/person/unit/${id}`)).body;
    const me = await ada.get('/auth/me');
    expect(me.body.content).toEqual({ ...content, administrator: false, groups: ['kind_auth_member'] });
    expect(me.headers.get('cache-control')).toBe('no-store');
  });

  it('says who is an administrator', async () => {
    const { content } = (await admin.get('/auth/me')).body;
    expect(content).toMatchObject({ username: ADMIN.username, kind_id: 'kind_admin', administrator: true });
  });

  it('answers the member where members may not read their kind, without hidden fields', async () => {
    const project = await service.project();
    const member = await asMember(project);
    const parameters = [{ id: 'note', kind_id: 'string', read_access: 'admin' }];
    const { status: changed, text } = await project.put('/kind/unit/person', { parameters, access: { read: 'admin' } });
    expect(changed, text).toBe(200);
    const { id } = (await member.get('/auth/me')).body.content as { id: string };
    expect((await project.put(`/person/unit/${id}`, { note: 'hidden' })).status).toBe(200);
    const { status, body } = await member.get('/auth/me');
    expect(status).toBe(200);
    expect(body.content).toMatchObject({ username: 'ann_person', groups: ['kind_auth_member'] });
    expect(body.content).not.toHaveProperty('note');
  });

  it('is 401 for members of an inactive kind', async () => {
    const project = await service.project();
    const member = await asMember(project);
    await project.put('/kind/unit/person', { active: false });
    expect((await member.get('/auth/me')).body.messages[0]?.code).toBe('token.invalid');
  });
});

describe('GET /auth/session', () => {
  it('lists the sessions of the member alone, the newest first', async () => {
    await signUp('bob');
    await signUp('eve');
    const bob = await signIn('bob', 'Phone/1.0');
    const { count, items } = await sessionsOf(bob);
    expect(count).toBe(2);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string;
    const common = { id: expect.any(String) as string, made_at: time, last_used_at: time, address: '127.0.0.1' };
    expect(items).toEqual([
      { ...common, user_agent: 'Phone/1.0', current: true },
      { ...common, user_agent: null, current: false },
    ]);
    expect((await sessionsOf(bob, '?limit=1&offset=1')).items).toEqual([items[1]]);
    expect(await sessionsOf(bob, '?limit=0')).toEqual({ count: 2, items: [] });
  });

  it('cuts a long user agent', async () => {
    await signUp('cut');
    const { items } = await sessionsOf(await signIn('cut', 'x'.repeat(1000)));
    expect(items[0]?.['user_agent']).toBe('x'.repeat(300));
  });

  it('has the client of the last refresh', async () => {
    const { refresh_token: token } = await signUp('fay');
    const headers = { 'user-agent': 'Laptop/2.0' };
    const { body } = await open.post('/auth/refresh', undefined, { ...(token && { token }), headers });
    const { items } = await sessionsOf(admin.as(body.content.access_token as string));
    expect(items).toMatchObject([{ user_agent: 'Laptop/2.0', current: true }]);
  });

  it('has the time of the last request', async () => {
    const { access_token: token } = await signUp('gus');
    const gus = admin.as(token);
    const [before] = (await sessionsOf(gus)).items;
    const project = (await admin.service.app.get(ProjectStore).find(admin.id))!;
    await admin.service.database.run({
      text: `UPDATE "${project.schema}"."_session" SET "used_at" = now() - interval '1 hour' WHERE "id" = $1`,
      values: [before?.['id']],
    });
    // A process that has not checked the session yet.
    const second = await startTestService();
    const [after] = (await sessionsOf(new TestProject(second.service, gus.id, token))).items;
    expect(String(after?.['last_used_at']) >= String(before?.['last_used_at'])).toBe(true);
  });

  it.each([
    ['/auth/session?limit=x', 'query.bad_value'],
    ['/auth/session?filter=eq(id,1)', 'query.unknown'],
    ['/auth/me?include=id', 'query.unknown'],
  ])('refuses %s', async (path, code) => {
    const { status, body } = await admin.get(path);
    expect([status, body.messages[0]?.code]).toEqual([400, code]);
  });
});

describe('DELETE /auth/session/{id}', () => {
  it('ends one session at once, with its refresh token', async () => {
    const { access_token: access, refresh_token: refresh } = await signUp('hal');
    const hal = await signIn('hal');
    const { items } = await sessionsOf(hal);
    const first = items.find(({ current }) => current === false);
    const ended = await hal.delete(`/auth/session/${String(first?.['id'])}`);
    expect([ended.status, ended.body.content]).toEqual([200, null]);
    expect((await admin.as(access).get('/auth/verify')).status).toBe(401);
    expect((await admin.as(refresh).get('/auth/refresh')).status).toBe(401);
    expect((await sessionsOf(hal)).count).toBe(1);
    expect((await hal.delete(`/auth/session/${String(first?.['id'])}`)).status).toBe(404);
  });

  it('ends the session of the request', async () => {
    const { access_token: token } = await signUp('ivy');
    const ivy = admin.as(token);
    const [{ id } = { id: '' }] = (await sessionsOf(ivy)).items;
    expect((await ivy.delete(`/auth/session/${String(id)}`)).status).toBe(200);
    expect((await ivy.get('/auth/me')).status).toBe(401);
  });

  it('knows no session of another member, not even for administrators', async () => {
    const { access_token: token } = await signUp('jan');
    const jan = admin.as(token);
    const [{ id } = { id: '' }] = (await sessionsOf(jan)).items;
    const [{ id: own } = { id: '' }] = (await sessionsOf(other)).items;
    const replies = await Promise.all([
      admin.delete(`/auth/session/${String(id)}`),
      other.delete(`/auth/session/${String(id)}`),
      jan.delete(`/auth/session/${String(own)}`),
      jan.delete('/auth/session/00000000-0000-4000-8000-000000000000'),
      jan.delete("/auth/session/'%20OR%201=1"),
      jan.delete('/auth/session/%00'),
    ]);
    for (const { status, body } of replies) expect([status, body.messages[0]?.code]).toEqual([404, 'session.unknown']);
    expect((await jan.get('/auth/me')).status).toBe(200);
    expect((await other.get('/auth/me')).status).toBe(200);
  });
});

it('all three need a token', async () => {
  const paths = [open.get('/auth/me'), open.get('/auth/session'), open.delete('/auth/session/x')];
  for (const { status, body } of await Promise.all(paths)) {
    expect([status, body.messages[0]?.code]).toEqual([401, 'token.missing']);
  }
});
