/** Administrators see and end the sessions of members, nobody else does, and no answer has a token. */
import { expect, it } from 'vitest';
import { anonymous, documented, signUp, withMembers } from '../../support/callers.js';
import { byKey } from '../../support/keys.js';
import { ok } from '../../support/definitions.js';
import { ADMIN, sharedService } from '../../support/service.js';

const service = await sharedService();
const { admin } = await documented({ admin: await withMembers(await service.project()) });
const other = await withMembers(await service.project());
const [ann, bob] = [await signUp(admin, 'ann'), await signUp(admin, 'bob')];
const asAnn = admin.as(ann.accessToken);
const pathOf = (member: string) => `/auth/member/${member}/session`;
const sessionsOf = async (member: string) =>
  (await ok(admin.get(pathOf(member)))) as { count: number; items: Record<string, unknown>[] };
const signIn = async () => {
  const credentials = { username: ann.username, password: ann.password };
  const { access_token } = (await ok(anonymous(admin).post('/auth/signin', credentials))) as { access_token: string };
  return admin.as(access_token);
};
const meOf = async (caller: typeof admin) => (await caller.get('/auth/me')).status;

it('lists the sessions of a member as the member sees them, without its tokens', async () => {
  const reply = await admin.get(pathOf(ann.id));
  const own = (await ok(asAnn.get('/auth/session'))) as { items: object[] };
  expect(reply.body.content).toEqual({
    count: 1,
    items: own.items.map((each) => ({ ...each, current: false })),
  });
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(reply.text).not.toContain(ann.refreshToken);
  expect((await admin.get(`${pathOf(ann.id)}?limit=0`)).body.content).toEqual({ count: 1, items: [] });
  const { id } = (await admin.get('/auth/me')).body.content as { id: string };
  expect((await sessionsOf(id)).items.map(({ current }) => current)).toContain(true);
});

it('ends one session of a member, or all, at once', async () => {
  const second = await signIn();
  const [newest] = (await sessionsOf(ann.id)).items;
  const one = `${pathOf(ann.id)}/${String(newest?.['id'])}`;
  // Not by the name of another member.
  expect((await admin.delete(`${pathOf(bob.id)}/${String(newest?.['id'])}`)).body.messages[0]?.code).toBe(
    'session.unknown',
  );
  expect(await ok(admin.delete(one))).toBeNull();
  expect([await meOf(second), await meOf(asAnn)]).toEqual([401, 200]);
  expect((await admin.delete(one)).body.messages[0]?.code).toBe('session.unknown');
  await ok(admin.delete(pathOf(ann.id)));
  expect(await meOf(asAnn)).toBe(401);
  expect((await admin.as(ann.refreshToken).post('/auth/refresh')).status).toBe(401);
  expect((await sessionsOf(ann.id)).count).toBe(0);
  expect(await meOf(admin.as(bob.accessToken))).toBe(200);
  await ok(admin.delete(pathOf(ann.id)));
});

it('members end all sessions of their own but the one that they use', async () => {
  const [first, second] = [await signIn(), await signIn()];
  await ok(second.delete('/auth/session'));
  expect([await meOf(first), await meOf(second)]).toEqual([401, 200]);
  expect(await meOf(admin.as(bob.accessToken))).toBe(200);
});

it('tells administrators whether mails are sent', async () => {
  expect(await ok(admin.get('/auth/mail'))).toEqual({ sent: false });
});

it('is for administrators with a session alone', async () => {
  const [full, scoped] = [await byKey(admin), await byKey(admin, { scope: [] })];
  const mine = admin.as(bob.accessToken);
  const paths = [pathOf(bob.id), `${pathOf(bob.id)}/x`].map((path) => ['DELETE', path]);
  for (const [method = '', path = ''] of [...paths, ['GET', pathOf(bob.id)], ['GET', '/auth/mail']]) {
    const codes = [];
    for (const caller of [anonymous(admin), mine, full, scoped]) {
      codes.push((await caller.call(method, path)).body.messages[0]?.code);
    }
    expect(codes).toEqual(['token.missing', 'access.denied', 'key.not_here', 'key.not_here']);
  }
  expect(await meOf(mine)).toBe(200);
});

it('knows no member of another project, nor what is no member', async () => {
  const stranger = await signUp(other, 'eve');
  for (const id of [stranger.id, '00000000-0000-4000-8000-000000000000', "'%20OR%201=1", '%00', ADMIN.username]) {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await admin.call(method, pathOf(id));
      expect([status, body.messages[0]?.code]).toEqual([404, 'unit.unknown']);
    }
  }
  expect(await meOf(other.as(stranger.accessToken))).toBe(200);
});
