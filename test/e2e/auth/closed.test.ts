/** What sign-up lets in: never administrators, and by a rule only whom it holds for. */
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/definitions.js';
import { signUp, withMembers } from '../../support/callers.js';
import { startTestService } from '../../support/service.js';

const service = await startTestService({ authRateLimit: true });
const admin = await withMembers(await service.project());
const anyone = admin.as(undefined);
const body = (username: string, more: object = {}) => ({
  username,
  password: 'password1',
  kind_system_user: { username, password: 'password1', email: `${username}@example.com` },
  ...more,
});

describe('sign-up', () => {
  it('to the administrators is closed, and can not be opened', async () => {
    for (const signup of ['anyone', 'member', 'admin', 'eq(username,x)']) {
      const opened = await admin.put('/kind/unit/kind_admin', { access: { signup } });
      expect(refusalOf(opened)).toEqual({ status: 400, messages: ['parameter.bad_value access'] });
    }
    for (const caller of [anyone, admin]) {
      expect(refusalOf(await caller.post('/auth/kind_admin/signup', body('mallory')))).toEqual({
        status: 403,
        messages: ['access.denied'],
      });
    }
  });

  it('by a rule is for those for whom it holds', async () => {
    const ada = await signUp(admin, 'ada');
    await admin.post('/string/unit', { id: 'team' });
    await admin.put('/kind/unit/person', { parameters: ['team'], access: { signup: 'eq(team,red)' } });
    const api = admin.as(ada.accessToken);
    expect((await api.post('/auth/person/signup', body('bob', { team: 'blue' }))).status).toBe(403);
    expect((await api.post('/auth/person/signup', body('bob', { team: 'red' }))).status).toBe(200);
    expect((await anyone.post('/auth/person/signup', body('cid', { team: 'red' }))).status).toBe(401);
    await admin.put('/kind/unit/person', { access: null });
  });

  it('to a remote kind waits for its source, to a missing one needs a token', async () => {
    await admin.post('/kind/unit', { id: 'far', remote: true });
    await admin.post('/group/unit/kind_auth_member/link/group/kind/unit/far');
    expect(refusalOf(await anyone.post('/auth/far/signup', body('dan')))).toEqual({
      status: 503,
      messages: ['kind.remote_unavailable'],
    });
    expect((await anyone.post('/auth/nope/signup', body('dan'))).status).toBe(401);
    expect((await admin.post('/auth/nope/signup', body('dan'))).status).toBe(404);
  });

  it('a member whose kind has left the group has no good token, for verify either', async () => {
    const eve = await signUp(admin, 'eve');
    await admin.delete('/group/unit/kind_auth_member/link/group/kind/unit/person?cascade=true');
    expect((await admin.as(eve.accessToken).get('/auth/verify')).status).toBe(401);
  });
});

describe('refused passwords', () => {
  it('count for the member, by whichever of its names', async () => {
    const other = await withMembers(await service.project());
    await signUp(other, 'ann');
    const tries = other.as(undefined);
    const signIn = (username: string, password: string) => tries.post('/auth/signin', { username, password });
    for (let at = 0; at < 5; at += 1) {
      expect((await signIn('ann', 'wrong password')).status).toBe(401);
      expect((await signIn('ANN@example.com', 'wrong password')).status).toBe(401);
    }
    expect((await signIn('ann@example.com', 'secret of ann')).status).toBe(429);
  });
});
