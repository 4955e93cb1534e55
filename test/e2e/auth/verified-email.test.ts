/** Verified addresses: the mail, its code and its link, members who are held until then, and changes of the address. */
import { TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { anonymous, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { createdId, ok, query, refusalOf } from '../../support/definitions.js';
import { codeIn, Mailbox, mailsSent, setSettings, temporaryFolder, type ReceivedMail } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';
import { ProvedAddresses } from '../../../src/auth/proved-addresses.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const admin = await withMembers(await service.project());
const open = anonymous(admin);

const refused = (status: number, code: string) => ({ status, messages: [code] });
const linkIn = ({ text }: ReceivedMail) => /^(\S+\/verify)#([\w-]+)$/m.exec(text)?.slice(1) ?? [];
const tokenOf = (mail: ReceivedMail) => linkIn(mail)[1] ?? '';
const signIn = (username: string, password: string) => open.post('/auth/signin', { username, password });
const verify = (body: object, member?: TestMember) =>
  open.post('/auth/verify_email', body, member && { token: member.accessToken });
const me = async ({ accessToken }: TestMember) => ok(open.get('/auth/me', { token: accessToken }));

/** Runs `work` while the project asks for verified addresses. */
async function demanding(work: () => Promise<void>): Promise<void> {
  await setSettings(admin, { verifyEmail: true });
  try {
    await work();
  } finally {
    await setSettings(admin, { verifyEmail: false });
  }
}

/** A member that has asked for a mail, and the mail. */
async function asked(name: string) {
  const member = await signUp(admin, name);
  await ok(open.post('/auth/verify_email/mail', {}, { token: member.accessToken }));
  return { member, mail: await mailbox.last(member.email) };
}

describe('verify_email', () => {
  it('mails who signs up, and holds the session back until the address is proved', async () => {
    await demanding(async () => {
      const ann = await signUp(admin, 'ann');
      const mail = await mailbox.last(ann.email);
      const as = { token: ann.accessToken };
      expect(refusalOf(await open.get('/person/unit', as))).toEqual(refused(403, 'email.unverified'));
      expect((await me(ann)).email_verified_at).toBeNull();
      expect(refusalOf(await verify({ code: codeIn(mail) === '000000' ? '111111' : '000000' }, ann))).toEqual(
        refused(400, 'proof.wrong'),
      );
      await ok(verify({ code: codeIn(mail) }, ann));
      expect((await open.get('/person/unit', as)).status).toBe(200);
      expect((await me(ann)).email_verified_at).toMatch(/Z$/);
      expect(refusalOf(await verify({ code: codeIn(mail) }, ann))).toEqual(refused(400, 'proof.wrong'));
    });
  });

  it('holds back the API keys of a member too, and no administrator', async () => {
    const bea = await signUp(admin, 'bea');
    const { secret } = (await ok(admin.as(bea.accessToken).post('/api_key/unit', { label: 'k' }))) as {
      secret: string;
    };
    await demanding(async () => {
      for (const token of [bea.accessToken, secret])
        expect(refusalOf(await open.get('/person/unit', { token }))).toEqual(refused(403, 'email.unverified'));
      expect((await admin.get('/person/unit')).status).toBe(200);
      expect((await signIn('bea', bea.password)).status).toBe(200);
      await setSettings(admin, { secondStep: 'everyone' });
      try {
        expect(refusalOf(await open.get('/person/unit', { token: bea.accessToken }))).toEqual(
          refused(403, 'email.unverified'),
        );
      } finally {
        await setSettings(admin, { secondStep: 'optional' });
      }
      const id = await createdId(admin.post('/person/unit', { username: 'made', email: 'made@example.com' }));
      expect((await ok(admin.get(`/person/unit/${id}`))).email_verified_at).toBeNull();
    });
  });

  it('mails nobody who signs up where it is off', async () => {
    const cid = await signUp(admin, 'cid');
    await signUp(admin, 'cyd');
    await ok(open.post('/auth/verify_email/mail', {}, { token: cid.accessToken }));
    await mailsSent(admin);
    expect(await mailbox.to(cid.email)).toHaveLength(1);
    expect(await mailbox.to('cyd@example.com')).toEqual([]);
  });

  it('can take the present members as verified', async () => {
    const dot = await signUp(admin, 'dot');
    const { app } = admin.service;
    const project = await app.get(ProjectStore).find(admin.id);
    if (!project) throw new Error('no project');
    await app.get(ProvedAddresses).trustAll(project);
    await demanding(async () => {
      expect((await open.get('/person/unit', { token: dot.accessToken })).status).toBe(200);
      expect((await me(dot)).email_verified_at).not.toBeNull();
      // An address that an administrator sets is nobody's yet, at once.
      const changed = await ok(admin.put(`/person/unit/${dot.id}`, { email: 'dot@example.net' }));
      expect(changed.email_verified_at).toBeNull();
      expect(refusalOf(await open.get('/person/unit', { token: dot.accessToken }))).toEqual(
        refused(403, 'email.unverified'),
      );
    });
  });
});

describe('the link of the mail', () => {
  it('leads to a page that uses nothing up', async () => {
    const { member, mail } = await asked('eva');
    const [page = ''] = linkIn(mail);
    expect(page).toContain(`/api/lib/project/${admin.id}/verify`);
    for (let time = 0; time < 2; time += 1) {
      const answer = await fetch(page);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await answer.text()).toContain('verify.js');
    }
    for (const asset of ['page.js', 'verify.js', 'page.css'])
      expect((await fetch(new URL(`../../auth/page/${asset}`, page))).status).toBe(200);
    await ok(verify({ token: tokenOf(mail) }, member));
    expect((await me(member)).email_verified_at).not.toBeNull();
  });

  it('takes the password in place of a session, and a wrong one or an unknown token tells nothing', async () => {
    const { member, mail } = await asked('fay');
    const token = tokenOf(mail);
    const texts = new Set<string | undefined>();
    for (const body of [
      { token, password: 'another secret' },
      { token: 'A'.repeat(22), password: member.password },
    ]) {
      const reply = await verify(body);
      expect(refusalOf(reply)).toEqual(refused(401, 'signin.failed'));
      texts.add(reply.body.messages[0]?.text);
    }
    expect([...texts]).toEqual([expect.stringContaining('token')]);
    expect(refusalOf(await verify({ token, password: 'another secret' }, member))).toEqual(refused(400, 'proof.wrong'));
    expect(await ok(verify({ token, password: member.password }))).toBeNull();
    expect((await me(member)).email_verified_at).not.toBeNull();
    expect(refusalOf(await verify({ token, password: member.password }))).toEqual(refused(401, 'signin.failed'));
  });

  it('is of its member alone', async () => {
    const { mail } = await asked('gil');
    const hal = await signUp(admin, 'hal');
    expect(refusalOf(await verify({ token: tokenOf(mail) }, hal))).toEqual(refused(400, 'proof.wrong'));
    expect(refusalOf(await verify({ code: codeIn(mail) }, hal))).toEqual(refused(400, 'proof.wrong'));
    expect(refusalOf(await verify({ token: tokenOf(mail) }))).toEqual(refused(401, 'token.missing'));
    expect(refusalOf(await verify({}, hal))).toEqual(refused(400, 'parameter.required code'));
    const password = hal.password;
    for (const [given, fault] of [
      [{ code: '123456', token: 'x' }, 'parameter.bad_value code'],
      [{ code: '123456', password }, 'parameter.bad_value code'],
      [{ code: '123456', token: 'x', password }, 'parameter.bad_value code'],
      [{ password }, 'parameter.required token'],
    ] as const) {
      for (const caller of [hal, undefined]) {
        const reply = await verify(given, caller);
        expect(refusalOf(reply)).toEqual(refused(400, fault));
        expect(reply.body.messages[0]?.text).toContain('a token and the password of the member');
      }
    }
  });

  it('ends with the address that it was sent to', async () => {
    const { member, mail } = await asked('ida');
    await ok(admin.put(`/person/unit/${member.id}`, { email: 'ida@example.net' }));
    expect(refusalOf(await verify({ token: tokenOf(mail) }, member))).toEqual(refused(400, 'proof.wrong'));
    expect(refusalOf(await verify({ code: codeIn(mail) }, member))).toEqual(refused(400, 'proof.wrong'));
    expect((await me(member)).email_verified_at).toBeNull();
  });
});

describe('the mail', () => {
  it('is sent three times an hour, and to nobody whose address is verified', async () => {
    const joe = await signUp(admin, 'joe');
    const ask = () => open.post('/auth/verify_email/mail', {}, { token: joe.accessToken });
    for (let time = 1; time <= 3; time += 1) {
      await ok(ask());
      await mailbox.last(joe.email, time);
    }
    const reply = await ask();
    expect(refusalOf(reply)).toEqual(refused(429, 'request.throttled'));
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(3000);
    await ok(verify({ code: codeIn(await mailbox.last(joe.email, 3)) }, joe));
    await ok(ask());
    await mailsSent(admin);
    expect(await mailbox.to(joe.email)).toHaveLength(3);
  });

  it('has a code with five tries', async () => {
    const { member, mail } = await asked('kim');
    const code = codeIn(mail);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let time = 0; time < 5; time += 1)
      expect(refusalOf(await verify({ code: wrong }, member))).toEqual(refused(400, 'proof.wrong'));
    expect(refusalOf(await verify({ code }, member))).toEqual(refused(400, 'proof.wrong'));
    await ok(verify({ token: tokenOf(mail) }, member));
  });
});

describe('another address', () => {
  const change = (member: TestMember, email: string) =>
    open.post('/auth/email', { email }, { token: member.accessToken });

  it('is the member’s when it is proved, of which the former one is told', async () => {
    const lea = await signUp(admin, 'lea');
    expect(await ok(change(lea, 'ｌea@example.net'))).toBeNull();
    const mail = await mailbox.last('lea@example.net');
    expect((await me(lea)).email).toBe(lea.email);
    await ok(verify({ code: codeIn(mail) }, lea));
    expect(await me(lea)).toMatchObject({ email: 'lea@example.net', email_verified_at: expect.any(String) as string });
    expect((await mailbox.last(lea.email)).text).toContain('another e-mail address');
    expect((await signIn('lea@example.net', lea.password)).status).toBe(200);
    expect((await signIn(lea.email, lea.password)).status).toBe(401);
    // The link of the same mail is used with the code.
    expect(refusalOf(await verify({ token: tokenOf(mail) }, lea))).toEqual(refused(400, 'proof.wrong'));
  });

  it('takes a username along that is the former one', async () => {
    const email = 'max@example.com';
    const user = { username: email, password: 'secret of max', email };
    const made = (await ok(
      open.post('/auth/person/signup', { ...user, email: undefined, kind_system_user: user }),
    )) as {
      access_token: string;
    };
    const as = admin.as(made.access_token);
    await ok(as.post('/auth/email', { email: 'max@example.net' }));
    const token = tokenOf(await mailbox.last('max@example.net'));
    await ok(verify({ token, password: user.password }));
    expect(await ok(as.get('/auth/me'))).toMatchObject({ username: 'max@example.net', email: 'max@example.net' });
  });

  it('that another member has gets a notice, and the answer is the same', async () => {
    const { member: ned, mail } = await asked('ned');
    const ola = await signUp(admin, 'ola');
    expect(await ok(change(ned, ola.email.toUpperCase()))).toBeNull();
    expect((await mailbox.last(ola.email)).text).toContain('wanted to use your e-mail address');
    await mailsSent(admin);
    expect(await mailbox.to(ola.email)).toHaveLength(1);
    // A code for the former address ends, as it does where nobody has the new one.
    expect(refusalOf(await verify({ code: codeIn(mail) }, ned))).toEqual(refused(400, 'proof.wrong'));
  });

  it('stays where the session that has asked for it ends before it is proved', async () => {
    const ray = await signUp(admin, 'ray');
    await ok(change(ray, 'other@example.net'));
    const mail = await mailbox.last('other@example.net');
    await ok(open.get('/auth/me', { token: ray.accessToken }));
    // Another process ends it: this one asks for it again after a moment.
    await query(admin, `DELETE FROM $schema."_session" WHERE "member_id" = $1`, [ray.id]);
    for (const proof of [{ code: codeIn(mail) }, { token: tokenOf(mail) }])
      expect([400, 401]).toContain((await verify(proof, ray)).status);
    expect(await query(admin, `SELECT email FROM $schema.person WHERE id = $1`, [ray.id])).toEqual([
      { email: ray.email },
    ]);
  });

  it('is asked for in vain by a session that an app has ended, whatever its link is sent with', async () => {
    const tom = await signUp(admin, 'tom');
    const { access_token } = await ok(signIn('tom', tom.password));
    await ok(change({ ...tom, accessToken: access_token as string }, 'evil@example.net'));
    const mail = await mailbox.last('evil@example.net');
    const as = admin.as(tom.accessToken);
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    await ok(as.post('/auth/totp/confirm', { code: new TOTP({ secret }).generate() }));
    const byPassword = await verify({ token: tokenOf(mail), password: tom.password });
    expect(refusalOf(byPassword)).toEqual(refused(401, 'signin.failed'));
    for (const proof of [{ code: codeIn(mail) }, { token: tokenOf(mail) }])
      expect(refusalOf(await verify(proof, tom))).toEqual(refused(400, 'proof.wrong'));
    expect((await me(tom)).email).toBe(tom.email);
    // One that goes on has proved itself with the app: the page takes the password.
    await ok(change(tom, 'tom@example.net'));
    await ok(verify({ token: tokenOf(await mailbox.last('tom@example.net')), password: tom.password }));
    expect((await me(tom)).email).toBe('tom@example.net');
  });

  it('is that of one of two members who prove it at once', async () => {
    const both = [await signUp(admin, 'pam'), await signUp(admin, 'pat')];
    const tokens: string[] = [];
    for (const member of both) {
      await ok(change(member, 'same@example.net'));
      tokens.push(tokenOf(await mailbox.last('same@example.net', tokens.length + 1)));
    }
    const replies = await Promise.all(
      both.map((member) => {
        const at = both.indexOf(member);
        return verify({ token: tokens[at] ?? '' }, member);
      }),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const lost = replies.find(({ status }) => status === 409);
    expect(lost?.body.messages).toMatchObject([{ code: 'parameter.not_unique', parameter: 'email' }]);
    expect(await query(admin, `SELECT 1 FROM $schema.person WHERE email = 'same@example.net'`)).toHaveLength(1);
  });

  it('is asked for with a fresh proof, in a session, and is an address', async () => {
    const quy = await signUp(admin, 'quy');
    expect(refusalOf(await change(quy, 'no address'))).toEqual(refused(400, 'parameter.bad_value email'));
    expect(
      refusalOf(await admin.as(quy.accessToken).put(`/person/unit/${quy.id}`, { email: 'quy@example.net' })),
    ).toEqual(refused(403, 'access.denied email'));
    await query(
      admin,
      `UPDATE $schema."_session" SET "started_at" = "started_at" - interval '11 minutes' WHERE "member_id" = $1`,
      [quy.id],
    );
    expect(refusalOf(await change(quy, 'quy@example.net'))).toEqual(refused(403, 'session.stale'));
  });

  it('can be corrected by who is held back', async () => {
    await demanding(async () => {
      const ron = await signUp(admin, 'ron');
      await ok(change(ron, 'ron@example.net'));
      await ok(verify({ code: codeIn(await mailbox.last('ron@example.net')) }, ron));
      expect((await open.get('/person/unit', { token: ron.accessToken })).status).toBe(200);
    });
  });
});
