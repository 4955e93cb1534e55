/** Passwords, tokens and codes appear in no log, no error and no mail except those meant for them. */
import { randomBytes } from 'node:crypto';
import { TOTP } from 'otpauth';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { anonymous, withMembers } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { codeIn, Mailbox, setOtp, setSettings, temporaryFolder, tokenIn } from '../../support/mailbox.js';
import { startTestService, type CallOptions, type Reply } from '../../support/service.js';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const lines: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
const service = await startTestService({ dataDir }, logger);
const admin = await withMembers(await service.project());
const open = anonymous(admin);

const canary = (name: string) => `canary-${name}-${randomBytes(8).toString('hex')}`;

it('no secret is in a log, cache or mail', async () => {
  const [first, second, wrong] = [canary('first'), canary('second'), canary('wrong')];
  const secrets = new Set([first, second, wrong]);
  const refusals: Reply[] = [];
  const call = async (path: string, body?: unknown, options?: CallOptions) => {
    const reply = await open.post(path, body, options);
    if (reply.status !== 200) refusals.push(reply);
    return reply;
  };
  const email = 'cleo@example.com';
  const member = (username: string, password: string, address = email) => ({
    username,
    password,
    kind_system_user: { username, password, email: address },
  });
  const tokensOf = ({ body }: Reply) => {
    const { access_token, refresh_token } = body.content as { access_token: string; refresh_token: string };
    for (const token of [access_token, refresh_token]) secrets.add(token);
    return { access_token, refresh_token };
  };

  const { access_token } = tokensOf(await call('/auth/person/signup', member('cleo', first)));
  await call('/auth/person/signup', member('cleo', first));
  await call('/auth/person/signup', { ...member('dora', first), password: wrong });
  await call('/auth/person/signup', member(wrong, wrong, 'dora@example.com'));
  await call('/auth/person/signup', `{"password": "${wrong}", `);
  await call('/auth/signin', { username: 'cleo', password: wrong });
  await call('/auth/signin', { username: 'cleo', password: [wrong] });
  await call('/auth/signin', { username: 'cleo', password: first, [wrong.slice(0, 6)]: first });
  await call('/auth/change_password', { current_password: wrong, new_password: second }, { token: access_token });
  await call('/auth/change_password', { current_password: first, new_password: 'short' }, { token: access_token });

  await setOtp(admin, true);
  await call('/auth/signin', { username: 'cleo', password: first });
  const codeMail = await mailbox.last(email);
  const code = codeIn(codeMail);
  await call('/auth/signin', { username: 'cleo', password: first, otp: wrong });
  const { refresh_token } = tokensOf(await call('/auth/signin', { username: 'cleo', password: first, otp: code }));
  tokensOf(await call('/auth/refresh', undefined, { token: refresh_token }));
  await call('/auth/verify', undefined, { token: refresh_token });
  await call('/auth/verify', undefined, { token: `${access_token.slice(0, -4)}AAAA` });

  await call('/auth/recover_password', { email });
  const recovery = await mailbox.last(email, 2);
  const token = tokenIn(recovery);
  secrets.add(token);
  refusals.push(await open.get(`/auth/reset_password/${token}`));
  refusals.push(await open.put(`/auth/reset_password/${token}/more`, {}));
  await call(`/auth/reset_password/${token}`, { new_password: 'short' });
  await call(`/auth/reset_password/${token}`, { new_password: second });
  await call(`/auth/reset_password/${token}`, { new_password: second });

  // Other ways in, and the second step.
  await setSettings(admin, { otp: false, mailSignIn: true });
  const made = tokensOf(await call('/auth/signin', { username: 'cleo', password: second }));
  const as = admin.as(made.access_token);
  await ok(as.post('/auth/email', { email: 'new-cleo@example.com' }));
  const linkMail = await mailbox.last('new-cleo@example.com');
  const link = /\/verify#([\w-]+)$/m.exec(linkMail.text)?.[1] ?? '';
  await call('/auth/verify_email', { token: link, password: wrong });
  await call('/auth/verify_email', { token: link.slice(1) }, { token: made.access_token });
  const key = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { secret: string };
  await ok(as.get('/auth/me', { token: key.secret }));
  const totp = (await ok(as.post('/auth/totp', {}))) as { secret: string };
  for (const each of [link, key.secret, totp.secret]) secrets.add(each);
  const app = new TOTP({ secret: totp.secret });
  await call('/auth/totp/confirm', { code: wrong }, { token: made.access_token });
  const { recovery_codes: recoveryCodes } = (await ok(as.post('/auth/totp/confirm', { code: app.generate() }))) as {
    recovery_codes: string[];
  };
  await call('/auth/code', { email });
  const signInCode = await vi.waitFor(async () => {
    const texts = (await mailbox.to(email)).map(({ text }) => text);
    return /^ {2}(\d{8})$/m.exec(texts.join('\n'))?.[1] ?? Promise.reject(new Error('no code yet'));
  });
  tokensOf(await call('/auth/code/signin', { email, code: signInCode, otp: recoveryCodes[0]?.toLowerCase() }));
  await call('/auth/code/signin', { email, code: signInCode, otp: recoveryCodes[0] });
  const short = [code, codeIn(linkMail), signInCode, ...recoveryCodes];

  // The database goes away under it: what is told of that has no values either.
  const run = () => Promise.reject(new Error('the connection is gone'));
  const broken = vi.spyOn(service.service.database, 'ofProject').mockReturnValue({ run });
  await call('/auth/signin', { username: 'cleo', password: second });
  await call('/auth/recover_password', { email });
  broken.mockRestore();

  expect(refusals.length).toBeGreaterThan(12);
  const told = refusals.map(({ text }) => text).join('\n');
  const log = lines.join('');
  expect(log).toContain('reset_password/…');
  expect(log).toContain('unexpected error');
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(15);
    expect(log, 'the log').not.toContain(secret);
    expect(told, 'a refusal').not.toContain(secret);
  }
  for (const each of short) {
    expect(each).toMatch(/^[\w-]{6,}$/);
    expect(log, 'the log').not.toContain(each);
    expect(told, 'a refusal').not.toContain(each);
  }
  // A mail has its own secret alone.
  expect(codeMail.raw).not.toMatch(/canary/);
  expect(recovery.raw).not.toMatch(/canary/);
  expect(recovery.text).not.toContain(code);
  for (const secret of secrets) if (secret !== token) expect(recovery.raw).not.toContain(secret);

  // What is stored of them is hashed.
  const { rows } = await stored();
  for (const secret of [...secrets, ...short]) expect(rows).not.toContain(`"${secret}"`);
});

async function stored(): Promise<{ rows: string }> {
  const { query } = await import('../../support/definitions.js');
  const tables = ['_session', '_refresh_token', '_one_time', '_throttle', 'kind_system_user', 'person', 'api_key'];
  const rows = await Promise.all(tables.map((table) => query(admin, `SELECT * FROM $schema."${table}"`)));
  return { rows: JSON.stringify(rows) };
}
