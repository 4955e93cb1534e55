/** Input of the authentication endpoints besides the body: the bearer token where they need one, and no query. */
import { describe, expect, it } from 'vitest';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { refusalOf } from '../../support/definitions.js';
import { Mailbox, temporaryFolder, tokenIn } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const admin = await withMembers(await service.project());
const other = await service.project();
const open = anonymous(admin);
const gone = await signUp(admin, 'gone');
await open.post('/auth/signout', undefined, { token: gone.accessToken });

const newMember = (username: string) => {
  const own = { username, password: 'correct horse 1' };
  return { ...own, kind_system_user: { ...own, email: `${username}@example.com` } };
};
const signIn = (username: string, password: string) => open.post('/auth/signin', { username, password });
let mails = 0;
async function recoveryOf(email: string): Promise<string> {
  expect((await open.post('/auth/recover_password', { email })).status).toBe(200);
  return tokenIn(await mailbox.last(email, (mails += 1)));
}

describe.each<[string, string]>([
  ['of a session that has ended', `Bearer ${gone.accessToken}`],
  ['of an administrator', `Bearer ${admin.token ?? ''}`],
  ['of another project', `Bearer ${other.token ?? ''}`],
  ['of another scheme', 'Basic YTpi'],
  ['that is no token', 'Bearer x.y.z'],
  ['that is empty', ''],
])('an authorization %s changes nothing', (_, authorization) => {
  const headers = { authorization };
  const name = `m${Buffer.from(authorization).toString('hex').slice(-8)}`;

  it('of sign-up, sign-in, recovery and reset', async () => {
    const made = await open.post('/auth/person/signup', newMember(name), { headers });
    expect(made.body.content).toMatchObject({ username: name, kind_id: 'person' });
    const signedIn = await open.post('/auth/signin', { username: name, password: 'correct horse 1' }, { headers });
    expect(signedIn.body.content).toMatchObject({ username: name });
    const email = `${name}@example.com`;
    expect((await open.post('/auth/recover_password', { email }, { headers })).status).toBe(200);
    const token = tokenIn(await mailbox.last(email, 1));
    const reset = await open.post(`/auth/reset_password/${token}`, { new_password: 'correct horse 2' }, { headers });
    expect(reset.status).toBe(200);
    expect((await signIn(name, 'correct horse 2')).status).toBe(200);
  });
});

describe('a query is refused, and nothing is done:', () => {
  const unknown = { status: 400, messages: ['query.unknown otpp'] };

  it('sign-up creates no member', async () => {
    expect(refusalOf(await open.post('/auth/person/signup?otpp=1', newMember('nobody')))).toEqual(unknown);
    expect((await admin.get('/person/unit?filter=eq(username,nobody)')).body.content.count).toBe(0);
  });

  it('sign-in, verify and change of password', async () => {
    const { accessToken: token, password } = await signUp(admin, 'bea');
    expect(refusalOf(await open.post('/auth/signin?otpp=1', { username: 'bea', password }))).toEqual(unknown);
    for (const method of ['GET', 'POST']) {
      expect(refusalOf(await open.call(method, '/auth/verify?otpp=1', undefined, { token }))).toEqual(unknown);
    }
    const change = { current_password: password, new_password: 'correct horse 3' };
    expect(refusalOf(await open.post('/auth/change_password?otpp=1', change, { token }))).toEqual(unknown);
    expect((await signIn('bea', password)).status).toBe(200);
  });

  it('sign-out ends no session, refresh uses no token up', async () => {
    const cid = await signUp(admin, 'cid');
    expect(refusalOf(await open.post('/auth/signout?otpp=1', undefined, { token: cid.accessToken }))).toEqual(unknown);
    expect((await open.get('/auth/verify', { token: cid.accessToken })).status).toBe(200);
    for (const method of ['GET', 'POST']) {
      const refused = await open.call(method, '/auth/refresh?otpp=1', undefined, { token: cid.refreshToken });
      expect(refusalOf(refused)).toEqual(unknown);
    }
    for (const method of ['GET', 'POST'] as const) {
      const keyed = { token: cid.refreshToken, headers: { 'idempotency-key': 'once' } };
      const { messages } = refusalOf(await open.call(method, '/auth/refresh', undefined, keyed));
      expect(messages).toEqual(['idempotency.not_here idempotency-key']);
    }
    expect((await open.get('/auth/refresh', { token: cid.refreshToken })).status).toBe(200);
  });

  it('recovery mails nothing, reset uses no token up', async () => {
    const { email } = await signUp(admin, 'dan');
    expect(refusalOf(await open.post('/auth/recover_password?otpp=1', { email }))).toEqual(unknown);
    mails = 0;
    const token = await recoveryOf(email);
    const body = { new_password: 'correct horse 4' };
    expect(refusalOf(await open.post(`/auth/reset_password/${token}?otpp=1`, body))).toEqual(unknown);
    expect((await open.post(`/auth/reset_password/${token}`, body)).status).toBe(200);
  });
});
