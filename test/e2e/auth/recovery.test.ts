/** Password recovery by mail, which does not reveal whether a member exists. */
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { MailQueue } from '../../../src/mail/mail-queue.js';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { earlier, query } from '../../support/definitions.js';
import { Mailbox, temporaryFolder, tokenIn } from '../../support/mailbox.js';
import { startTestService } from '../../support/service.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, authRateLimit: false });
const second = await startTestService({ dataDir, authRateLimit: false });
const throttled = await startTestService({ dataDir });
const admin = await withMembers(await service.project());
const open = anonymous(admin);

const recover = (email: string, options = {}) => open.post('/auth/recover_password', { email }, options);
const reset = (token: string, new_password: unknown) => open.post(`/auth/reset_password/${token}`, { new_password });
const signIn = (username: string, password: string) => open.post('/auth/signin', { username, password });
const verify = (token: string) => open.get('/auth/verify', { token });

async function tokenFor(email: string, count = 1): Promise<string> {
  expect((await recover(email)).status).toBe(200);
  return tokenIn(await mailbox.last(email, count));
}

describe('a recovery', () => {
  it('sets a new password, and ends all sessions of the member on every process', async () => {
    const ann = await signUp(admin, 'ann');
    const there = (await second.signIn(admin.id)).as(undefined);
    expect((await there.get('/auth/verify', { token: ann.accessToken })).status).toBe(200);
    const token = await tokenFor(ann.email);
    expect(token).toMatch(/^[\w-]{22}$/);
    const reply = await reset(token, 'a whole new one');
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: { content: null, messages: [] } });
    expect((await verify(ann.accessToken)).status).toBe(401);
    expect((await open.post('/auth/refresh', undefined, { token: ann.refreshToken })).status).toBe(401);
    expect((await signIn('ann', ann.password)).status).toBe(401);
    expect((await signIn('ann', 'a whole new one')).status).toBe(200);
    await expect
      .poll(async () => (await there.get('/auth/verify', { token: ann.accessToken })).status, { timeout: 1000 })
      .toBe(401);
  });

  it('sets the first password of a member that an administrator created', async () => {
    await admin.post('/person/unit', { username: 'made', email: 'made@example.com' });
    expect((await reset(await tokenFor('made@example.com'), 'my first one')).status).toBe(200);
    expect((await signIn('made@example.com', 'my first one')).status).toBe(200);
  });

  it('gives the same answer for known and unknown addresses, and mails only known ones', async () => {
    await signUp(admin, 'bea');
    await admin.post('/kind/unit', { id: 'robot' });
    await admin.post('/group/unit/kind_auth_member/link/group/kind/unit/robot');
    await admin.post('/robot/unit', { username: 'r2', email: 'r2@example.com' });
    await admin.put('/kind/unit/robot', { active: false });
    const replies = [
      await recover('nobody@example.com'),
      await recover('r2@example.com'),
      await recover('bea'),
      await recover(''),
      await recover('ＢEA@EXAMPLE.com'),
    ];
    for (const { status, text, headers } of replies) {
      expect({ status, text }).toEqual({ status: 200, text: '{"content":null,"messages":[]}' });
      expect(headers.get('cache-control')).toBe('no-store');
    }
    const named = (reply: (typeof replies)[0]) => [...reply.headers.keys()];
    expect(new Set(replies.map((reply) => named(reply).join()))).toEqual(new Set([named(replies[0]!).join()]));
    // The address of the account, however it was written by the one who asked.
    await mailbox.last('bea@example.com');
    expect(await mailbox.to('nobody@example.com')).toEqual([]);
    expect(await mailbox.to('r2@example.com')).toEqual([]);
  });

  it('sends the same statements before its answer for known and unknown addresses', async () => {
    const { email } = await signUp(admin, 'cat');
    const project = anonymous(await throttled.signIn(admin.id));
    // What comes after the answer is left out.
    vi.spyOn(throttled.service.app.get(MailQueue), 'reserve').mockReturnValue({ submit() {}, release() {} });
    const counted = (address: string) =>
      project.statements(() => project.post('/auth/recover_password', { email: address }));
    expect(await counted(email)).toBe(1);
    expect(await counted('nobody@example.com')).toBe(1);
  });

  it('is mailed also where the client leaves its answers unread', async () => {
    const kai = await signUp(admin, 'kai');
    const { hostname, port } = new URL(service.service.url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    const body = JSON.stringify({ email: kai.email });
    const headers = `host: kind\r\nkind-project-key: ${admin.id}\r\ncontent-type: application/json\r\n`;
    const large = `GET /api/lib/doc/swaggerui/swagger-ui-bundle.js HTTP/1.1\r\nhost: kind\r\n\r\n`;
    const request = `POST /api/lib/auth/recover_password HTTP/1.1\r\n${headers}content-length: ${body.length}\r\n\r\n`;
    socket.write(`${large.repeat(10)}${request}${body}`);
    expect((await mailbox.last(kai.email)).text).toContain('/reset_password/');
    socket.destroy();
  });

  it('mails at most ten times in an hour, with the same answer, concurrently and from two processes', async () => {
    const { email } = await signUp(admin, 'dot');
    const processes = [await startTestService({ dataDir }), await startTestService({ dataDir })];
    const askers = await Promise.all(processes.map(async (each) => anonymous(await each.signIn(admin.id))));
    // Nine of the ten one after another: those that follow at once are all about the last.
    for (let mail = 0; mail < 9; mail += 1) await recover(email);
    await mailbox.last(email, 9);
    // Tokens are slow to be kept: who counted them first would find nine again and again.
    for (const text of [
      "CREATE FUNCTION $schema.linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NEW; END'",
      'CREATE TRIGGER linger BEFORE INSERT ON $schema._one_time FOR EACH ROW EXECUTE FUNCTION $schema.linger()',
    ])
      await query(admin, text);
    const asked = askers.flatMap((by) =>
      Array.from({ length: 12 }, () => by.post('/auth/recover_password', { email })),
    );
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    // Before it ends, a process sends what waits.
    for (const { service: each } of processes) await each.app.get(MailQueue).drain(5000);
    await query(admin, 'DROP TRIGGER linger ON $schema._one_time');
    expect((await mailbox.to(email)).length).toBe(10);
  });

  it.each([
    ['no body', undefined, 'body.not_object'],
    ['no address', {}, 'parameter.required'],
    ['a number', { email: 1 }, 'parameter.bad_type'],
    ['two addresses', { email: ['a@example.com', 'b@example.com'] }, 'parameter.bad_type'],
    ['more than an address', { email: 'a@example.com', cc: 'b@example.com' }, 'parameter.unknown'],
  ])('refuses %s', async (_, body, code) => {
    const { status, body: answer, headers } = await open.post('/auth/recover_password', body);
    expect({ status, code: answer.messages[0]?.code }).toEqual({ status: 400, code });
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('a token', () => {
  it('is used once: of fifty concurrent uses exactly one succeeds', async () => {
    const { email } = await signUp(admin, 'fay');
    const token = await tokenFor(email);
    const replies = await Promise.all(Array.from({ length: 50 }, (_, at) => reset(token, `a new password ${at}`)));
    const won = replies.flatMap(({ status }, at) => (status === 200 ? [at] : []));
    expect(won.length).toBe(1);
    expect(replies.filter(({ status }) => status === 401).length).toBe(49);
    expect((await signIn('fay', `a new password ${won[0] ?? ''}`)).status).toBe(200);
  });

  it('of a member with several: using one uses all, also concurrently', async () => {
    const { email } = await signUp(admin, 'gil');
    const tokens = [await tokenFor(email, 1), await tokenFor(email, 2), await tokenFor(email, 3)];
    expect(new Set(tokens).size).toBe(3);
    const replies = await Promise.all(tokens.map((token) => reset(token, 'a new password')));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    for (const token of tokens) expect((await reset(token, 'another one')).status).toBe(401);
  });

  it('is not used up by a rejected password', async () => {
    const { email } = await signUp(admin, 'hal');
    const token = await tokenFor(email);
    for (const [password, code] of [
      ['short', 'parameter.too_short'],
      ['x'.repeat(129), 'parameter.too_long'],
      ['HAL@example.com', 'parameter.bad_value'],
      [undefined, 'parameter.required'],
      [12345678, 'parameter.bad_type'],
    ] as const) {
      const { status, body } = await reset(token, password);
      expect({ status, code: body.messages[0]?.code }).toEqual({ status: 400, code });
    }
    expect((await reset(token, 'a good password')).status).toBe(200);
  });

  it('is rejected with 401 before its body is checked', async () => {
    for (const token of ['x', 'A'.repeat(22), 'A'.repeat(5000), '%27%3B--', '%00', 'constructor']) {
      const { status, body, headers } = await open.post(`/auth/reset_password/${token}`, '{');
      expect({ token, status, code: body.messages[0]?.code }).toEqual({ token, status: 401, code: 'token.invalid' });
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('is stored hashed, and good for an hour', async () => {
    const { email, id } = await signUp(admin, 'ida');
    const token = await tokenFor(email);
    const rows = await query(admin, 'SELECT * FROM $schema._one_time WHERE "member_id" = $1', [id]);
    expect(rows.length).toBe(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    const shift = (by: string) =>
      query(
        admin,
        `UPDATE $schema._one_time SET "expires_at" = ${earlier('"expires_at"', '$1::interval')} WHERE "member_id" = $2`,
        [by, id],
      );
    await shift('59 minutes 50 seconds');
    expect((await reset(token, 'short')).status).toBe(400);
    await shift('11 seconds');
    expect((await reset(token, 'a good password')).status).toBe(401);
  });

  it.each([
    [
      'a change of password',
      (id: string, token: string) =>
        open.post(
          '/auth/change_password',
          { current_password: `secret of ${id}`, new_password: 'the next one' },
          { token },
        ),
    ],
    [
      'a new address of the member',
      (_: string, __: string, unit: string) => admin.put(`/person/unit/${unit}`, { email: 'elsewhere@example.com' }),
    ],
    ['the end of the member', (_: string, __: string, unit: string) => admin.delete(`/person/unit/${unit}`)],
  ])('is worth nothing after %s', async (name, work) => {
    const username = name.replaceAll(' ', '');
    const member = await signUp(admin, username);
    const token = await tokenFor(member.email);
    expect((await work(username, member.accessToken, member.id)).status).toBe(200);
    expect((await reset(token, 'a good password')).status).toBe(401);
  });

  it('of one project is invalid in another', async () => {
    const other = await withMembers(await service.project());
    await signUp(other, 'joe');
    await signUp(admin, 'joe');
    const token = await tokenFor('joe@example.com');
    expect(
      (await anonymous(other).post(`/auth/reset_password/${token}`, { new_password: 'a good password' })).status,
    ).toBe(401);
    expect((await reset(token, 'a good password')).status).toBe(200);
  });

  it('accepts only POST except from browsers, and no answer repeats it', async () => {
    const token = 'B'.repeat(22);
    const { status, text, headers } = await open.get(`/auth/reset_password/${token}`);
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect(text).toContain('route.method');
    expect(text).not.toContain(token);
    const other = await open.get(`/auth/Reset_Password/${token}/`);
    expect([other.status, other.headers.get('allow')]).toEqual([404, null]);
    expect(other.text).not.toContain(token);
  });
});

describe('the link of the mail', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const visit = (url: string) => fetch(url, { headers: browser });

  it('shows a browser a page, which does not use up the token, and whose files exist', async () => {
    const { email } = await signUp(admin, 'lea');
    await recover(email);
    const mail = await mailbox.last(email);
    const link = /^http.*$/m.exec(mail.text)?.[0] ?? '';
    const page = await visit(link);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect([page.headers.get('referrer-policy'), page.headers.get('cache-control')]).toEqual([
      'no-referrer',
      'no-store',
    ]);
    const text = await page.text();
    expect(text).not.toMatch(/<script>|<style|\son\w+=|style=|https?:/i);
    const parts = [...text.matchAll(/(?:src|href)="(\.[^"]+)"/g)].map(([, path = '']) => path);
    expect(parts).toHaveLength(2);
    for (const path of parts) expect((await visit(new URL(path, link).href)).status).toBe(200);
    expect((await visit(new URL('../page/reset.html', link).href)).status).toBe(404);
    expect((await reset(tokenIn(mail), 'a good password')).status).toBe(200);
  });

  it('is 405 for a GET of a program', async () => {
    const link = `${service.service.url}/api/lib/auth/reset_password/${'C'.repeat(22)}`;
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await fetch(link, { method });
      expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      expect((await fetch(link, { method, headers: browser })).status).toBe(200);
    }
    const options = await fetch(link, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, expect.stringContaining('POST')]);
  });
});

describe('a sign-in in progress with the old password', () => {
  it('gets no session once the password has changed', async () => {
    const { SessionStore } = await import('../../../src/auth/session/session-store.js');
    const { ProjectStore } = await import('../../../src/tenancy/project-store.js');
    const kim = await signUp(admin, 'kim');
    const project = (await service.service.app.get(ProjectStore).find(admin.id))!;
    const [row] = await query<{ hash: string }>(
      admin,
      'SELECT "password_hash" AS hash FROM $schema.kind_system_user WHERE "member_id" = $1',
      [kim.id],
    );
    const member = { kindId: 'person', memberId: kim.id, password: row?.hash };
    const start = () => service.service.app.get(SessionStore).start(service.service.database, project, member);
    expect(await start()).toMatchObject({ sessionId: expect.any(String) });
    await reset(await tokenFor(kim.email), 'a good password');
    expect(await start()).toBeUndefined();
  });
});
