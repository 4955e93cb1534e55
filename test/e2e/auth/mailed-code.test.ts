/** Sign-in with a mailed code, and what a sign-in page asks for first. */
import { TOTP } from 'otpauth';
import { describe, expect, it, vi } from 'vitest';
import { accountOf } from '../../../src/auth/credential.js';
import { OneTimeSecrets } from '../../../src/auth/one-time-secrets.js';
import { MailQueue } from '../../../src/mail/mail-queue.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import {
  anonymous,
  asAdministrator,
  defineKinds,
  signUp,
  withMembers,
  type TestMember,
} from '../../support/callers.js';
import { createdId, earlier, ok, query, refusalOf } from '../../support/definitions.js';
import { Mailbox, mailsSent, setOtp, setSettings, temporaryFolder, type ReceivedMail } from '../../support/mailbox.js';
import { startTestService, type Reply } from '../../support/service.js';

const dataDir = temporaryFolder();
/** Without the mails of sign-ups, which prove an address. */
class OtherMails extends Mailbox {
  override async all(): Promise<ReceivedMail[]> {
    return (await super.all()).filter(({ text }) => !text.includes('gave this e-mail address to'));
  }
}
const mailbox = new OtherMails(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const throttled = await startTestService({ dataDir });
const admin = await withMembers(await service.project());
const open = anonymous(admin);
await setSettings(admin, { mailSignIn: true });

const ask = (email: string) => open.post('/auth/code', { email });
const signIn = (email: string, code: string, otp: string | null = null): Promise<Reply> =>
  open.post('/auth/code/signin', { email, code, otp });
const codeIn = (text: string) => /^ {2}(\d{8})$/m.exec(text)?.[1] ?? '';
const another = (code: string, by = 1) => String((Number(code) + by) % 10 ** 8).padStart(8, '0');
const failed = { status: 401, messages: ['signin.failed'] };

/** A new code of a member that has been sent so many mails before. */
async function codeFor({ email }: Pick<TestMember, 'email'>, before = 0): Promise<string> {
  expect((await ask(email)).body.content).toBeNull();
  return codeIn((await mailbox.last(email, before + 1)).text);
}

const verified = ({ id }: TestMember) =>
  query(admin, 'UPDATE $schema."kind_system_user" SET "email_verified_at" = now() WHERE "member_id" = $1', [id]);

async function member(name: string): Promise<TestMember> {
  const made = await signUp(admin, name);
  // Its statements are not those that are counted.
  await new Mailbox(dataDir).last(made.email);
  await verified(made);
  return made;
}

async function withApp(name: string) {
  const made = await signUp(admin, name);
  const as = admin.as(made.accessToken);
  const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
  const codeOf = (steps = 0) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
  await ok(as.post('/auth/totp/confirm', { code: codeOf(-1) }));
  // That the app was set up.
  await mailbox.last(made.email);
  return { ...made, codeOf };
}

describe('a mailed code', () => {
  it('signs in once, in place of the password', async () => {
    const ann = await member('ann');
    const code = await codeFor(ann);
    expect(code).toMatch(/^\d{8}$/);
    expect((await mailbox.last(ann.email)).text).toContain('If you did not ask for it');
    const session = await ok(signIn('ANN@example.com', ` ${code} `));
    expect(session).toMatchObject({ id: ann.id, username: 'ann', access_token: expect.any(String) as string });
    expect(refusalOf(await signIn(ann.email, code))).toEqual(failed);
    // It is no second step, and none is mailed after it.
    await setOtp(admin, true);
    try {
      const next = await codeFor(ann, 1);
      const { status } = await open.post('/auth/signin', { username: 'ann', password: ann.password, otp: next });
      expect(status).toBe(401);
      expect(await ok(signIn(ann.email, next))).toMatchObject({ id: ann.id });
      await mailsSent(admin);
      expect(await mailbox.to(ann.email)).toHaveLength(2);
    } finally {
      await setOtp(admin, false);
    }
  });

  it('of fifty sign-ins at once makes one session', async () => {
    const bea = await member('bea');
    const code = await codeFor(bea);
    const replies = await Promise.all(Array.from({ length: 50 }, () => signIn(bea.email, code)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });

  it('has five tries, with rate limits off too, and a new one replaces it', async () => {
    const cid = await member('cid');
    const code = await codeFor(cid);
    await Promise.all(Array.from({ length: 20 }, (_, at) => signIn(cid.email, another(code, at + 1))));
    expect(refusalOf(await signIn(cid.email, code))).toEqual(failed);
    const next = await codeFor(cid, 1);
    if (next !== code) expect(refusalOf(await signIn(cid.email, code))).toEqual(failed);
    expect((await signIn(cid.email, next)).status).toBe(200);
  });

  it('is valid for ten minutes, stored hashed, and of its address alone', async () => {
    const [dan, eve] = [await member('dan'), await member('eve')];
    const code = await codeFor(dan);
    await codeFor(eve);
    const rows = await query(
      admin,
      `SELECT * FROM $schema._one_time WHERE "id" LIKE 'sign-in %' AND ("member_id" = $1)`,
      [dan.id],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(JSON.stringify(rows)).not.toContain('dan@');
    expect(refusalOf(await signIn(eve.email, code))).toEqual(failed);
    const shift = (by: string) =>
      query(
        admin,
        `UPDATE $schema._one_time SET "expires_at" = ${earlier('"expires_at"', '$1::interval')} WHERE "member_id" = $2`,
        [by, dan.id],
      );
    await shift('9 minutes 50 seconds');
    expect(await query(admin, `SELECT 1 FROM $schema._one_time WHERE "id" LIKE 'sign-in %' AND ("member_id" = $1 AND "expires_at" > now())`, [dan.id])).toHaveLength(1); // prettier-ignore
    await shift('11 seconds');
    expect(refusalOf(await signIn(dan.email, code))).toEqual(failed);
  });

  it('ends with a new password, and with a new address', async () => {
    const fay = await member('fay');
    const code = await codeFor(fay);
    const change = { current_password: fay.password, new_password: 'another secret' };
    await ok(admin.as(fay.accessToken).post('/auth/change_password', change));
    expect(refusalOf(await signIn(fay.email, code))).toEqual(failed);
    const next = await codeFor(fay, 1);
    await ok(admin.put(`/person/unit/${fay.id}`, { email: 'fay@example.net' }));
    for (const email of [fay.email, 'fay@example.net']) expect(refusalOf(await signIn(email, next))).toEqual(failed);
  });

  it('stays five minutes for the second step, which five tries end', async () => {
    const gil = await withApp('gil');
    await verified(gil);
    const code = await codeFor(gil, 1);
    const first = await signIn(gil.email, code);
    expect([first.status, first.body.content]).toEqual([200, null]);
    expect(first.headers.get('kind-second-step')).toBe('totp');
    const [row] = await query(
      admin,
      `SELECT "expires_at" BETWEEN now() + interval '4 minutes' AND now() + interval '5 minutes' AS kept FROM $schema._one_time WHERE "id" LIKE 'sign-in %' AND "member_id" = $1`,
      [gil.id],
    );
    expect(row).toEqual({ kept: true });
    // From the first right one on: it is kept no longer where it is tried again.
    await query(
      admin,
      `UPDATE $schema._one_time SET "expires_at" = "expires_at" - interval '4 minutes' WHERE "member_id" = $1`,
      [gil.id],
    );
    expect(refusalOf(await signIn(gil.email, code, '000000'))).toEqual(failed);
    const [left] = await query(
      admin,
      `SELECT "expires_at" < now() + interval '1 minute' AS soon FROM $schema._one_time WHERE "id" LIKE 'sign-in %' AND "member_id" = $1`,
      [gil.id],
    );
    expect(left).toEqual({ soon: true });
    expect(await ok(signIn(gil.email, code, gil.codeOf()))).toMatchObject({ id: gil.id });
    expect(refusalOf(await signIn(gil.email, code, gil.codeOf(1)))).toEqual(failed);

    const next = await codeFor(gil, 2);
    for (let time = 0; time < 5; time += 1) expect((await signIn(gil.email, next)).body.content).toBeNull();
    expect(refusalOf(await signIn(gil.email, next, gil.codeOf(1)))).toEqual(failed);
  });

  it('is refused where the project has none', async () => {
    await setSettings(admin, { mailSignIn: false });
    try {
      const refused = { status: 400, messages: ['mail_sign_in.off'] };
      expect(refusalOf(await ask('ann@example.com'))).toEqual(refused);
      expect(refusalOf(await signIn('ann@example.com', '12345678'))).toEqual(refused);
    } finally {
      await setSettings(admin, { mailSignIn: true });
    }
  });
});

describe('an address that nobody has', () => {
  it('is answered as others are, after the same statements, and is mailed nothing', async () => {
    const hal = await member('hal');
    const submitted = vi.fn();
    const asked = vi.spyOn(MailQueue.prototype, 'reserve').mockReturnValue({ submit: submitted, release() {} });
    // Nothing is looked up before the answer.
    for (const email of [hal.email, 'nobody@example.com']) expect(await admin.statements(() => ask(email))).toBe(0);
    asked.mockRestore();
    expect(submitted).toHaveBeenCalledTimes(2);
    for (const email of [hal.email, 'nobody@example.com']) await ok(ask(email));
    const code = codeIn((await mailbox.last(hal.email)).text);
    // What a try changes is stored for both.
    await expect
      .poll(() => query(admin, `SELECT 1 FROM $schema._one_time WHERE "id" LIKE 'sign-in %' AND ("member_id" IS NULL)`))
      .toHaveLength(1);
    const tried: number[] = [];
    for (const email of [hal.email, 'nobody@example.com']) {
      tried.push(
        await admin.statements(async () => {
          expect(refusalOf(await signIn(email, another(code)))).toEqual(failed);
        }),
      );
    }
    expect(tried[0]).toBe(tried[1]);
    const rows = await query(admin, `SELECT "tries" FROM $schema._one_time WHERE "id" LIKE 'sign-in %' AND ("member_id" = $1 OR "member_id" IS NULL)`, [hal.id]); // prettier-ignore
    expect(rows).toEqual([{ tries: '1' }, { tries: '1' }]);
    await mailsSent(admin);
    expect(await mailbox.to('nobody@example.com')).toEqual([]);
  });

  it('is the same as one whose kind is inactive', async () => {
    await defineKinds(admin, { id: 'robot' });
    await ok(admin.post('/group/unit/kind_auth_member/link/group/kind/unit/robot'));
    const id = await createdId(admin.post('/robot/unit', { username: 'r2', email: 'r2@example.com' }));
    await ok(admin.put('/kind/unit/robot', { active: false }));
    expect((await ask('r2@example.com')).body.content).toBeNull();
    await mailsSent(admin);
    expect(await mailbox.to('r2@example.com')).toEqual([]);
    // Nor does a code sign in that was mailed before.
    const { app } = service.service;
    const project = await app.get(ProjectStore).find(admin.id);
    if (!project) throw new Error('no project');
    const terms = { memberId: id, digits: 8, minutes: 1 };
    const code = await app.get(OneTimeSecrets).makeCode(project, 'sign-in', accountOf({ member_id: id }), terms);
    expect(refusalOf(await signIn('r2@example.com', code))).toEqual(failed);
  });
});

describe('a first sign-in by mail', () => {
  it('proves the address, so that nothing else opens the account any more', async () => {
    // Somebody signs up with the address of another, and waits.
    const ida = await withApp('ida');
    const { secret: key } = (await ok(admin.as(ida.accessToken).post('/api_key/unit', { label: 'k' }))) as {
      secret: string;
    };
    await mailbox.last(ida.email, 2);
    const code = await codeFor(ida, 2);
    const owner = await ok(signIn(ida.email, code));
    expect(owner).toMatchObject({ id: ida.id });
    for (const token of [ida.accessToken, key]) expect((await open.get('/auth/verify', { token })).status).toBe(401);
    expect((await open.post('/auth/signin', { username: 'ida', password: ida.password })).status).toBe(401);
    const as = admin.as(owner.access_token as string);
    expect(await ok(as.get('/auth/second_step'))).toMatchObject({ totp: false });
    expect((await ok(admin.get(`/person/unit/${ida.id}`))).email_verified_at).toMatch(/Z$/);
    const notice = await mailbox.last(ida.email, 4);
    expect(notice.text).toContain('the password, all sessions, the authenticator app');
    // It is the owner's from now on, with what it sets up.
    expect(refusalOf(await signIn(ida.email, code))).toEqual(failed);
    expect(await ok(signIn(ida.email, await codeFor(ida, 4)))).toMatchObject({ id: ida.id });
    expect((await as.get('/auth/verify')).status).toBe(200);
  });

  it('of fifty at once makes one session, which stays', async () => {
    const jan = await signUp(admin, 'jan');
    const code = await codeFor(jan);
    const replies = await Promise.all(Array.from({ length: 50 }, () => signIn(jan.email, code)));
    const [made, ...more] = replies.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    const token = (made?.body.content as { access_token: string }).access_token;
    expect((await open.get('/auth/verify', { token })).status).toBe(200);
  });

  it('leaves a second step that was set up with a former address, and asks for it first', async () => {
    const lou = await withApp('lou');
    await verified(lou);
    const email = 'lou@example.net';
    await ok(admin.put(`/person/unit/${lou.id}`, { email }));
    const isProved = async () => (await ok(admin.get(`/person/unit/${lou.id}`))).email_verified_at !== null;
    const code = await codeFor({ email });
    expect((await signIn(email, code)).headers.get('kind-second-step')).toBe('totp');
    expect(await isProved()).toBe(false);
    expect((await open.get('/auth/verify', { token: lou.accessToken })).status).toBe(200);
    expect(await ok(signIn(email, code, lou.codeOf()))).toMatchObject({ id: lou.id });
    expect(await isProved()).toBe(true);
    for (const reply of [
      await open.get('/auth/verify', { token: lou.accessToken }),
      await open.post('/auth/signin', { username: 'lou', password: lou.password }),
    ])
      expect(reply.status).toBe(401);
    expect(refusalOf(await signIn(email, code, lou.codeOf(1)))).toEqual(failed);
  });

  it('leaves administrators their second step, and asks for it with the same code', async () => {
    const root = await ok(admin.post('/kind_admin/unit', { username: 'kim', email: 'kim@example.com' }));
    const password = 'secret of kim';
    await ok(open.post('/auth/recover_password', { email: 'kim@example.com' }));
    const token = /reset_password\/([\w-]+)$/m.exec((await mailbox.last('kim@example.com')).text)?.[1] ?? '';
    await ok(open.post(`/auth/reset_password/${token}`, { new_password: password }));
    await query(admin, 'UPDATE $schema."kind_system_user" SET "email_verified_at" = NULL WHERE "username" = $1', [
      'kim',
    ]);
    const session = await ok(open.post('/auth/signin', { username: 'kim', password }));
    const as = admin.as(session.access_token as string);
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    const codeOf = (at: number) => new TOTP({ secret }).generate({ timestamp: at });
    await ok(as.post('/auth/totp/confirm', { code: codeOf(Date.now() - 30_000) }));
    await mailbox.last('kim@example.com', 2);
    const code = await codeFor({ email: 'kim@example.com' }, 2);
    expect((await signIn('kim@example.com', code)).headers.get('kind-second-step')).toBe('totp');
    expect(await ok(signIn('kim@example.com', code, codeOf(Date.now())))).toMatchObject({ id: root.id });
  });
});

it('requests and failures are throttled as those of a sign-in', async () => {
  const project = await withMembers(await throttled.project());
  await setSettings(project, { mailSignIn: true });
  const lea = await signUp(project, 'lea');
  const guess = () => anonymous(project).post('/auth/code/signin', { email: lea.email, code: '00000000' });
  for (let time = 0; time < 10; time += 1) expect((await guess()).status).toBe(401);
  expect(refusalOf(await guess())).toEqual({ status: 429, messages: ['request.throttled'] });
  // They are those of the account, whichever name and way it is tried by.
  const byName = await anonymous(project).post('/auth/signin', { username: 'lea', password: lea.password });
  expect(byName.status).toBe(429);
  await query(
    project,
    'UPDATE $schema._throttle SET "attempts" = array_fill("attempts"[1], ARRAY[100]) WHERE "allowed" = 100',
  );
  expect((await anonymous(project).post('/auth/code', { email: 'x@example.com' })).status).toBe(429);
});

describe('the ways', () => {
  it('are answered to anybody, with one statement', async () => {
    const project = await asAdministrator(await service.project());
    const ways = {
      password: true,
      mail_code: false,
      passkey: false,
      providers: [],
      signup: [] as string[],
      verify_email: false,
    };
    const asked = () => ok(anonymous(project).get('/auth/ways'));
    expect(await asked()).toEqual(ways);
    await withMembers(project);
    await defineKinds(project, { id: 'guest' }, { id: 'closed', access: { signup: 'nobody' } });
    await ok(project.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person', 'guest', 'closed'] }));
    expect(await asked()).toEqual({ ...ways, signup: ['guest', 'person'] });
    expect(await project.statements(asked)).toBe(1);
    await ok(project.put('/kind/unit/guest', { active: false }));
    await setSettings(project, {
      mailSignIn: true,
      passkeyDomain: 'localhost',
      passkeyOrigins: ['http://localhost:3'],
    });
    expect(await asked()).toEqual({ ...ways, mail_code: true, passkey: true, signup: ['person'] });
  });
});
