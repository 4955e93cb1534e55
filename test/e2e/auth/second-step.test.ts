/** The second step of members: an authenticator app, recovery codes, and proofs of who they are. */
import { TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { SecondStepService } from '../../../src/auth/second-step/second-step.service.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { projectOf } from '../../../src/tenancy/project.js';
import {
  anonymous,
  asAdministrator,
  defineKinds,
  signUp,
  withMembers,
  type TestMember,
} from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { upload } from '../../support/files.js';
import { byKey } from '../../support/keys.js';
import { follow } from '../../support/live.js';
import { codeIn, Mailbox, mailsSent, setOtp, setSettings, temporaryFolder } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const admin = await withMembers(await service.project());
const open = anonymous(admin);

const signIn = ({ username, password }: TestMember, otp: string | null = null) =>
  open.post('/auth/signin', { username, password, otp });
/** The code of a number of steps from now. */
const codeOf = (secret: string, steps = 0) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
const refused = (status: number, code: string) => ({ status, messages: [code] });

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
    expect(await ok(as.get('/auth/second_step'))).toEqual({
      password: true,
      totp: false,
      passkeys: 0,
      recovery_codes: 0,
    });
    const { secret, uri } = await ok(as.post('/auth/totp', {}));
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toContain('ann');
    // Nothing is asked for yet, and the session of another device goes on until then.
    const other = await ok(signIn(ann));
    for (const code of ['000000', '１２３４５６'])
      expect(refusalOf(await as.post('/auth/totp/confirm', { code }))).toEqual(refused(400, 'proof.wrong'));
    const grouped = codeOf(secret, -1).replace(/(?=...$)/, ' ');
    const { recovery_codes: recovery } = await ok(as.post('/auth/totp/confirm', { code: grouped }));
    expect(new Set(recovery).size).toBe(10);
    for (const code of recovery) expect(code).toMatch(/^[A-Z2-7]{5}-[A-Z2-7]{5}$/);
    expect(await ok(as.get('/auth/second_step'))).toEqual({
      password: true,
      totp: true,
      passkeys: 0,
      recovery_codes: 10,
    });
    expect((await open.get('/auth/verify', { token: other.access_token })).status).toBe(401);
    expect(refusalOf(await as.post('/auth/totp', {}))).toEqual(refused(409, 'totp.exists'));

    const first = await signIn(ann);
    expect(first).toMatchObject({ status: 200, body: { content: null } });
    expect(first.headers.get('kind-second-step')).toBe('totp');
    // That of the confirmation is used, and a wrong password is told nothing.
    expect(refusalOf(await signIn(ann, codeOf(secret, -1)))).toEqual(refused(401, 'signin.failed'));
    const wrong = await signIn({ ...ann, password: 'another secret' }, codeOf(secret));
    expect(refusalOf(wrong)).toEqual(refused(401, 'signin.failed'));
    expect(wrong.headers.get('kind-second-step')).toBeNull();
    const code = codeOf(secret);
    expect(await ok(signIn(ann, code))).toMatchObject({ id: ann.id });
    expect(refusalOf(await signIn(ann, code))).toEqual(refused(401, 'signin.failed'));
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
    expect(refusalOf(reply)).toEqual(refused(429, 'request.throttled'));
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(500);
    // The password alone is told as before that the code is missing.
    expect((await signIn(member)).headers.get('kind-second-step')).toBe('totp');
  });

  it('is confirmed by more requests at once than there are connections, which wait for none of each other', async () => {
    const as = admin.as((await signUp(admin, 'rex')).accessToken);
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    const replies = await Promise.all(Array.from({ length: 50 }, () => as.post('/auth/totp/confirm', { code: 'x' })));
    // Those that waited for a connection which another one holds would be 503.
    expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([400, 429]);
    expect((await as.post('/auth/totp/confirm', { code: codeOf(secret) })).status).toBe(429);
  });

  it('is told of, however often other changes were', async () => {
    const { member, as } = await withApp('uma');
    for (let times = 0; times < 12; times += 1) await ok(as.post('/auth/recovery_codes', {}));
    await ok(as.delete('/auth/totp'));
    await expect.poll(async () => (await mailbox.to(member.email)).at(-1)?.text).toContain('no longer asked for');
    // Ten of the codes, beside the app, and its removal.
    expect(await mailbox.to(member.email)).toHaveLength(12);
  });

  it('has recovery codes, each of which works once, however it is written, and which can be made anew', async () => {
    const { member, as, recovery } = await withApp('dot');
    const [first = '', second = ''] = recovery;
    expect((await signIn(member, ` ${first.toLowerCase().replace('-', ' ')} `)).status).toBe(200);
    expect((await signIn(member, first)).status).toBe(401);
    expect(await ok(as.get('/auth/second_step'))).toEqual({
      password: true,
      totp: true,
      passkeys: 0,
      recovery_codes: 9,
    });
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
      // Notices may come after it.
      const mailed = async () => (await mailbox.to(member.email)).map(codeIn).findLast((code) => code !== '');
      await expect.poll(mailed).toBeDefined();
      expect((await signIn(member, (await mailed()) ?? '')).status).toBe(200);
    } finally {
      await setOtp(admin, false);
    }
    expect(refusalOf(await as.delete('/auth/totp'))).toEqual(refused(409, 'totp.missing'));
    expect(refusalOf(await as.post('/auth/recovery_codes', {}))).toEqual(refused(409, 'totp.missing'));
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

describe('an app that was lost', () => {
  const path = ({ id }: TestMember, kind = 'person') => `/${kind}/unit/${id}/second_step`;

  it('is removed by administrators, of which the member and all administrators are told', async () => {
    const { member, as } = await withApp('lea');
    expect(refusalOf(await as.delete(path(member)))).toEqual(refused(403, 'access.denied'));
    expect(refusalOf(await admin.delete(path(member, 'kind_admin')))).toEqual(refused(404, 'unit.unknown'));
    expect(refusalOf(await admin.delete(path({ ...member, id: 'x' })))).toEqual(refused(404, 'unit.unknown'));
    await ok(admin.delete(path(member)));
    expect(await ok(signIn(member))).toMatchObject({ id: member.id });
    expect((await mailbox.last(member.email, 2)).text).toContain('no longer asked for');
    expect((await mailbox.last('admin@example.com')).text).toMatch(
      /no longer asked\s+for at the sign-in of that\s+member/,
    );
    expect(refusalOf(await admin.delete(path(member)))).toEqual(refused(409, 'totp.missing'));
    // By the command for operators too.
    const other = await withApp('lou');
    const told = (await mailbox.to('admin@example.com')).length;
    const { app } = service.service;
    const project = projectOf(await app.get(Provisioning).getActive(admin.id));
    await app.get(SecondStepService).removeByName(project, 'lou');
    expect((await mailbox.last('admin@example.com', told + 1)).text).toContain('no longer asked for');
    expect(await ok(signIn(other.member))).toMatchObject({ id: other.member.id });
  });
});

describe('a fresh proof', () => {
  const grow = (member: Pick<TestMember, 'id'>) =>
    query(
      admin,
      `UPDATE $schema."_session" SET "started_at" = "started_at" - interval '11 minutes' WHERE "member_id" = $1`,
      [member.id],
    );

  it('is asked for, and made with the password where no app is set up', async () => {
    const gil = await signUp(admin, 'gil');
    const as = admin.as(gil.accessToken);
    await grow(gil);
    expect(refusalOf(await as.post('/auth/totp', {}))).toEqual(refused(403, 'session.stale'));
    expect(refusalOf(await as.post('/auth/confirm', { password: 'another secret' }))).toEqual(
      refused(400, 'proof.wrong'),
    );
    for (const [given, missing] of [
      [{ otp: '123456' }, 'password'],
      [{ challenge_id: 'x', password: gil.password }, 'response'],
      [{ response: {}, password: gil.password }, 'challenge_id'],
    ] as const)
      expect(refusalOf(await as.post('/auth/confirm', given))).toEqual(refused(400, `parameter.required ${missing}`));
    expect(refusalOf(await as.post('/auth/totp', {}))).toEqual(refused(403, 'session.stale'));
    await ok(as.post('/auth/confirm', { password: gil.password }));
    await ok(as.post('/auth/totp', {}));
  });

  it('is another sign-in for a member that has nothing to prove itself by', async () => {
    const gus = await signUp(admin, 'gus');
    const as = admin.as(gus.accessToken);
    await query(admin, 'UPDATE $schema."kind_system_user" SET "password_hash" = NULL WHERE "member_id" = $1', [gus.id]);
    for (const given of [{ password: gus.password }, { otp: '123456' }, {}]) {
      const { status, body } = await as.post('/auth/confirm', given);
      expect({ status, messages: body.messages }).toMatchObject({
        status: 400,
        messages: [{ code: 'proof.wrong', parameter: 'password', text: expect.stringContaining('sign in again') }],
      });
    }
    const passwords = { current_password: gus.password, new_password: 'correct horse 10' };
    const { body } = await as.post('/auth/change_password', passwords);
    expect(body.messages).toMatchObject([{ code: 'signin.failed', text: expect.stringContaining('recover_password') }]);
  });

  it('is made with a code where an app is set up, which a refresh is not', async () => {
    const { member, as, secret } = await withApp('hal');
    await grow(member);
    for (const call of [
      () => as.delete('/auth/totp'),
      () => as.post('/auth/recovery_codes', {}),
      () => as.post('/auth/totp/confirm', { code: codeOf(secret) }),
    ])
      expect(refusalOf(await call())).toEqual(refused(403, 'session.stale'));
    expect(refusalOf(await as.post('/auth/confirm', { password: member.password }))).toEqual(
      refused(400, 'parameter.required otp'),
    );
    await ok(as.post('/auth/confirm', { otp: codeOf(secret) }));
    await ok(as.delete('/auth/totp'));
  });

  it('is asked for where API keys are made, or get other rights, of administrators too', async () => {
    const jan = await signUp(admin, 'jan');
    const as = admin.as(jan.accessToken);
    const root = (await ok(admin.get('/auth/me'))) as { id: string };
    const { id } = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { id: string };
    expect((await mailbox.last(jan.email)).text).toContain('An API key was made');
    await grow(jan);
    const stale = refused(403, 'session.stale');
    for (const change of [{ scope: null }, { expires_at: null }])
      expect(refusalOf(await as.put(`/api_key/unit/${id}`, change))).toEqual(stale);
    expect(refusalOf(await as.post('/api_key/unit', { label: 5 }))).toEqual(stale);
    expect(refusalOf(await as.post('/api_key/unit?dry_run=true', { label: 'k' }))).toEqual(stale);
    // What gives a key no more than it has is no new way in.
    await ok(as.put(`/api_key/unit/${id}`, { label: 'renamed' }));
    await ok(as.post('/auth/confirm', { password: jan.password }));
    await ok(as.put(`/api_key/unit/${id}`, { scope: [] }));
    expect((await mailbox.last(jan.email, 2)).text).toContain('What an API key of yours may do');
    await ok(as.post('/api_key/unit?dry_run=true', { label: 'k' }));

    // The member is told of a key that somebody else makes for it.
    await ok(admin.post('/api_key/unit', { member: jan.id }));
    expect((await mailbox.last(jan.email, 3)).text).toContain('An API key was made');
    await grow(root);
    try {
      expect(refusalOf(await admin.post('/api_key/unit', { member: jan.id }))).toEqual(stale);
      expect(refusalOf(await admin.put(`/api_key/unit/${id}`, { scope: null }))).toEqual(stale);
      await ok(admin.delete(`/api_key/unit/${id}`));
    } finally {
      await query(admin, `UPDATE $schema."_session" SET "proved_at" = now() WHERE "member_id" = $1`, [root.id]);
    }
    await mailsSent(admin);
    expect(await mailbox.to(jan.email)).toHaveLength(3);
  });

  it('is nothing that an API key makes', async () => {
    const ida = await signUp(admin, 'ida');
    const { secret } = await ok(admin.as(ida.accessToken).post('/api_key/unit', { label: 'k' }));
    for (const path of ['/auth/totp', '/auth/confirm', '/auth/recovery_codes'])
      expect(refusalOf(await admin.as(secret).post(path, {}))).toEqual(refused(403, 'key.not_here'));
  });
});

describe('what administrators set of others', async () => {
  const other = await withMembers(await service.project());
  await defineKinds(other, {
    id: 'desk',
    parameters: [
      { id: 'code', kind_id: 'string', unique: true },
      { id: 'boss', kind_id: 'unit', reference_kind: 'kind_admin' },
    ],
  });
  await ok(other.put('/kind/unit/person', { parameters: ['code'] }));
  const { id: root } = (await ok(other.get('/auth/me'))) as { id: string };
  const key = await byKey(other);
  const setProof = (time: string) =>
    query(other, `UPDATE $schema."_session" SET "proved_at" = ${time} WHERE "member_id" = $1`, [root]);
  const notByKeys = refused(403, 'key.not_here');
  const plain = await signUp(other, 'opal', { code: 'a' });
  const held = await signUp(other, 'pia', { code: 'b' });
  const asHeld = other.as(held.accessToken);
  const { secret } = (await ok(asHeld.post('/auth/totp', {}))) as { secret: string };
  await ok(asHeld.post('/auth/totp/confirm', { code: codeOf(secret, -1) }));
  await mailbox.last(held.email);
  const emailOf = async (id: string) => ((await ok(other.get(`/person/unit/${id}`))) as { email: string }).email;
  const csv = { headers: { 'content-type': 'text/csv' } };
  const inBatch = (method: string, path: string, body: object) =>
    other.post('/batch', { operations: [{ method, path, body }] });

  it.each([
    ['an edit', () => other.put(`/person/unit/${held.id}`, { email: 'x@example.net' })],
    ['a dry run', () => other.put(`/person/unit/${held.id}?dry_run=true`, { email: 'x@example.net' })],
    ['an edit by filter', () => other.put('/person/unit?filter=eq(code,b)', { email: 'x@example.net' })],
    [
      'an upsert',
      () =>
        other.post('/person/unit?on_conflict=update&by=code', { code: 'b', username: 'pia', email: 'x@example.net' }),
    ],
    ['a batch', () => inBatch('PUT', `/person/unit/${held.id}`, { email: 'x@example.net' })],
    [
      'an import',
      () =>
        other.call(
          'POST',
          '/person/import?on_conflict=update&by=code',
          'code,username,email\nb,pia,x@example.net\n',
          csv,
        ),
    ],
  ])('is no address of a member with an app by %s without a fresh proof', async (_, send) => {
    await setProof(`now() - interval '11 minutes'`);
    expect((await send()).body.messages.map(({ code }) => code)).toEqual(['session.stale']);
    expect(await emailOf(held.id)).toBe(held.email);
    await setProof('now()');
  });

  it('is an address as ever where nobody has more than a password, but not by an API key', async () => {
    await setProof(`now() - interval '11 minutes'`);
    await ok(other.put(`/person/unit/${plain.id}`, { email: 'opal@example.net' }));
    expect(refusalOf(await key.put(`/person/unit/${plain.id}`, { email: 'x@example.net' }))).toEqual(notByKeys);
    expect(refusalOf(await key.put(`/person/unit/${held.id}`, { email: 'x@example.net' }))).toEqual(notByKeys);
    await ok(key.put(`/person/unit/${held.id}`, { email: held.email, username: 'piana', first_name: 'Pia' }));
    await ok(other.put(`/person/unit/${held.id}`, { username: 'pia' }));
    await mailsSent(other);
    expect(await mailbox.to(plain.email)).toEqual([]);
    await setProof('now()');
  });

  it('is told to the former address', async () => {
    const told = (await mailbox.to(held.email)).length;
    await ok(other.put(`/person/unit/${held.id}?dry_run=true`, { email: 'pia@example.net' }));
    await ok(other.put(`/person/unit/${held.id}`, { email: 'pia@example.net' }));
    expect((await mailbox.last(held.email, told + 1)).text).toContain('An administrator has given your account');
    await mailsSent(other);
    expect(await mailbox.to(held.email)).toHaveLength(told + 1);
    expect(await mailbox.to('pia@example.net')).toEqual([]);
  });

  it('is another administrator as ever with passwords alone, but not by an API key', async () => {
    await setProof(`now() - interval '11 minutes'`);
    await ok(other.post('/kind_admin/unit', { username: 'second', email: 'second@example.com' }));
    const third = { username: 'third', email: 'third@example.com' };
    expect(refusalOf(await key.post('/kind_admin/unit', third))).toEqual(notByKeys);
    await mailsSent(other);
    expect(await mailbox.to('second@example.com')).toEqual([]);
    await setProof('now()');
  });

  const appOfRoot = (on: true | null) =>
    query(other, 'UPDATE $schema.kind_system_user SET "totp_confirmed" = $2 WHERE "member_id" = $1', [root, on]);
  it.each([
    ['project', (on: boolean) => setSettings(other, { verifyEmail: on })],
    ['administrator', (on: boolean) => appOfRoot(on || null)],
  ])('is another administrator with a fresh proof where the %s has more, which all are told', async (who, set) => {
    const made = { username: `for-${who}`, email: `for-${who}@example.com` };
    await set(true);
    try {
      await setProof(`now() - interval '11 minutes'`);
      const [told, own] = [await mailbox.to('second@example.com'), await mailbox.to('admin@example.com')];
      for (const reply of [
        await other.post('/kind_admin/unit', made),
        await inBatch('POST', '/kind_admin/unit', made),
        await other.post('/desk/unit', { boss: made }),
      ])
        expect(reply.body.messages).toMatchObject([{ code: 'session.stale' }]);
      await setProof('now()');
      await ok(other.post('/kind_admin/unit', made));
      expect((await mailbox.last('second@example.com', told.length + 1)).text).toContain('An administrator was added');
      await mailbox.last('admin@example.com', own.length + 1);
      await mailsSent(other);
      expect(await mailbox.to(made.email)).toEqual([]);
    } finally {
      await set(false);
    }
  });

  it('is no password: a member that changes its own is mailed where there is more than passwords', async () => {
    const quinn = await signUp(other, 'quinn');
    const change = (member: TestMember, to: string) =>
      other
        .as(member.accessToken)
        .post('/auth/change_password', { current_password: member.password, new_password: to });
    await ok(change(quinn, 'another secret'));
    await ok(change(held, 'another secret'));
    expect((await mailbox.last('pia@example.net')).text).toContain('The password of your account was changed');
    await mailsSent(other);
    expect(await mailbox.to(quinn.email)).toEqual([]);
  });
});

describe('a session that ends meanwhile', () => {
  it.each([
    ['removes no app', 'rita', 'DELETE /auth/totp', 403, 'session.stale'],
    ['makes no recovery codes', 'rolf', 'POST /auth/recovery_codes', 403, 'session.stale'],
    ['changes no password', 'ruth', 'POST /auth/change_password', 401, 'token.invalid'],
  ])('%s', async (_, name, request, status, code) => {
    const { member, as } = await withApp(name);
    const stored = () =>
      query(admin, 'SELECT * FROM $schema."kind_system_user" WHERE "member_id" = $1::uuid', [member.id]);
    const before = await stored();
    await mailsSent(admin);
    const mails = (await mailbox.to(member.email)).length;
    const side = await sideConnection();
    const release = await side.holding(
      admin,
      `UPDATE "kind_system_user" SET "member_id" = "member_id" WHERE "member_id" = '${member.id}'`,
      `DELETE FROM "_session" WHERE "member_id" = '${member.id}'`,
    );
    const [method = '', path = ''] = request.split(' ');
    const body = path.endsWith('password')
      ? { current_password: member.password, new_password: 'another secret' }
      : undefined;
    const reply = as.call(method, path, body);
    await side.queued(admin, 1);
    await release();
    expect(refusalOf(await reply)).toEqual(refused(status, code));
    expect(await stored()).toEqual(before);
    await mailsSent(admin);
    expect(await mailbox.to(member.email)).toHaveLength(mails);
  });

  it('removes no app of another member, where it is that of an administrator', async () => {
    const { member } = await withApp('rosa');
    const boss = await asAdministrator(admin);
    const { id } = await ok(boss.get('/auth/me'));
    const { items } = (await ok(boss.get('/auth/session'))) as { items: { id: string; current: boolean }[] };
    const side = await sideConnection();
    const release = await side.holding(
      admin,
      `UPDATE "kind_system_user" SET "member_id" = "member_id" WHERE "member_id" = '${String(id)}'`,
      `DELETE FROM "_session" WHERE "id" = '${items.find(({ current }) => current)?.id}'`,
    );
    const reply = boss.delete(`/person/unit/${member.id}/second_step`);
    await side.queued(admin, 1);
    await release();
    expect(refusalOf(await reply)).toEqual(refused(403, 'session.stale'));
    expect((await signIn(member)).headers.get('kind-second-step')).toBe('totp');
  });
});

describe('second_step', () => {
  const demand = (who: 'optional' | 'administrators' | 'everyone') => setSettings(admin, { secondStep: who });

  it('holds members back who have none: they reach their own authentication alone, with API keys too', async () => {
    const joe = await signUp(admin, 'joe');
    const as = admin.as(joe.accessToken);
    const { secret: key } = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { secret: string };
    await ok(
      admin.post('/kind/unit', {
        id: 'note',
        public: true,
        access: { create: 'member' },
        parameters: [{ id: 'text', kind_id: 'string' }],
      }),
    );
    await demand('everyone');
    try {
      for (const bearer of [joe.accessToken, key]) {
        for (const path of ['/person/unit', '/kind/unit', '/kind_admin/unit', '/api_key/unit'])
          expect([path, refusalOf(await open.get(path, { token: bearer }))]).toEqual([
            path,
            refused(403, 'second_step.missing'),
          ]);
        // As it answers strangers.
        expect((await open.get('/note/unit', { token: bearer })).status).toBe(200);
        expect(refusalOf(await admin.as(bearer).post('/note/unit', { text: 'a' }))).toEqual(
          refused(403, 'second_step.missing'),
        );
        const batch = { operations: [{ method: 'GET', path: '/person/unit' }] };
        expect((await admin.as(bearer).post('/batch', batch)).body.messages[0]?.code).toBe('second_step.missing');
        expect((await open.get('/auth/me', { token: bearer })).status).toBe(200);
      }
      const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
      await ok(as.post('/auth/totp/confirm', { code: codeOf(secret, -1) }));
      expect((await as.get('/person/unit')).status).toBe(200);
      // What was found of the key is remembered for a second.
      await expect.poll(async () => (await open.get('/person/unit', { token: key })).status).toBe(200);
      // At once, though it was let through a moment ago.
      await ok(as.get('/person/unit'));
      await ok(as.delete('/auth/totp'));
      expect(refusalOf(await as.get('/person/unit'))).toEqual(refused(403, 'second_step.missing'));
    } finally {
      await demand('optional');
    }
  });

  it('holds for files, their addresses and streams too; only an address that was signed before still opens', async () => {
    const lee = await signUp(admin, 'lee');
    const as = admin.as(lee.accessToken);
    const { secret: key } = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { secret: string };
    const { id } = (await ok(upload(as, 'a.txt'))) as { id: string };
    const { url } = (await ok(as.post(`/file/unit/${id}/url`, { seconds: 60 }))) as { url: string };
    const address = `/project/${admin.id}/file/${id}`;
    const bearers = [lee.accessToken, key].map((bearer) => admin.as(bearer));
    for (const bearer of bearers) expect((await bearer.get(address)).text).toBe('a');
    const streams = await Promise.all(bearers.map((bearer) => follow(bearer, { people: '/person/unit' })));
    await Promise.all(streams.map((stream) => stream.next('page')));
    await demand('everyone');
    try {
      const missing = refused(403, 'second_step.missing');
      for (const stream of streams) expect(await stream.next('end')).toMatchObject({ code: 'token.revoked' });
      for (const bearer of bearers) {
        for (const path of [`/file/unit/${id}/content`, address, '/changes']) {
          const stranger = refusalOf(await open.get(path));
          expect([path, refusalOf(await bearer.get(path))]).toEqual([
            path,
            stranger.status === 401 ? missing : stranger,
          ]);
        }
        expect(refusalOf(await bearer.post(`/file/unit/${id}/url`, { seconds: 60 }))).toEqual(missing);
        expect(refusalOf(await upload(bearer, 'b.txt'))).toEqual(missing);
        await expect(follow(bearer, { people: '/person/unit' })).rejects.toThrow('second_step.missing');
      }
      // It names a content, and no member.
      const opened = await fetch(`${service.service.url}${url.slice(url.indexOf('/api/lib/'))}`);
      expect(await opened.text()).toBe('a');
    } finally {
      await demand('optional');
    }
  });

  it('is asked of administrators alone, if it says so', async () => {
    const kim = await signUp(admin, 'kim');
    await demand('administrators');
    try {
      expect((await open.get('/person/unit', { token: kim.accessToken })).status).toBe(200);
      expect(refusalOf(await admin.get('/person/unit'))).toEqual(refused(403, 'second_step.missing'));
      for (const path of ['/auth/mail', `/auth/member/${kim.id}/session`]) await ok(admin.get(path));
      await ok(admin.delete(`/auth/member/${kim.id}/session`));
    } finally {
      await demand('optional');
    }
  });
});
