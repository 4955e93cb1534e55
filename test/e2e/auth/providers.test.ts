/** Sign-in with a real identity provider: the start, the callback, the exchange, and which member it is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import {
  anonymous,
  asAdministrator,
  defineKinds,
  signUp,
  withMembers,
  type TestMember,
} from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { FunctionsFolder } from '../../support/functions.js';
import { byKey } from '../../support/keys.js';
import { codeIn, Mailbox, mailsSent, setSettings, temporaryFolder } from '../../support/mailbox.js';
import { signInAtProvider, startOidcProvider } from '../../support/oidc-provider.js';
import { APP, Application, callbackAddress } from '../../support/provider-application.js';
import { startTestService, type Reply } from '../../support/service.js';

const dataDir = temporaryFolder();
const functions = new FunctionsFolder({
  'guest.ts': `import { FunctionError, kind } from 'kind';
const guest = kind('guest');
export default guest.module({
  hooks: {
    before_create({ values: { username }, via, member }) {
      if (username === 'unwanted') throw new FunctionError(409, 'guest.unwanted', 'not this one');
      if (username === 'unlucky') throw new Error('a fault of the hook');
      return { made: \`\${via} of \${member === null ? 'a stranger' : 'a member'}\` };
    },
  },
});`,
});
const mailbox = new Mailbox(dataDir);
const audit = join(dataDir, 'audit.log');
const log: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line) => void log.push(line) });
const config = {
  dataDir,
  auditLog: { file: audit },
  functionsDir: functions.path,
  authRateLimit: false,
  identityProviders: { allow: [], allowPrivate: true },
};
const service = await startTestService(config, logger);
const admin = await withMembers(await service.project());
const boss = await asAdministrator(admin);
const open = anonymous(admin);
await setSettings(admin, { redirects: [APP, 'http://127.0.0.1/in', 'com.example.app:/in'] });
const callbackOf = (id: string) => callbackAddress(admin, id);
const codes = ({ body }: Reply) => body.messages.map(({ code }) => code);
const IDS = [
  'corp',
  'strict',
  'trusting',
  'never',
  'closed',
  'gone',
  'other',
  'guests',
  'filled',
  'typed',
  'fleeting',
  'meanwhile',
  'ended',
];
const oidc = await startOidcProvider({ redirectUris: IDS.map(callbackOf) });

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;');
}

/** An account at the provider with a verified address of its name. */
function account(name: string, more: object = {}): string {
  oidc.accounts.set(name, { email: `${name}@example.com`, email_verified: true, given_name: name, ...more });
  return name;
}

async function provider(id: string, more: object = {}): Promise<string> {
  const { issuer, clientId: client_id, clientSecret: client_secret } = oidc;
  const unit = { id, label: `Provider ${id}`, issuer, client_id, client_secret, member_kind: 'person', ...more };
  await ok(boss.post('/identity_provider/unit', unit));
  return id;
}

await provider('corp', { signup: true });

const application = () => new Application(admin);

/** The session of somebody who signs in. */
async function signedIn(id: string, name: string): Promise<Record<string, string>> {
  const app = application();
  const { code } = await app.signIn(id, name);
  return ok(app.exchange(code));
}

async function refusedWith(id: string, name: string): Promise<string | undefined> {
  return (await application().signIn(id, name)).error;
}

const identitiesOf = (memberId: string) =>
  query<{ subject: string }>(admin, 'SELECT "subject" FROM $schema."identity" WHERE "member" = $1::uuid', [memberId]);
const verify = ({ id }: { id: string }) =>
  query(admin, 'UPDATE $schema."kind_system_user" SET "email_verified_at" = now() WHERE "member_id" = $1::uuid', [id]);

describe('a first visit', () => {
  it('makes a member, which signs in from then on', async () => {
    account('ann');
    const app = application();
    const { code, ...rest } = await app.signIn('corp', 'ann');
    expect(rest).toEqual({});
    const session = await ok(app.exchange(code));
    expect(session).toMatchObject({ kind_id: 'person', email: 'ann@example.com' });
    const as = admin.as(session.access_token as string);
    expect(await ok(as.get('/auth/me'))).toMatchObject({ username: 'ann', administrator: false });
    expect((await ok(as.get('/auth/me'))).email_verified_at).not.toBeNull();
    const { items } = (await ok(as.get('/identity/unit'))) as { items: Record<string, string>[] };
    expect(items).toMatchObject([{ provider: 'corp', member: session.id, email: 'ann@example.com' }]);
    expect(JSON.stringify(items)).not.toContain('subject');
    expect((await mailbox.last('ann@example.com')).text).toContain('An account of "Provider corp" was linked to yours');
    const again = await signedIn('corp', 'ann');
    expect(again.id).toBe(session.id);
    await mailsSent(admin);
    expect(await mailbox.to('ann@example.com')).toHaveLength(1);
  });

  it('of two at once makes one member', async () => {
    account('twin');
    const apps = Array.from({ length: 6 }, () => application());
    const callbacks = await Promise.all(apps.map((app) => app.toCallback('corp', 'twin')));
    const codes = await Promise.all(
      apps.map(async (app, at) => app.back(await app.open(callbacks[at]?.href ?? '')).code),
    );
    // Each of them twice.
    const twice = [...apps, ...apps].map((app, at) => app.exchange(codes[at % apps.length]));
    const sessions = (await Promise.all(twice)).filter(({ status }) => status === 200);
    expect(sessions.length).toBe(apps.length);
    expect(new Set(sessions.map(({ body }) => (body.content as { id: string }).id)).size).toBe(1);
    expect(await ok(admin.get('/person/unit?filter=eq(email,twin@example.com)'))).toMatchObject({ count: 1 });
  });

  it('takes another username where somebody has it', async () => {
    await signUp(admin, 'dora', { email: undefined });
    account('dora', { email: 'dora@elsewhere.example' });
    const { id } = await signedIn('corp', 'dora');
    expect((await ok(admin.get(`/person/unit/${id}`))).username).toMatch(/^dora-\d+$/);
  });

  it('runs the hooks of its kind, and is refused where one refuses', async () => {
    await defineKinds(admin, { id: 'guest', parameters: [{ id: 'made', kind_id: 'string' }] });
    await ok(admin.post('/group/unit/kind_auth_member/link/group/kind/unit/guest', {}));
    await provider('guests', { signup: true, member_kind: 'guest' });
    const { id } = await signedIn('guests', account('greta'));
    expect(await ok(admin.get(`/guest/unit/${id}`))).toMatchObject({ made: 'signup of a stranger' });
    expect(await refusedWith('guests', account('unwanted'))).toBe('access.denied');
    const before = log.length;
    expect(await refusedWith('guests', account('unlucky'))).toBe('provider.unavailable');
    const logged = log.slice(before).filter((line) => line.includes('unexpected error'));
    expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
      { method: 'GET', requestId: expect.any(String), err: { message: expect.stringContaining('guest.ts:7') } },
    ]);
    expect(logged[0]).toContain('a fault of the hook');
    expect(await ok(admin.get('/guest/unit?filter=in(username,unwanted,unlucky)'))).toMatchObject({ count: 0 });
  });

  it('fills parameters from claims, once, and is refused where they do not fit', async () => {
    await provider('filled', { signup: true, claims: { first_name: 'given_name' } });
    const { id } = await signedIn('filled', account('gwen', { given_name: 'Gwen' }));
    account('gwen', { given_name: 'Another' });
    await signedIn('filled', 'gwen');
    expect(await ok(admin.get(`/person/unit/${id}`))).toMatchObject({ first_name: 'Gwen', last_name: '' });
    expect(await refusedWith('filled', account('odd', { given_name: 5 }))).toBe('provider.claims_missing');
  });

  it('takes no claims that do not fit their parameters, and none that is no claim', async () => {
    const types = ['integer', 'boolean', 'date', 'json'];
    await defineKinds(admin, { id: 'typed', parameters: types.map((type) => ({ id: `as_${type}`, kind_id: type })) });
    await ok(admin.post('/group/unit/kind_auth_member/link/group/kind/unit/typed', {}));
    await provider('typed', { signup: true, member_kind: 'typed' });
    const fill = (claims: object) => ok(boss.put('/identity_provider/unit/typed', { claims }));
    for (const [type, values] of Object.entries({
      integer: [{ a: 1 }, ['1'], 'a\0b', 'a'.repeat(10_000)],
      boolean: ['no value', { $ref: '#' }],
      date: [['2026-01-01'], 1],
    })) {
      await fill({ [`as_${type}`]: 'given_name' });
      for (const given_name of values) {
        const error = await refusedWith('typed', account(`typed_${type}`, { given_name }));
        expect([type, given_name, error]).toEqual([type, given_name, 'provider.claims_missing']);
      }
    }
    for (const claim of ['__proto__', 'constructor', 'toString']) {
      await fill({ as_json: claim });
      const { id } = await signedIn('typed', account(claim.replaceAll('_', 'p')));
      expect((await ok(admin.get(`/typed/unit/${id}`))).as_json).toBeNull();
    }
    await fill({ as_json: 'given_name' });
    const hostile = JSON.parse('{"__proto__": {"administrator": true}, "a": ["\\u0000"]}') as object;
    expect(await refusedWith('typed', account('stored', { given_name: hostile }))).toBe('provider.claims_missing');
    const body = JSON.stringify({ claims: {} }).replace('{}', '{"__proto__": "given_name"}');
    expect((await boss.put('/identity_provider/unit/typed', body)).status).toBe(400);
  });

  it('is refused where the provider or the kind takes no new members', async () => {
    await provider('closed');
    expect(await refusedWith('closed', account('eve'))).toBe('access.denied');
    expect(await ok(admin.get('/person/unit?filter=eq(email,eve@example.com)'))).toMatchObject({ count: 0 });
  });

  it('is refused without a verified address', async () => {
    for (const [name, claims] of Object.entries({
      unverified: { email_verified: false },
      silent: { email_verified: undefined },
      nobody: { email: undefined },
      folded: { email: 'ａnn@example.com' },
      sharp: { email: 'straße@example.com' },
      dotted: { email: 'dotted@example.com.' },
      stored: { email: 'a\0b@example.com' },
      long: { email: `${'a'.repeat(300)}@example.com` },
      several: { email: ['several@example.com'] },
      lines: { email: 'a@example.com\r\nBcc: b@example.com' },
      line: { email: 'a\nb@example.com' },
      shown: { email: '"Ann" <ann@example.com>' },
    })) {
      expect([name, await refusedWith('corp', account(name, claims))]).toEqual([name, 'provider.email_unverified']);
    }
    await provider('trusting', { signup: true, trust_email: true });
    expect(await signedIn('trusting', 'silent')).toMatchObject({ email: 'silent@example.com' });
    expect(await refusedWith('trusting', 'unverified')).toBe('provider.email_unverified');
  });
});

describe('an address that a member has', () => {
  it('links to it, where both sides have verified it', async () => {
    const member = await signUp(admin, 'finn');
    await verify(member);
    const session = await signedIn('corp', account('finn'));
    expect(session.id).toBe(member.id);
    expect((await open.get('/auth/me', { token: member.accessToken })).status).toBe(200);
    expect((await mailbox.last(member.email)).text).not.toContain('removed');
  });

  it('empties the account first, where the member has not verified it', async () => {
    const member = await signUp(admin, 'gil');
    const as = admin.as(member.accessToken);
    const { secret: key } = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { secret: string };
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    await ok(as.post('/auth/totp/confirm', { code: new TOTP({ secret }).generate() }));
    // As if the one who waits had linked an identity of theirs.
    await linkTo(member, 'corp', account('mallory'));
    const session = await signedIn('corp', account('gil'));
    expect(session.id).toBe(member.id);
    for (const token of [member.accessToken, key]) expect((await open.get('/auth/me', { token })).status).toBe(401);
    const { username, password } = member;
    expect((await open.post('/auth/signin', { username, password })).status).toBe(401);
    expect(await identitiesOf(member.id)).toEqual([{ subject: 'gil' }]);
    expect(await refusedWith('corp', 'mallory')).toBeUndefined();
    const { text } = await mailbox.last(member.email, 4);
    expect(text).toContain('all accounts of other services');
    expect(text).toContain('Provider corp');
  });

  it('leaves no session of somebody who signs in with the password meanwhile', async () => {
    for (let time = 0; time < 3; time += 1) {
      const { id, username, password, email, refreshToken } = await signUp(admin, `race${time}`);
      const app = application();
      const { code } = await app.signIn('corp', account(username));
      const exchanged = ok(app.exchange(code));
      const others = await Promise.all([
        ...Array.from({ length: 5 }, () => open.post('/auth/signin', { username, password })),
        open.post('/auth/refresh', undefined, { token: refreshToken }),
        open.post('/auth/verify_email/mail', {}, { token: refreshToken }),
        ...Array.from({ length: 5 }, () => open.post('/auth/signin', { username: email, password })),
      ]);
      const session = await exchanged;
      expect(session.id).toBe(id);
      for (const { body } of others) {
        const { access_token: token, refresh_token: refresh } = (body.content ?? {}) as Record<string, string>;
        if (token === undefined) continue;
        expect((await open.get('/auth/me', { token })).status).toBe(401);
        expect((await open.post('/auth/refresh', undefined, { token: refresh })).status).toBe(401);
      }
      expect((await open.post('/auth/signin', { username, password })).status).toBe(401);
      expect((await open.get('/auth/me', { token: session.access_token })).status).toBe(200);
    }
  });

  it('is that of one mailbox: what is written otherwise may be another', async () => {
    const mark = await signUp(admin, 'mark');
    await verify(mark);
    // The Kelvin sign, whose lower case is a k.
    expect(await refusedWith('corp', account('kelvin', { email: 'mar\u212A@example.com' }))).toBe(
      'provider.email_unverified',
    );
    expect(await identitiesOf(mark.id)).toEqual([]);
    const plus = await signUp(admin, 'plus');
    await verify(plus);
    expect((await signedIn('corp', account('plus+more'))).id).not.toBe(plus.id);
    // A Cyrillic letter that looks like one of the name.
    const mixed = await signedIn('corp', account('mixed', { email: 'm\u0430rk@example.com' }));
    expect(mixed.id).not.toBe(mark.id);
    const upper = await signUp(admin, 'upper');
    await verify(upper);
    expect((await signedIn('corp', account('upper', { email: 'UPPER@Example.com' }))).id).toBe(upper.id);
  });

  it('is not linked where the provider links none, and never to administrators', async () => {
    const member = await signUp(admin, 'hal');
    await verify(member);
    await provider('never', { link: 'never', signup: true });
    expect(await refusedWith('never', account('hal'))).toBe('identity.not_linked');
    expect(await identitiesOf(member.id)).toEqual([]);
    await ok(admin.post('/kind_admin/unit', { username: 'second', email: 'second@example.com' }));
    expect(await refusedWith('corp', account('second'))).toBe('identity.not_linked');
  });
});

/** Links by a ticket. */
async function linkTo(member: TestMember, id: string, name: string): Promise<Reply> {
  const as = admin.as(member.accessToken);
  const { ticket } = (await ok(as.post('/auth/identity/link', { provider: id }))) as { ticket: string };
  const app = application();
  const { code } = await app.signIn(id, name, { link: ticket });
  return app.exchange(code, {}, as);
}

describe('a ticket', () => {
  it('links in the session that has made it, and in no other', async () => {
    const [ida, joe] = [await signUp(admin, 'ida'), await signUp(admin, 'joe')];
    const as = admin.as(ida.accessToken);
    const app = application();
    account('elsewhere', { email_verified: false });
    const begun = async () => {
      const { ticket: link } = (await ok(as.post('/auth/identity/link', { provider: 'corp' }))) as { ticket: string };
      return { link, ...(await app.signIn('corp', 'elsewhere', { link })) } as { link: string; code: string };
    };
    const another = await ok(open.post('/auth/signin', { username: 'ida', password: ida.password }));
    for (const caller of [open, admin.as(joe.accessToken), admin.as(another.access_token as string), await byKey(as)]) {
      const { code } = await begun();
      // The second time in the right session: a refusal has ended the code.
      for (const by of [caller, as])
        expect(refusalOf(await app.exchange(code, {}, by))).toEqual({ status: 401, messages: ['signin.failed'] });
    }
    expect(await identitiesOf(ida.id)).toEqual([]);
    const { link, code } = await begun();
    expect(await identitiesOf(ida.id)).toEqual([]);
    expect(await ok(app.exchange(code, {}, as))).toMatchObject({ id: ida.id });
    expect(await identitiesOf(ida.id)).toEqual([{ subject: 'elsewhere' }]);
    expect((await signedIn('corp', 'elsewhere')).id).toBe(ida.id);
    expect((await app.start('corp', { link })).status).toBe(400);
  });

  it('links once, however often its code is exchanged', async () => {
    const otto = await signUp(admin, 'otto');
    const as = admin.as(otto.accessToken);
    const { ticket: link } = (await ok(as.post('/auth/identity/link', { provider: 'corp' }))) as { ticket: string };
    const app = application();
    const { code } = await app.signIn('corp', account('of_otto'), { link });
    const all = await Promise.all(Array.from({ length: 50 }, () => app.exchange(code, {}, as)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 401)).toHaveLength(49);
    expect(await identitiesOf(otto.id)).toEqual([{ subject: 'of_otto' }]);
    const texts = async () => (await mailbox.to(otto.email)).map(({ text }) => text);
    await expect.poll(async () => (await texts()).filter((text) => text.includes('was linked'))).toHaveLength(1);
  });

  it('links so many to one member, and the last of them with a second step too', async () => {
    lowerLimit('identitiesPerMember', 1);
    const ulf = await signUp(admin, 'ulf');
    const as = admin.as(ulf.accessToken);
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    const at = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
    await ok(as.post('/auth/totp/confirm', { code: at(-1) }));
    const ticket = async () =>
      ((await ok(as.post('/auth/identity/link', { provider: 'corp' }))) as { ticket: string }).ticket;
    const app = application();
    const { code } = await app.signIn('corp', account('first_of_ulf'), { link: await ticket() });
    expect((await app.exchange(code, {}, as)).headers.get('kind-second-step')).toBe('totp');
    expect(await ok(app.exchange(code, { otp: at(0) }, as))).toMatchObject({ id: ulf.id });
    const second = await app.signIn('corp', account('second_of_ulf'), { link: await ticket() });
    const refusedOne = await app.exchange(second.code, {}, as);
    expect([refusedOne.status, codes(refusedOne)]).toEqual([409, ['identity.too_many']]);
    expect(await identitiesOf(ulf.id)).toEqual([{ subject: 'first_of_ulf' }]);
  });

  it('links nothing once its session has ended, also where another process has ended it', async () => {
    const nell = await signUp(admin, 'nell');
    const as = admin.as(nell.accessToken);
    const { ticket } = (await ok(as.post('/auth/identity/link', { provider: 'corp' }))) as { ticket: string };
    const app = application();
    const { code } = await app.signIn('corp', account('late'), { link: ticket });
    await ok(as.get('/auth/me'));
    await query(admin, 'UPDATE $schema."_session" SET "expires_at" = now() WHERE "member_id" = $1::uuid', [nell.id]);
    expect(codes(await app.exchange(code, {}, as))).toEqual(['signin.failed']);
    expect(await identitiesOf(nell.id)).toEqual([]);
  });

  it('does not link what another member has', async () => {
    const [kim, lea] = [await signUp(admin, 'kim'), await signUp(admin, 'lea')];
    expect((await linkTo(kim, 'corp', account('shared'))).status).toBe(200);
    expect((await linkTo(kim, 'corp', 'shared')).status).toBe(200);
    const as = admin.as(lea.accessToken);
    const { ticket } = (await ok(as.post('/auth/identity/link', { provider: 'corp' }))) as { ticket: string };
    expect(await application().signIn('corp', 'shared', { link: ticket })).toEqual({ error: 'identity.linked' });
    // At the callback nobody had it; the refusal ends the code.
    const { ticket: link } = (await ok(as.post('/auth/identity/link', { provider: 'corp' }))) as { ticket: string };
    const app = application();
    const { code } = await app.signIn('corp', account('contended'), { link });
    expect((await linkTo(kim, 'corp', 'contended')).status).toBe(200);
    expect(refusalOf(await app.exchange(code, {}, as))).toEqual({ status: 409, messages: ['identity.linked'] });
    await query(admin, `DELETE FROM $schema."identity" WHERE "subject" = 'contended'`);
    expect(codes(await app.exchange(code, {}, as))).toEqual(['signin.failed']);
    expect(await identitiesOf(lea.id)).toEqual([]);
  });

  it('is refused at the start, without a redirect, where it is not one', async () => {
    const mia = await signUp(admin, 'mia');
    const as = admin.as(mia.accessToken);
    await provider('other', { active: false });
    await ok(boss.put('/identity_provider/unit/other', { active: true }));
    const { ticket } = (await ok(as.post('/auth/identity/link', { provider: 'other' }))) as { ticket: string };
    for (const link of ['', 'x', ticket, 'A'.repeat(22)]) {
      const response = await application().start('corp', { link });
      expect([link, response.status]).toEqual([link, 400]);
      expect(response.headers.get('location')).toBeNull();
      expect(JSON.stringify(await response.json())).toContain('identity.bad_ticket');
    }
    const starts = await Promise.all(Array.from({ length: 50 }, () => application().start('other', { link: ticket })));
    expect(starts.filter(({ status }) => status === 302)).toHaveLength(1);
    expect(starts.filter(({ status }) => status === 400)).toHaveLength(49);
    expect(codes(await as.post('/auth/identity/link', { provider: 'nope' }))).toEqual(['provider.unknown']);
    expect((await open.post('/auth/identity/link', { provider: 'corp' })).status).toBe(401);
    await query(
      admin,
      'UPDATE $schema."_session" SET "proved_at" = now() - interval \'11 minutes\' WHERE "member_id" = $1::uuid',
      [mia.id],
    );
    expect(codes(await as.post('/auth/identity/link', { provider: 'corp' }))).toEqual(['session.stale']);
  });
});

describe('the start', () => {
  it.each([
    [{ redirect_to: undefined }, 'query.bad_value'],
    [{ redirect_to: 'https://evil.example/' }, 'redirect.not_allowed'],
    [{ redirect_to: `${APP}/` }, 'redirect.not_allowed'],
    [{ code_challenge: undefined }, 'query.bad_value'],
    [{ code_challenge: 'a'.repeat(42) }, 'query.bad_value'],
    [{ code_challenge: 'a'.repeat(44) }, 'query.bad_value'],
    [{ state: undefined }, 'query.bad_value'],
    [{ state: '' }, 'query.bad_value'],
    [{ state: 'a'.repeat(513) }, 'query.bad_value'],
    [{ state: 'a\0b' }, 'query.bad_value'],
    [{ redirect_to: `${APP}?next=/` }, 'redirect.not_allowed'],
    [{ redirect_to: `${APP}#x` }, 'redirect.not_allowed'],
    [{ redirect_to: `${APP}\\@evil.example` }, 'redirect.not_allowed'],
    [{ redirect_to: 'https://app.example.com@evil.example/signed-in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'https://app.example.com:8443/signed-in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'https://app.example.com.evil.example/signed-in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'https://APP.example.com/signed-in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'https://app.example.com/x/../signed-in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'http://127.0.0.1@evil.example/in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'http://127.0.0.1:1/in?x' }, 'redirect.not_allowed'],
    [{ redirect_to: 'http://127.1:1/in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'http://user@127.0.0.1:1/in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'http://localhost:1/in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'com.example.app://in' }, 'redirect.not_allowed'],
    [{ redirect_to: '//app.example.com/signed-in' }, 'redirect.not_allowed'],
    [{ redirect_to: 'javascript:alert(1)' }, 'redirect.not_allowed'],
    [{ scope: 'openid admin' }, 'query.unknown'],
    [{ 'redirect_to[]': APP }, 'query.unknown'],
    [{ redirect_to: undefined, 'redirect_to[]': APP }, 'query.unknown'],
    [{ state: undefined, 'state[]': 'a' }, 'query.unknown'],
    [{ state: undefined, 'state[0]': 'a' }, 'query.unknown'],
    [{ response_mode: 'fragment' }, 'query.unknown'],
    [{ login_hint: 'a'.repeat(255) }, 'query.bad_value'],
  ])('refuses %j without a redirect', async (more, code) => {
    const response = await application().start('corp', more);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(((await response.json()) as { messages: { code: string }[] }).messages.map((each) => each.code)).toEqual([
      code,
    ]);
  });

  it('refuses providers and projects that are not there, or not active', async () => {
    await provider('gone', { active: false });
    for (const id of ['nope', 'gone', '%00', 'A'.repeat(300)]) {
      const response = await application().start(id);
      expect([id, response.status, response.headers.get('location')]).toEqual([id, 404, null]);
    }
    for (const address of [`corp?${application().query()}`, 'corp/callback']) {
      const elsewhere = await fetch(`${service.service.url}/api/lib/project/nope/provider/${address}`);
      expect([elsewhere.status, await elsewhere.text()]).toEqual([404, expect.stringContaining('provider.unknown')]);
    }
  });

  it('is refused by a page where a browser comes by itself, and in JSON elsewhere', async () => {
    await provider('down');
    // Nothing is there.
    await query(admin, `UPDATE $schema."identity_provider" SET "issuer" = 'http://127.0.0.1:1' WHERE "id" = 'down'`);
    const navigated = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const startOf = (id: string, more: object, project = admin.id) =>
      `${service.service.url}/api/lib/project/${project}/provider/${id}?${application().query(more)}`;
    const cases = [
      [400, startOf('corp', { redirect_to: 'https://evil.example/<b>' })],
      [400, startOf('corp', { link: 'AAAAAAAAAAAAAAAAAAAAAA' })],
      [400, startOf('corp', { '<script>': '1', scope: 'a' })],
      [404, startOf('nope', {})],
      [404, startOf('corp', {}, 'nope')],
      [404, callbackOf('corp').replace(admin.id, 'nope')],
      [503, startOf('down', {})],
    ] as const;
    for (const [status, address] of cases) {
      const page = await fetch(address, { redirect: 'manual', headers: navigated });
      const json = await fetch(address, { redirect: 'manual', headers: { accept: '*/*' } });
      expect([address, page.status, json.status]).toEqual([address, status, status]);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('retry-after')).toBe(json.headers.get('retry-after'));
      const { messages } = (await json.json()) as { messages: { text: string }[] };
      const text = await page.text();
      for (const each of messages) expect(text).toContain(`<p>${escaped(each.text)}</p>`);
      expect(text).not.toMatch(/<script|<b>/);
      const [, style = ''] = /rel="stylesheet" href="([^"]+)"/.exec(text) ?? [];
      expect((await fetch(new URL(style, address))).headers.get('content-type')).toContain('text/css');
    }
    await setSettings(admin, { requestsPerSecond: 1 });
    const both = await Promise.all(
      [1, 2].map(() => fetch(startOf('nope', {}), { redirect: 'manual', headers: navigated })),
    );
    await setSettings(admin, { requestsPerSecond: null });
    const limited = both.find(({ status }) => status === 429);
    expect(limited?.headers.get('retry-after')).toBe('1');
    expect(await limited?.text()).toContain('It can be tried again in 1 minute.');
  });

  it('ends the oldest sign-ins where too many are under way', async () => {
    lowerLimit('signInsUnderWay', 10);
    const underWay = () => query(admin, `SELECT FROM $schema."_one_time" WHERE "id" LIKE 'provider %'`);
    account('olaf');
    const [early, late] = [application(), application()];
    const forgotten = await early.toCallback('corp', 'olaf');
    const ticket = await ok(boss.post('/auth/identity/link', { provider: 'corp' }));
    for (let made = 0; made < 60; made += 20)
      await Promise.all(Array.from({ length: 20 }, () => application().start('corp')));
    // They are counted with every 50th.
    expect((await underWay()).length).toBeLessThan(10 + 50);
    expect((await early.open(forgotten.href)).status).toBe(400);
    expect((await application().start('corp', { link: ticket.ticket })).status).toBe(302);
    expect((await late.open((await late.toCallback('corp', 'olaf')).href)).status).toBe(302);
  });

  it('ends the oldest tickets too where there are too many', async () => {
    lowerLimit('signInsUnderWay', 10);
    for (let made = 0; made < 60; made += 20)
      await Promise.all(Array.from({ length: 20 }, () => ok(boss.post('/auth/identity/link', { provider: 'corp' }))));
    const tickets = await query(admin, `SELECT FROM $schema."_one_time" WHERE "id" LIKE 'link %'`);
    expect(tickets.length).toBeLessThan(10 + 50);
  });

  it('leads to the provider with what it needs and what it may be told', async () => {
    const app = application();
    const response = await app.start('corp', { login_hint: 'ann@example.com', prompt: 'login' });
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      redirect_uri: callbackOf('corp'),
      scope: 'openid email profile',
      response_type: 'code',
      code_challenge_method: 'S256',
      login_hint: 'ann@example.com',
      prompt: 'login',
    });
    expect(searchParams.get('state')).not.toBe(app.state);
    expect(searchParams.get('code_challenge')).not.toBe(app.challenge);
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^kind-flow=[\w-]{22}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const [renewed = ''] = (await app.start('corp')).headers.getSetCookie();
    expect(renewed.split(';')[0]).toBe(cookie.split(';')[0]);
  });

  it('is in the API document as what leads on, and the exchange as what a token may come with', async () => {
    const { paths } = (await open.get('/doc/openapi.json')).body as unknown as OpenApiDocument;
    const start = '/api/lib/project/{project_id}/provider/{provider_id}';
    const led = [paths[start]?.get, paths[`${start}/callback`]?.get, paths[`${start}/callback`]?.post];
    expect(led.map((each) => Object.keys(each?.responses ?? {})[0])).toEqual(['302', '302', '303']);
    const cookies = led.map((each) => JSON.stringify(Object.values(each?.responses ?? {})[0]).includes('"Set-Cookie"'));
    expect(cookies).toEqual([true, false, false]);
    expect(Object.keys(led[2]?.requestBody?.content ?? {})).toEqual(['application/x-www-form-urlencoded']);
    for (const path of ['signin', 'exchange', 'code/signin', 'passkey/signin']) {
      const { headers } = paths[`/api/lib/auth/${path}`]?.post?.responses['200'] as { headers: object };
      expect([path, 'kind-second-step' in headers]).toEqual([path, path !== 'passkey/signin']);
    }
    const refusal = led[0]?.responses['400'];
    expect(Object.keys((refusal as { content?: object }).content ?? {})).toEqual(['application/json', 'text/html']);
    expect(paths['/api/lib/auth/exchange']?.post?.security).toEqual([{ project: [] }, { project: [], bearer: [] }]);
  });

  it('leads native applications back to any port, and to their scheme', async () => {
    account('nat');
    for (const redirect_to of ['http://127.0.0.1:49152/in', 'http://127.0.0.1:80/in', 'com.example.app:/in']) {
      const app = application();
      const response = await app.open((await app.toCallback('corp', 'nat', { redirect_to })).href);
      expect(response.headers.get('location')).toMatch(`${redirect_to}?code=`);
    }
  });
});

describe('the test of discovery', () => {
  it('tells administrators whether a provider can be used, and why not', async () => {
    const { issuer } = oidc;
    await provider('tested', { active: false });
    const test = () => boss.post('/identity_provider/unit/tested/discovery', {});
    expect(await ok(test())).toEqual({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
    });
    const { clientSecret: client_secret } = oidc;
    await ok(boss.put('/identity_provider/unit/tested', { issuer: `${issuer}/`, client_secret }));
    expect(codes(await test())).toEqual(['provider.refused']);
    await ok(boss.put('/identity_provider/unit/tested', { issuer: 'http://127.0.0.1:1024', client_secret }));
    expect(codes(await test())).toEqual(['provider.unavailable']);
  });
});

describe('the callback', () => {
  const isStopped = async (response: Response) => {
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await response.text()).toContain('This sign-in cannot go on');
  };

  it('is a page for a state that is unknown, used, of another browser or of another provider', async () => {
    account('ned');
    const app = application();
    const callback = await app.toCallback('corp', 'ned');
    await isStopped(await fetch(callback, { redirect: 'manual' }));
    // It was used by that.
    await isStopped(await app.open(callback.href));
    const fresh = await app.toCallback('corp', 'ned');
    const other = application();
    await other.start('corp');
    await isStopped(await other.open(fresh.href));
    const third = await app.toCallback('corp', 'ned');
    await isStopped(await app.open(third.href.replace('/corp/', '/trusting/')));
    for (const query of ['', '?state=', '?state=%00', '?code=a&state=AAAAAAAAAAAAAAAAAAAAAA'])
      await isStopped(await app.open(callbackOf('corp') + query));
    const late = await app.toCallback('corp', 'ned');
    await query(admin, 'UPDATE $schema."_one_time" SET "expires_at" = now() - interval \'1 second\'');
    await isStopped(await app.open(late.href));
  });

  it('is answered once, however many come', async () => {
    account('olga');
    const app = application();
    const callback = await app.toCallback('corp', 'olga');
    const all = await Promise.all(Array.from({ length: 50 }, () => app.open(callback.href)));
    expect(all.filter(({ status }) => status === 302)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 400)).toHaveLength(49);
  });

  it('leads a posted answer to the address with the values', async () => {
    account('pia');
    const app = application();
    const callback = await app.toCallback('corp', 'pia');
    const body = new URLSearchParams([...callback.searchParams, ['user', '{"name":"Pia"}']]);
    const posted = await fetch(callbackOf('corp'), { method: 'POST', body, redirect: 'manual' });
    expect(posted.status).toBe(303);
    const location = new URL(posted.headers.get('location') ?? '', callbackOf('corp'));
    expect(location.searchParams.has('user')).toBe(false);
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencodedx']) {
      const other = await fetch(callbackOf('corp'), {
        method: 'POST',
        body: body.toString(),
        headers: { 'content-type': type },
        redirect: 'manual',
      });
      expect([type, other.status, await other.text()]).toEqual([type, 415, expect.stringContaining(`got ${type}`)]);
    }
    expect(app.back(await app.open(location.href)).code).toMatch(/^[\w-]{22}$/);
  });

  it('takes values once, and a state in its project alone', async () => {
    account('rita');
    const app = application();
    for (const name of ['code', 'iss']) {
      const callback = await app.toCallback('corp', 'rita');
      callback.searchParams.append(name, callback.searchParams.get(name) ?? '');
      expect([name, app.back(await app.open(callback.href))]).toEqual([name, { error: 'provider.refused' }]);
    }
    const twice = await app.toCallback('corp', 'rita');
    twice.searchParams.append('state', 'another');
    expect(app.back(await app.open(twice.href))).toEqual({ error: 'provider.refused' });
    const callback = await app.toCallback('corp', 'rita');
    const elsewhere = await withMembers(await service.project());
    await isStopped(await app.open(callback.href.replace(`/${admin.id}/`, `/${elsewhere.id}/`)));
    expect(app.back(await app.open(callback.href)).code).toMatch(/^[\w-]{22}$/);
  });

  it('stores no address that is none, and signs in all the same', async () => {
    const { id } = await signedIn('corp', account('odd'));
    for (const email of ['a\0b@example.com', `${'a'.repeat(50_000)}@example.com`, '\ud800@example.com', 7]) {
      account('odd', { email });
      expect((await signedIn('corp', 'odd')).id).toBe(id);
      const found = await query(admin, 'SELECT "email" FROM $schema."identity" WHERE "member" = $1::uuid', [id]);
      expect(found).toEqual([{ email: null }]);
    }
    const member = await signUp(admin, 'odder');
    expect((await linkTo(member, 'corp', account('linked', { email: 'a\0b@example.com' }))).status).toBe(200);
  });

  it('says that the provider has refused', async () => {
    expect(await application().signIn('corp', null)).toEqual({ error: 'provider.refused' });
    const app = application();
    const callback = await app.toCallback('corp', account('quin'));
    callback.searchParams.set('iss', 'https://evil.example');
    expect(app.back(await app.open(callback.href))).toEqual({ error: 'provider.refused' });
    const removed = await app.toCallback('corp', 'quin');
    await ok(boss.put('/identity_provider/unit/corp', { active: false }));
    expect(app.back(await app.open(removed.href))).toEqual({ error: 'provider.refused' });
    await ok(boss.put('/identity_provider/unit/corp', { active: true }));
  });
});

describe('the exchange', () => {
  const FAILED = ['signin.failed'];

  it('is what makes, links and empties: a browser that somebody else has sent leaves all as it was', async () => {
    const [zack, zoe] = [await signUp(admin, 'zack'), await signUp(admin, 'zoe')];
    await verify(zoe);
    const as = admin.as(zack.accessToken);
    const { secret: key } = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { secret: string };
    const state = async () => ({
      members: await query(admin, 'SELECT * FROM $schema."person" AS p ORDER BY p."id"'),
      credentials: await query(admin, 'SELECT * FROM $schema."kind_system_user" AS c ORDER BY c."id"'),
      identities: await query(admin, 'SELECT * FROM $schema."identity" AS i ORDER BY i."id"'),
      keys: await query(admin, 'SELECT "id" FROM $schema."api_key" AS k ORDER BY k."id"'),
      passkeys: await query(admin, 'SELECT * FROM $schema."passkey"'),
      recorded: readFileSync(audit, 'utf8').length,
    });
    await mailsSent(admin);
    const before = await state();
    for (const name of ['zack', 'zoe', 'zara', 'ann']) {
      const app = application();
      // Its verifier is not known.
      const { code } = await app.signIn('corp', name === 'ann' ? name : account(name));
      expect(code).toMatch(/^[\w-]{22}$/);
      expect(codes(await app.exchange(code, { code_verifier: 'another' }))).toEqual(FAILED);
    }
    expect(await state()).toEqual(before);
    for (const token of [zack.accessToken, key]) expect((await open.get('/auth/me', { token })).status).toBe(200);
    const { username, password } = zack;
    expect((await open.post('/auth/signin', { username, password })).status).toBe(200);
    await mailsSent(admin);
    const told = (await Promise.all([zack, zoe].map(({ email }) => mailbox.to(email)))).flat();
    expect(told.map(({ text }) => text).join()).not.toContain('was linked');
    expect(await mailbox.to('zara@example.com')).toEqual([]);
  });

  it('begins no session, and makes nothing, where that has become impossible since the callback', async () => {
    await provider('meanwhile', { signup: true });
    const put = (settings: object) => ok(boss.put('/identity_provider/unit/meanwhile', settings));
    const emails = () => query(admin, 'SELECT "email" FROM $schema."kind_system_user" ORDER BY 1');
    const before = await emails();
    for (const possible of ['signup', 'active']) {
      const app = application();
      const { code } = await app.signIn('meanwhile', account('kai'));
      await put({ [possible]: false });
      expect([possible, codes(await app.exchange(code))]).toEqual([possible, FAILED]);
      await put({ [possible]: true });
      // It was ended by that.
      expect([possible, codes(await app.exchange(code))]).toEqual([possible, FAILED]);
    }
    expect(await emails()).toEqual(before);
    await put({ link: 'never' });
    const app = application();
    const { code } = await app.signIn('meanwhile', account('kurt'));
    const kurt = await signUp(admin, 'kurt');
    expect(codes(await app.exchange(code))).toEqual(FAILED);
    await put({ link: 'verified' });
    expect(codes(await app.exchange(code))).toEqual(FAILED);
    expect(await identitiesOf(kurt.id)).toEqual([]);
  });

  it('begins no session by a provider that is not active any more, whoever comes', async () => {
    await provider('ended', { signup: true });
    const { id } = await signedIn('ended', account('kira'));
    const member = await signUp(admin, 'karl');
    const as = admin.as(member.accessToken);
    const { ticket: link } = (await ok(as.post('/auth/identity/link', { provider: 'ended' }))) as { ticket: string };
    const [known, linked] = [application(), application()];
    const { code } = await known.signIn('ended', 'kira');
    const { code: asked } = await linked.signIn('ended', account('of_karl'), { link });
    await ok(boss.put('/identity_provider/unit/ended', { active: false }));
    expect(codes(await known.exchange(code))).toEqual(FAILED);
    expect(codes(await linked.exchange(asked, {}, as))).toEqual(FAILED);
    expect(await identitiesOf(member.id)).toEqual([]);
    await ok(boss.put('/identity_provider/unit/ended', { active: true }));
    expect(await signedIn('ended', 'kira')).toMatchObject({ id });
  });

  /** Sets up an app. Returns its codes, by the steps from now. */
  async function withApp(accessToken: string): Promise<(step: number) => string> {
    const as = admin.as(accessToken);
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    const otp = (step: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + step * 30_000 });
    await ok(as.post('/auth/totp/confirm', { code: otp(-1) }));
    return otp;
  }

  it.each([
    ['the address of its member is verified', 'kean', false],
    ['it is another than that which its member has proved', 'koen', true],
  ])('links once the second step was made, where %s', async (_, name, isMoved) => {
    const member = await signUp(admin, name);
    await verify(member);
    const otp = await withApp(member.accessToken);
    if (isMoved) await ok(boss.put(`/person/unit/${member.id}`, { email: `${name}.moved@example.com` }));
    account(name, isMoved ? { email: `${name}.moved@example.com` } : {});
    const email = isMoved ? `${name}.moved@example.com` : member.email;
    const linked = async () => {
      await mailsSent(admin);
      return (await mailbox.to(email)).filter(({ text }) => text.includes('was linked'));
    };
    const app = application();
    const { code } = await app.signIn('corp', name);
    const firsts = await Promise.all(Array.from({ length: 3 }, () => app.exchange(code)));
    for (const first of firsts)
      expect([first.body.content, first.headers.get('kind-second-step')]).toEqual([null, 'totp']);
    expect(codes(await app.exchange(code, { otp: '000000' }))).toEqual(FAILED);
    expect([await identitiesOf(member.id), await linked()]).toEqual([[], []]);
    expect((await open.get('/auth/me', { token: member.accessToken })).status).toBe(200);
    expect(await ok(app.exchange(code, { otp: otp(0) }))).toMatchObject({ id: member.id });
    expect(await identitiesOf(member.id)).toEqual([{ subject: name }]);
    expect(await linked()).toHaveLength(1);
    // What the new address has not proved has opened it until now.
    expect((await open.get('/auth/me', { token: member.accessToken })).status).toBe(isMoved ? 401 : 200);
    expect(codes(await app.exchange(code, { otp: otp(1) }))).toEqual(FAILED);
  });

  it('links nothing where the address is another one by the time of the second step', async () => {
    const member = await signUp(admin, 'kyra');
    await verify(member);
    const otp = await withApp(member.accessToken);
    const app = application();
    const { code } = await app.signIn('corp', account('kyra'));
    expect((await app.exchange(code)).body.content).toBeNull();
    await ok(boss.put('/identity_provider/unit/corp', { signup: false }));
    await ok(boss.put(`/person/unit/${member.id}`, { email: 'kyra.moved@example.com' }));
    for (const step of [0, 1]) expect(codes(await app.exchange(code, { otp: otp(step) }))).toEqual(FAILED);
    await ok(boss.put('/identity_provider/unit/corp', { signup: true }));
    expect(await identitiesOf(member.id)).toEqual([]);
  });

  it('takes a code once, with its verifier', async () => {
    account('rob');
    const app = application();
    const { code } = await app.signIn('corp', 'rob');
    const all = await Promise.all(Array.from({ length: 50 }, () => app.exchange(code)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 401)).toHaveLength(49);
    expect(codes(await app.exchange(code))).toEqual(FAILED);
    const { code: second } = await app.signIn('corp', 'rob');
    expect(codes(await app.exchange(second, { code_verifier: 'another' }))).toEqual(FAILED);
    // It was used by that.
    expect(codes(await app.exchange(second))).toEqual(FAILED);
    const { code: late } = await app.signIn('corp', 'rob');
    await query(admin, 'UPDATE $schema."_one_time" SET "expires_at" = "expires_at" - interval \'61 seconds\'');
    expect(codes(await app.exchange(late))).toEqual(FAILED);
    for (const wrong of ['', 'x', 'A'.repeat(22), '\u{1f600}'.repeat(9)])
      expect(codes(await app.exchange(wrong))).toEqual(FAILED);
  });

  it('asks for the second step, and goes on with the same code', async () => {
    const { id, access_token: token } = await signedIn('corp', account('sam'));
    const as = admin.as(token ?? '');
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    const now = Date.now();
    const otp = (step: number) => new TOTP({ secret }).generate({ timestamp: now + step * 30_000 });
    await ok(as.post('/auth/totp/confirm', { code: otp(-1) }));
    const app = application();
    const { code } = await app.signIn('corp', 'sam');
    const lastUse = () => query(admin, 'SELECT "last_used_at" FROM $schema."identity" WHERE "member" = $1::uuid', [id]);
    const before = await lastUse();
    const first = await app.exchange(code);
    expect([first.body.content, first.headers.get('kind-second-step')]).toEqual([null, 'totp']);
    expect(await lastUse()).toEqual(before);
    // Five minutes from now on, however often it is tried.
    const ofCode = `WHERE "id" LIKE 'exchange %' AND "member_id" = $1`;
    await query(admin, `UPDATE $schema._one_time SET "expires_at" = "expires_at" - interval '4 minutes' ${ofCode}`, [
      id,
    ]);
    expect(codes(await app.exchange(code, { otp: '000000' }))).toEqual(FAILED);
    const soon = `SELECT "expires_at" < now() + interval '1 minute' AS soon FROM $schema._one_time ${ofCode}`;
    expect(await query(admin, soon, [id])).toEqual([{ soon: true }]);
    expect(await ok(app.exchange(code, { otp: otp(0) }))).toMatchObject({ id });
    expect(await lastUse()).not.toEqual(before);
    expect(codes(await app.exchange(code, { otp: otp(1) }))).toEqual(FAILED);
    await query(admin, 'DELETE FROM $schema."_throttle"');
    const { code: tried } = await app.signIn('corp', 'sam');
    expect((await app.exchange(tried)).body.content).toBeNull();
    for (let at = 0; at < 5; at += 1) expect((await app.exchange(tried, { otp: '000000' })).status).toBe(401);
    await query(admin, 'DELETE FROM $schema."_throttle"');
    expect(codes(await app.exchange(tried, { otp: otp(1) }))).toEqual(FAILED);
  });

  it('begins no session for an identity or a member that is gone', async () => {
    const { access_token: token, id } = await signedIn('corp', account('tom'));
    const as = admin.as(token ?? '');
    const app = application();
    const { code } = await app.signIn('corp', 'tom');
    const { items } = (await ok(as.get('/identity/unit'))) as { items: { id: string }[] };
    await ok(as.delete(`/identity/unit/${items[0]?.id}`));
    expect(codes(await app.exchange(code))).toEqual(FAILED);
    expect((await ok(as.get('/auth/me'))).id).toBe(id);
    expect(await signedIn('corp', 'tom')).toMatchObject({ id });
    const { code: second } = await app.signIn('corp', 'tom');
    await ok(admin.delete(`/person/unit/${id}`));
    expect(codes(await app.exchange(second))).toEqual(FAILED);
    expect((await signedIn('corp', 'tom')).id).not.toBe(id);
  });

  it('begins no session where the kind of its member becomes inactive, or goes, meanwhile', async () => {
    await defineKinds(admin, { id: 'fleeting' });
    await ok(admin.post('/group/unit/kind_auth_member/link/group/kind/unit/fleeting', {}));
    await provider('fleeting', { signup: true, member_kind: 'fleeting' });
    account('flora');
    await signedIn('fleeting', 'flora');
    const [app, early, fresh] = [application(), application(), application()];
    const { code } = await app.signIn('fleeting', 'flora');
    const callback = await early.toCallback('fleeting', 'flora');
    const first = await fresh.toCallback('fleeting', account('freda'));
    await ok(admin.put('/kind/unit/fleeting', { active: false }));
    expect(codes(await app.exchange(code))).toEqual(FAILED);
    const { code: second } = early.back(await early.open(callback.href));
    expect(codes(await early.exchange(second))).toEqual(FAILED);
    expect(fresh.back(await fresh.open(first.href))).toEqual({ error: 'access.denied' });
    await ok(admin.put('/kind/unit/fleeting', { active: true }));
    // They were ended by that.
    expect(codes(await app.exchange(code))).toEqual(FAILED);
    expect(codes(await early.exchange(second))).toEqual(FAILED);
    expect(await ok(admin.get('/fleeting/unit'))).toMatchObject({ count: 1 });

    const { code: third } = await app.signIn('fleeting', 'flora');
    const last = await fresh.toCallback('fleeting', 'freda');
    await ok(admin.delete('/kind/unit/fleeting?cascade=true'));
    expect(codes(await app.exchange(third))).toEqual(FAILED);
    expect(fresh.back(await fresh.open(last.href))).toEqual({ error: 'provider.refused' });
  });

  it('is refused elsewhere: in another project', async () => {
    account('uma');
    const app = application();
    const { code } = await app.signIn('corp', 'uma');
    const elsewhere = await withMembers(await service.project());
    expect(codes(await app.exchange(code, {}, anonymous(elsewhere)))).toEqual(FAILED);
    expect((await app.exchange(code)).status).toBe(200);
  });
});

describe('what is recorded and told', () => {
  const linesOf = (id: string) =>
    readFileSync(audit, 'utf8')
      .split('\n')
      .filter((line) => line.includes(id))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('is who was linked by whom, what was emptied, and what was removed', async () => {
    const { id } = await signedIn('corp', account('vera'));
    expect(linesOf(id ?? '')).toEqual([
      expect.objectContaining({ action: 'identity.created', provider: 'corp', member: id, by: { anonymous: true } }),
    ]);
    const wanda = await signUp(admin, 'wanda');
    await signedIn('corp', account('wanda'));
    expect(linesOf(wanda.id)).toMatchObject([
      { action: 'member.email_verified', proved_by: 'provider', removed: ['password', 'sessions'] },
      { action: 'identity.created', by: { anonymous: true } },
    ]);
    const xaver = await signUp(admin, 'xaver');
    const by = { kind: 'person', id: xaver.id };
    expect((await linkTo(xaver, 'corp', account('of_xaver'))).status).toBe(200);
    expect(linesOf(xaver.id)).toMatchObject([{ action: 'identity.created', by, member: xaver.id }]);
    const as = admin.as(xaver.accessToken);
    const { items } = (await ok(as.get('/identity/unit'))) as { items: { id: string }[] };
    await ok(as.delete(`/identity/unit/${items[0]?.id}`));
    expect(linesOf(xaver.id).at(-1)).toMatchObject({ action: 'identity.deleted', by, id: items[0]?.id });
  });

  it('is another address also after many accounts were linked', async () => {
    const zora = await signUp(admin, 'zora');
    for (let time = 0; time < 10; time += 1)
      expect((await linkTo(zora, 'corp', account(`of_zora_${time}`))).status).toBe(200);
    const as = admin.as(zora.accessToken);
    await ok(as.post('/auth/email', { email: 'zora@example.net' }));
    await ok(as.post('/auth/verify_email', { code: codeIn(await mailbox.last('zora@example.net')) }));
    await mailsSent(admin);
    const texts = (await mailbox.to(zora.email)).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('was linked to yours'))).toHaveLength(10);
    expect(texts.filter((text) => text.includes('another e-mail address now'))).toHaveLength(1);
  });

  it('has the name of the provider in quotes, and nothing to open in it', async () => {
    const label = 'Acme"\n\nYour password has expired: https://evil.example/login\n\n"';
    await ok(boss.put('/identity_provider/unit/corp', { label }));
    await signedIn('corp', account('xenia'));
    await ok(boss.put('/identity_provider/unit/corp', { label: 'Provider corp' }));
    const { text, html } = await mailbox.last('xenia@example.com');
    for (const part of [text, html]) expect(part).not.toContain('evil.example');
    expect(text.split('\n')[0]).toBe(
      `An account of "Acme' Your password has expired: https evil example login '" was linked to yours: with it one signs in as you.`,
    );
  });

  it('has no code, state, verifier, ticket, token or secret', async () => {
    const yara = await signUp(admin, 'yara');
    const as = admin.as(yara.accessToken);
    const { ticket: link } = (await ok(as.post('/auth/identity/link', { provider: 'corp' }))) as { ticket: string };
    const secrets = new Set([oidc.clientSecret, link]);
    const answers: string[] = [];
    const flow = async (more: object, wrong: (url: URL) => void = () => undefined) => {
      const app = application();
      const start = await app.start('corp', more);
      const sent = new URL(start.headers.get('location') ?? '');
      const callback = await signInAtProvider(sent, account('of_yara'));
      secrets.add(callback.searchParams.get('code') ?? '');
      wrong(callback);
      const response = await app.open(callback.href);
      const { code = '' } = app.back(response);
      const given = [sent.searchParams.get('state'), sent.searchParams.get('nonce'), app.cookie?.split('=')[1]];
      for (const each of [...given, code, app.verifier, app.challenge, app.state]) if (each) secrets.add(each);
      answers.push((await app.open(callback.href)).status.toString());
      return { app, code };
    };
    const first = await flow({ link });
    const session = await ok(first.app.exchange(first.code, {}, as));
    for (const token of [session.access_token, session.refresh_token]) secrets.add(token as string);
    for (const more of [{}, { code_verifier: 'wrong' }])
      answers.push((await first.app.exchange(first.code, more)).text);
    await flow({}, (url) => url.searchParams.set('code', 'wrong'));
    await flow({}, (url) => url.searchParams.set('iss', 'https://evil.example'));
    answers.push(await (await application().start('corp', { link })).text());
    // The database goes away under it.
    const { app, code } = await flow({});
    const run = () => Promise.reject(new Error('the connection is gone'));
    const broken = vi.spyOn(service.service.database, 'ofProject').mockReturnValue({ run });
    answers.push((await app.exchange(code)).text, (await as.post('/auth/identity/link', { provider: 'corp' })).text);
    broken.mockRestore();

    for (const kind of ['identity', 'identity_provider', 'person'])
      for (const path of ['unit', 'history', 'export?format=ndjson', 'struct'])
        answers.push((await admin.get(`/${kind}/${path}`)).text);
    for (const path of ['/changes', '/settings', '/auth/ways']) answers.push((await admin.get(path)).text);
    const mails = (await mailbox.all()).map(({ raw }) => raw);
    const told = {
      log: log.join(''),
      audit: readFileSync(audit, 'utf8'),
      answers: answers.join(),
      mails: mails.join(),
    };
    expect(told.log.includes('an identity provider signed nobody in')).toBe(true);
    expect(told.log.includes('unexpected error')).toBe(true);
    expect(told.audit).toContain(yara.id);
    const rows = JSON.stringify(await query(admin, 'SELECT * FROM $schema."_one_time"'));
    expect(secrets.size).toBeGreaterThan(20);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(15);
      for (const [where, text] of Object.entries(told))
        expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
    }
    // What opens something is stored as a hash.
    for (const each of [link, code, first.code]) expect(rows).not.toContain(each);
  });
});
