/** The second step of members: an authenticator app, recovery codes, and proofs of who they are. */
import { TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { MailQueue } from '../../../src/mail/mail-queue.js';
import { anonymous, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { codeIn, Mailbox, setOtp, temporaryFolder } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const admin = await withMembers(await service.project());
const open = anonymous(admin);

const signIn = ({ username, password }: TestMember, otp: string | null = null) =>
  open.post('/auth/signin', { username, password, otp });
/** The code of a number of steps from now. */
const codeOf = (secret: string, steps = 0) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
const codes = (reply: { status: number; body: { messages: readonly { code: string }[] } }) => ({
  status: reply.status,
  codes: reply.body.messages.map(({ code }) => code),
});
const refused = (status: number, code: string) => ({ status, codes: [code] });

/** A member with an authenticator app, whose next code is that of the next step. */
async function withApp(name: string) {
  const member = await signUp(admin, name);
  const as = admin.as(member.accessToken);
  const { secret, uri } = (await ok(as.post('/auth/totp', {}))) as { secret: string; uri: string };
  const made = (await ok(as.post('/auth/totp/confirm', { code: codeOf(secret, -1) }))) as { recovery_codes: string[] };
  return { member, as, secret, uri, recovery: made.recovery_codes };
}

describe('an authenticator app', () => {
  it('is asked for from its first code on, and each of its codes works once', async () => {
    const ann = await signUp(admin, 'ann');
    const as = admin.as(ann.accessToken);
    expect(await ok(as.get('/auth/second_step'))).toEqual({ totp: false, recovery_codes: 0 });
    const { secret, uri } = await ok(as.post('/auth/totp', {}));
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toContain('ann');
    // Nothing is asked for yet, and the session of another device goes on until then.
    const other = await ok(signIn(ann));
    expect(codes(await as.post('/auth/totp/confirm', { code: '000000' }))).toEqual(refused(400, 'proof.wrong'));
    const { recovery_codes: recovery } = await ok(as.post('/auth/totp/confirm', { code: codeOf(secret, -1) }));
    expect(new Set(recovery).size).toBe(10);
    for (const code of recovery) expect(code).toMatch(/^[A-Z2-7]{5}-[A-Z2-7]{5}$/);
    expect(await ok(as.get('/auth/second_step'))).toEqual({ totp: true, recovery_codes: 10 });
    expect((await open.get('/auth/verify', { token: other.access_token })).status).toBe(401);
    expect(codes(await as.post('/auth/totp', {}))).toEqual(refused(409, 'totp.exists'));

    const first = await signIn(ann);
    expect(first).toMatchObject({ status: 200, body: { content: null } });
    expect(first.headers.get('kind-second-step')).toBe('totp');
    // That of the confirmation is used, and a wrong password is told nothing.
    expect(codes(await signIn(ann, codeOf(secret, -1)))).toEqual(refused(401, 'signin.failed'));
    const wrong = await signIn({ ...ann, password: 'another secret' }, codeOf(secret));
    expect(codes(wrong)).toEqual(refused(401, 'signin.failed'));
    expect(wrong.headers.get('kind-second-step')).toBeNull();
    const code = codeOf(secret);
    expect(await ok(signIn(ann, code))).toMatchObject({ id: ann.id });
    expect(codes(await signIn(ann, code))).toEqual(refused(401, 'signin.failed'));
    expect((await mailbox.last(ann.email)).text).toContain('authenticator app is asked for');
  });

  it('of fifty sign-ins with one code one passes', async () => {
    const { member, secret } = await withApp('bea');
    const code = codeOf(secret);
    const replies = await Promise.all(Array.from({ length: 50 }, () => signIn(member, code)));
    expect(replies.filter(({ status }) => status === 200).length).toBe(1);
    expect(replies.every(({ status }) => [200, 401, 429].includes(status))).toBe(true);
  });

  it('is refused after five wrong codes within ten minutes, with right ones too, whatever the rate limits', async () => {
    const { member, secret } = await withApp('cid');
    for (let time = 0; time < 5; time += 1) expect((await signIn(member, '000000')).status).toBe(401);
    const reply = await signIn(member, codeOf(secret));
    expect(codes(reply)).toEqual(refused(429, 'request.throttled'));
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(500);
    // The password alone is told as before that the code is missing.
    expect((await signIn(member)).headers.get('kind-second-step')).toBe('totp');
  });

  it('has recovery codes, each of which works once, however it is written, and which can be made anew', async () => {
    const { member, as, recovery } = await withApp('dot');
    const [first = '', second = ''] = recovery;
    expect((await signIn(member, ` ${first.toLowerCase().replace('-', ' ')} `)).status).toBe(200);
    expect((await signIn(member, first)).status).toBe(401);
    expect(await ok(as.get('/auth/second_step'))).toEqual({ totp: true, recovery_codes: 9 });
    const { recovery_codes: fresh } = await ok(as.post('/auth/recovery_codes', {}));
    expect((await signIn(member, second)).status).toBe(401);
    expect((await signIn(member, fresh[0] ?? '')).status).toBe(200);
  });

  it('takes the place of mailed codes, and leaves them when it is removed', async () => {
    const { member, as, secret } = await withApp('eve');
    await setOtp(admin, true);
    try {
      expect((await signIn(member)).headers.get('kind-second-step')).toBe('totp');
      expect((await signIn(member, codeOf(secret))).status).toBe(200);
      await ok(as.delete('/auth/totp'));
      expect((await signIn(member)).headers.get('kind-second-step')).toBe('mail');
      await service.service.app.get(MailQueue).drain(5000);
      expect((await signIn(member, codeIn(await mailbox.last(member.email, 3)))).status).toBe(200);
    } finally {
      await setOtp(admin, false);
    }
    expect(codes(await as.delete('/auth/totp'))).toEqual(refused(409, 'totp.missing'));
    expect(codes(await as.post('/auth/recovery_codes', {}))).toEqual(refused(409, 'totp.missing'));
  });

  it('is stored encrypted, its recovery codes hashed', async () => {
    const { member, secret, recovery } = await withApp('fay');
    const rows = await query(admin, 'SELECT * FROM $schema."kind_system_user" WHERE "member_id" = $1', [member.id]);
    expect(rows.length).toBe(1);
    const text = JSON.stringify(rows);
    for (const each of [secret, ...recovery, ...recovery.map((code) => code.replace('-', ''))])
      expect(text).not.toContain(each);
  });
});

describe('a fresh proof', () => {
  const grow = (member: TestMember) =>
    query(
      admin,
      `UPDATE $schema."_session" SET "started_at" = "started_at" - interval '11 minutes' WHERE "member_id" = $1`,
      [member.id],
    );

  it('is asked for, and made with the password where no app is set up', async () => {
    const gil = await signUp(admin, 'gil');
    const as = admin.as(gil.accessToken);
    await grow(gil);
    expect(codes(await as.post('/auth/totp', {}))).toEqual(refused(403, 'session.stale'));
    expect(codes(await as.post('/auth/confirm', { password: 'another secret' }))).toEqual(refused(400, 'proof.wrong'));
    expect(codes(await as.post('/auth/confirm', { otp: '123456' }))).toEqual(refused(400, 'parameter.required'));
    expect(codes(await as.post('/auth/totp', {}))).toEqual(refused(403, 'session.stale'));
    await ok(as.post('/auth/confirm', { password: gil.password }));
    await ok(as.post('/auth/totp', {}));
  });

  it('is made with a code where an app is set up, which a refresh is not', async () => {
    const { member, as, secret } = await withApp('hal');
    await grow(member);
    for (const call of [
      () => as.delete('/auth/totp'),
      () => as.post('/auth/recovery_codes', {}),
      () => as.post('/auth/totp/confirm', { code: codeOf(secret) }),
    ])
      expect(codes(await call())).toEqual(refused(403, 'session.stale'));
    expect(codes(await as.post('/auth/confirm', { password: member.password }))).toEqual(
      refused(400, 'parameter.required'),
    );
    await ok(as.post('/auth/confirm', { otp: codeOf(secret) }));
    await ok(as.delete('/auth/totp'));
  });

  it('is nothing that an API key makes', async () => {
    const ida = await signUp(admin, 'ida');
    const { secret } = await ok(admin.as(ida.accessToken).post('/api_key/unit', { label: 'k' }));
    for (const path of ['/auth/totp', '/auth/confirm', '/auth/recovery_codes'])
      expect(codes(await admin.as(secret).post(path, {}))).toEqual(refused(403, 'key.not_here'));
  });
});
