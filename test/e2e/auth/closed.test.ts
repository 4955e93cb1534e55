/** Restrictions of sign-up: never for administrators, and with a rule only for members that satisfy it. */
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
  it('to the administrators is closed, and cannot be opened', async () => {
    for (const signup of ['anyone', 'member', 'admin', 'eq(username,x)']) {
      const opened = await admin.put('/kind/unit/kind_admin', { access: { signup } });
      expect(refusalOf(opened)).toEqual({ status: 400, messages: ['parameter.bad_value access'] });
    }
    for (const caller of [anyone, admin, anyone.as('x')]) {
      expect(refusalOf(await caller.post('/auth/kind_admin/signup', body('mallory')))).toEqual({
        status: 403,
        messages: ['access.denied'],
      });
    }
  });

  it('by a rule needs a public kind, because there is no member yet', async () => {
    const ada = await signUp(admin, 'ada');
    await admin.post('/string/unit', { id: 'team' });
    await admin.put('/kind/unit/person', { public: true, parameters: ['team'], access: { signup: 'eq(team,red)' } });
    for (const [at, api] of [anyone, admin.as(ada.accessToken)].entries()) {
      expect((await api.post('/auth/person/signup', body(`bob${at}`, { team: 'blue' }))).status).toBe(403);
      expect((await api.post('/auth/person/signup', body(`bob${at}`, { team: 'red' }))).status).toBe(200);
    }
    await admin.put('/kind/unit/person', { public: false });
    const closed = { status: 403, messages: ['access.denied'] };
    for (const signup of ['eq(team,red)', 'member', 'admin', 'nobody']) {
      await admin.put('/kind/unit/person', { access: { signup } });
      for (const api of [anyone, admin.as(ada.accessToken), admin]) {
        expect(refusalOf(await api.post('/auth/person/signup', body('cid', { team: 'red' })))).toEqual(closed);
      }
    }
    await admin.put('/kind/unit/person', { access: null });
  });

  it('to a kind that is not a member kind is 404, with or without a token', async () => {
    await admin.post('/kind/unit', { id: 'thing', label: 'Thing', public: true });
    for (const kind of ['nope', 'thing', 'kind', 'kind_system_user']) {
      for (const api of [anyone, admin, anyone.as('x')]) {
        const refused = refusalOf(await api.post(`/auth/${kind}/signup`, body('dan')));
        expect(refused).toEqual({ status: 404, messages: ['kind.unknown'] });
      }
    }
  });

  it('to a remote kind is not there', async () => {
    await admin.post('/kind/unit', { id: 'far', remote: true });
    await admin.post('/group/unit/kind_auth_member/link/group/kind/unit/far');
    expect(refusalOf(await anyone.post('/auth/far/signup', body('dan')))).toEqual({
      status: 404,
      messages: ['kind.not_allowed_here'],
    });
  });

  it('a member whose kind has left the group has no valid token, also for verify', async () => {
    const eve = await signUp(admin, 'eve');
    await admin.delete('/group/unit/kind_auth_member/link/group/kind/unit/person?cascade=true');
    expect((await admin.as(eve.accessToken).get('/auth/verify')).status).toBe(401);
  });
});

describe('refused passwords', () => {
  it('count for the member, whichever of its names is used', async () => {
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
