/** Sign-in with a code by mail, which is a setting of the project. */
import { describe, expect, it } from 'vitest';
import { MailQueue } from '../../../src/mail/mail-queue.js';
import { anonymous, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { earlier, query } from '../../support/definitions.js';
import { codeIn, Mailbox, setOtp, temporaryFolder, tokenIn } from '../../support/mailbox.js';
import { startTestService, TestProject } from '../../support/service.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const second = await startTestService({ dataDir, authRateLimit: false });
const admin = await withMembers(await service.project());
const open = anonymous(admin);
await setOtp(admin, true);

const signIn = ({ username, password }: TestMember, otp?: unknown, project = open) =>
  project.post('/auth/signin', { username, password, ...(otp !== undefined && { otp }) });

async function codeFor(member: TestMember, count = 1): Promise<string> {
  const { status, body } = await signIn(member, null);
  expect({ status, body }).toEqual({ status: 200, body: { content: null, messages: [] } });
  return codeIn(await mailbox.last(member.email, count));
}

const another = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0');

describe('with codes on', () => {
  it('sign-up gives a session at once', async () => {
    const { accessToken } = await signUp(admin, 'ada');
    expect((await open.get('/auth/verify', { token: accessToken })).status).toBe(200);
  });

  it('a right password alone gets a mail; with the code it gets a session', async () => {
    const ann = await signUp(admin, 'ann');
    const code = await codeFor(ann);
    expect(code).toMatch(/^\d{6}$/);
    const { status, body, headers } = await signIn(ann, code);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body.content).toMatchObject({ id: ann.id, kind_id: 'person', auth_token: null, email: ann.email });
    expect((await open.get('/auth/verify', { token: body.content.access_token as string })).status).toBe(200);
  });

  it('an absent code equals null', async () => {
    const bob = await signUp(admin, 'bob');
    expect((await signIn(bob)).body.content).toBeNull();
    expect(
      (await open.post('/auth/signin', { username: bob.email.toUpperCase(), password: bob.password })).body.content,
    ).toBeNull();
    await mailbox.last(bob.email, 2);
  });

  it('a wrong password gets no mail and uses up no code', async () => {
    const cid = await signUp(admin, 'cid');
    const code = await codeFor(cid);
    for (const otp of [null, code, another(code)]) {
      const reply = await signIn({ ...cid, password: 'another secret' }, otp);
      expect({ status: reply.status, code: reply.body.messages[0]?.code }).toEqual({
        status: 401,
        code: 'signin.failed',
      });
    }
    expect((await signIn({ ...cid, username: 'nobody' }, null)).status).toBe(401);
    expect((await signIn(cid, code)).status).toBe(200);
    expect((await mailbox.to(cid.email)).length).toBe(1);
  });

  it('a code is used once: of fifty concurrent uses exactly one succeeds, on two processes', async () => {
    const dan = await signUp(admin, 'dan');
    const code = await codeFor(dan);
    const other = new TestProject(second.service, admin.id, undefined);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, at) => signIn(dan, code, at % 2 === 0 ? open : other)),
    );
    expect(replies.filter(({ status }) => status === 200).length).toBe(1);
    expect(replies.filter(({ status }) => status === 401).length).toBe(49);
    expect((await signIn(dan, code)).status).toBe(401);
  });

  it('a code can be tried five times', async () => {
    const eva = await signUp(admin, 'eva');
    const first = await codeFor(eva);
    for (let by = 1; by <= 4; by += 1) expect((await signIn(eva, another(first, by))).status).toBe(401);
    expect((await signIn(eva, first)).status).toBe(200);

    const next = await codeFor(eva, 2);
    for (let by = 1; by <= 5; by += 1) expect((await signIn(eva, another(next, by))).status).toBe(401);
    expect((await signIn(eva, next)).status).toBe(401);
  });

  it('of fifty concurrent wrong codes five are tried', async () => {
    const fred = await signUp(admin, 'fred');
    const code = await codeFor(fred);
    await Promise.all(Array.from({ length: 50 }, (_, at) => signIn(fred, another(code, at + 1))));
    const [row] = await query(
      admin,
      'SELECT "tries", "expires_at" <= now() AS used FROM $schema._one_time WHERE "member_id" = $1',
      [fred.id],
    );
    expect(row).toEqual({ tries: '5', used: false });
    expect((await signIn(fred, code)).status).toBe(401);
  });

  it('a newer code replaces an older one, with its own attempts', async () => {
    const gus = await signUp(admin, 'gus');
    const old = await codeFor(gus);
    for (let by = 1; by <= 5; by += 1) await signIn(gus, another(old, by));
    let fresh = await codeFor(gus, 2);
    if (fresh === old) fresh = await codeFor(gus, 3);
    expect((await signIn(gus, old)).status).toBe(401);
    expect((await signIn(gus, fresh)).status).toBe(200);
  });

  it('a code is valid for ten minutes, and stored hashed', async () => {
    const hans = await signUp(admin, 'hans');
    const code = await codeFor(hans);
    const rows = await query<{ hash: string }>(admin, 'SELECT * FROM $schema._one_time WHERE "member_id" = $1', [
      hans.id,
    ]);
    expect(rows[0]?.hash).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(rows)).not.toContain(code);
    const shift = (by: string) =>
      query(
        admin,
        `UPDATE $schema._one_time SET "expires_at" = ${earlier('"expires_at"', '$1::interval')} WHERE "member_id" = $2`,
        [by, hans.id],
      );
    await shift('9 minutes 50 seconds');
    expect((await signIn(hans, another(code))).status).toBe(401);
    const [row] = await query(admin, 'SELECT "tries" FROM $schema._one_time WHERE "member_id" = $1', [hans.id]);
    expect(row).toEqual({ tries: '1' });
    await shift('11 seconds');
    expect((await signIn(hans, code)).status).toBe(401);
  });

  it('a code is valid only for its member', async () => {
    const [ida, jan] = [await signUp(admin, 'ida'), await signUp(admin, 'jan')];
    const code = await codeFor(ida);
    expect((await signIn(jan, code)).status).toBe(401);
    expect((await signIn(ida, code)).status).toBe(200);
  });

  it.each([
    ['', 401],
    ['12345', 401],
    ['constructor', 401],
    ['１２３４５６', 401],
    [123456, 400],
    [{}, 400],
    [true, 400],
  ])('the code %j is refused', async (otp, status) => {
    const name = `kai${JSON.stringify(otp).length}${typeof otp}`;
    expect((await signIn(await signUp(admin, name), otp)).status).toBe(status);
  });

  it('a change of password invalidates the code', async () => {
    const lea = await signUp(admin, 'lea');
    const code = await codeFor(lea);
    const change = { current_password: lea.password, new_password: 'the next secret' };
    expect((await open.post('/auth/change_password', change, { token: lea.accessToken })).status).toBe(200);
    expect((await signIn({ ...lea, password: 'the next secret' }, code)).status).toBe(401);
  });

  it('a member of an inactive kind gets no mail', async () => {
    const mia = await signUp(admin, 'mia');
    await admin.put('/kind/unit/person', { active: false });
    expect((await signIn(mia, null)).status).toBe(401);
    await admin.put('/kind/unit/person', { active: true });
    await codeFor(mia);
    expect((await mailbox.to(mia.email)).length).toBe(1);
  });

  it('a member is mailed at most ten codes in an hour, also by two processes; the last one keeps its attempts', async () => {
    const olga = await signUp(admin, 'olga');
    const processes = await Promise.all([1, 2].map(() => startTestService({ dataDir, authRateLimit: false })));
    const askers = processes.map((each) => new TestProject(each.service, admin.id, undefined));
    // Nine one after another: those that follow at once are all about the tenth.
    for (let count = 1; count <= 9; count += 1) await codeFor(olga, count);
    const asked = askers.flatMap((by) => Array.from({ length: 6 }, () => signIn(olga, null, by)));
    const replies = await Promise.all(asked);
    // Before it ends, a process sends what waits.
    for (const { service: each } of processes) await each.app.get(MailQueue).drain(5000);
    for (const { status, body } of replies) {
      expect({ status, body }).toEqual({ status: 200, body: { content: null, messages: [] } });
    }
    const code = codeIn(await mailbox.last(olga.email, 10));
    for (let by = 1; by <= 4; by += 1) {
      expect((await signIn(olga, another(code, by))).status).toBe(401);
      // Asking again gives neither another code nor new tries.
      expect((await signIn(olga, null)).status).toBe(200);
    }
    const [row] = await query(admin, 'SELECT "tries" FROM $schema._one_time WHERE "member_id" = $1', [olga.id]);
    expect(row).toEqual({ tries: '4' });
    expect((await signIn(olga, code)).status).toBe(200);
    expect((await mailbox.to(olga.email)).length).toBe(10);
  });

  it('after an hour a member is mailed codes again, regardless of recoveries', async () => {
    const pia = await signUp(admin, 'pia');
    for (let count = 1; count <= 10; count += 1) await codeFor(pia, count);
    expect((await signIn(pia, null)).body.content).toBeNull();
    await open.post('/auth/recover_password', { email: pia.email });
    expect(tokenIn(await mailbox.last(pia.email, 11))).not.toBe('');
    await query(
      admin,
      `UPDATE $schema._throttle SET "attempts" = ARRAY(SELECT ${earlier('a', "interval '1 hour'")} FROM unnest("attempts") AS a)`,
    );
    await codeFor(pia, 12);
  });

  it('administrators get codes too', async () => {
    const { status, body } = await open.post('/auth/signin', { username: 'admin', password: 'correct horse 1' });
    expect({ status, content: body.content }).toEqual({ status: 200, content: null });
    const code = codeIn(await mailbox.last('admin@example.com'));
    const answer = await open.post('/auth/signin', { username: 'admin', password: 'correct horse 1', otp: code });
    expect(answer.body.content.kind_id).toBe('kind_admin');
  });
});

describe('with codes off', () => {
  it('a code in the request is ignored', async () => {
    const off = await withMembers(await service.project());
    const nora = await signUp(off, 'nora');
    expect((await signIn(nora, '123456', anonymous(off))).status).toBe(200);
    await setOtp(off, true);
    expect((await signIn(nora, null, anonymous(off))).body.content).toBeNull();
    await setOtp(off, false);
    expect((await signIn(nora, null, anonymous(off))).body.content.id).toBe(nora.id);
  });
});
