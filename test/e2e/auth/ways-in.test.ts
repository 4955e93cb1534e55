/**
 * Every way in, of every member, with every setting: whether there is a session, which second step is missing, and what the
 * session reaches. What is expected is written here in words (`expectedOf`), without a look at how the service does it.
 */
import { TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import type { AuthRequest } from '../../../src/auth/auth-request.js';
import { NewSessions } from '../../../src/auth/new-sessions.js';
import { OneTimeSecrets } from '../../../src/auth/one-time-secrets.js';
import { accountOf, type Credential } from '../../../src/auth/credential.js';
import { PasswordStore } from '../../../src/auth/password/password-store.js';
import { SECOND_STEP_HEADER } from '../../../src/http/header-names.js';
import { findCredentialStatement } from '../../../src/sql/member/credential.sql.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import type { Project } from '../../../src/tenancy/project.js';
import { applicationDescription } from '../../support/application.js';
import { Authenticator } from '../../support/authenticator.js';
import { anonymous, asAdministrator, signUp, withMembers } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { setSettings, temporaryFolder } from '../../support/mailbox.js';
import { startOidcProvider } from '../../support/oidc-provider.js';
import { APP, Application, callbackAddress } from '../../support/provider-application.js';
import { startTestService, type Reply } from '../../support/service.js';

interface Settings {
  readonly otp: boolean;
  readonly verifyEmail: boolean;
  readonly secondStep: 'optional' | 'administrators' | 'everyone';
}

/** `first_visit`: by a provider whose account is not linked yet, and has the verified address of the member. */
type Way = 'password' | 'mail_code' | 'passkey' | 'provider' | 'first_visit' | 'signup' | 'provider_signup';

interface Cell {
  readonly way: Way;
  readonly administrator: boolean;
  /** Whether the member has proved its address before. */
  readonly verified: boolean;
  readonly app: boolean;
  readonly passkey: boolean;
}

interface Outcome {
  /** The step that is asked for after the first one; or why there is no session at all. */
  readonly first: string;
  /** What the session reaches in the end: everything, or `/auth/` alone, and why; `nothing` without one. */
  readonly reach: string;
}

function expectedOf(cell: Cell, { otp, verifyEmail, secondStep }: Settings): Outcome {
  const { way, administrator } = cell;
  if (way === 'first_visit' && administrator) {
    // An address links nobody to an administrator.
    return { first: 'identity.not_linked', reach: 'nothing' };
  }
  // A mail, and a provider that has verified it, prove the address. A session by password, passkey or identity does not.
  const provesAddress = way === 'mail_code' || way === 'first_visit' || way === 'provider_signup';
  // Who proves it for the first time, without the password, gets the account without what could open it.
  const emptied = provesAddress && !cell.verified && !administrator;
  const app = cell.app && !emptied;
  const passkey = cell.passkey && !emptied;
  const asked = secondStep === 'everyone' || (secondStep === 'administrators' && administrator);
  return { first: firstOf(), reach: reachOf() };

  function firstOf(): string {
    // A device has asked for its user. Who signs up has nothing yet to prove.
    if (way === 'passkey' || way === 'signup') return 'none';
    // Once an app is set up, it is always asked for, and mails are not.
    if (app) return 'totp';
    // Where a second step is demanded, and the member has passkeys alone, it goes on by one.
    if (asked && passkey) return 'passkey';
    // A mail after a mail would prove nothing more.
    return otp && way !== 'mail_code' ? 'mail' : 'none';
  }

  function reachOf(): string {
    // No other step takes the place of a passkey.
    if (firstOf() === 'passkey') return 'nothing';
    // Administrators are never held back for their address.
    if (verifyEmail && !administrator && !cell.verified && !provesAddress) return 'email.unverified';
    return asked && !app && !passkey ? 'second_step.missing' : 'everything';
  }
}

/** `second_step` with `verify_email` in every combination; codes by mail, which ask for a step alone, with each value of both. */
const SETTINGS: readonly Settings[] = [
  { secondStep: 'optional', verifyEmail: false, otp: false },
  { secondStep: 'optional', verifyEmail: true, otp: true },
  { secondStep: 'administrators', verifyEmail: false, otp: true },
  { secondStep: 'administrators', verifyEmail: true, otp: false },
  { secondStep: 'everyone', verifyEmail: false, otp: false },
  { secondStep: 'everyone', verifyEmail: true, otp: true },
];
const ORIGIN = 'http://localhost:3000';
const PASSKEYS = { passkeyDomain: 'localhost', passkeyOrigins: [ORIGIN] };
const ALWAYS = { mailSignIn: true, redirects: [APP], ...PASSKEYS };
const FREE: Settings = { otp: false, verifyEmail: false, secondStep: 'optional' };
const PASSWORD = 'correct horse battery';
const PROVIDER = 'corp';

const service = await startTestService({
  dataDir: temporaryFolder(),
  authRateLimit: false,
  identityProviders: { allow: [], allowPrivate: true },
});
const admin = await withMembers(await service.project());
const open = anonymous(admin);
const { app } = service.service;
const oidc = await startOidcProvider({ redirectUris: [callbackAddress(admin, PROVIDER)] });
await setSettings(admin, { ...FREE, ...ALWAYS });
await ok(
  (await asAdministrator(admin)).post('/identity_provider/unit', {
    id: PROVIDER,
    issuer: oidc.issuer,
    client_id: oidc.clientId,
    client_secret: oidc.clientSecret,
    member_kind: 'person',
    signup: true,
  }),
);
const { schema } = await projectNow();

/** With its settings as they are. */
async function projectNow(): Promise<Project> {
  const project = await app.get(ProjectStore).find(admin.id);
  if (!project) throw new Error('no project');
  return project;
}

interface TestedMember {
  readonly id: string;
  readonly name: string;
  readonly administrator: boolean;
  readonly device?: Authenticator;
  /** Of its app. */
  readonly secret?: string;
  readonly browser: Application;
  readonly kept: Kept;
}

const KEPT = ['kind_system_user', 'passkey', 'identity'] as const;
type Kept = Readonly<Record<(typeof KEPT)[number], readonly object[]>>;

const ownerIn = (table: string) => (table === 'kind_system_user' ? 'member_id' : 'member');

/** A member that has linked an account of the provider, and has what it is to have. */
async function member(administrator: boolean, has: { app: boolean; passkey: boolean }): Promise<TestedMember> {
  const kind = administrator ? 'kind_admin' : 'person';
  const name = [kind, has.app && 'app', has.passkey && 'passkey'].filter(Boolean).join('_');
  const email = `${name}@example.com`;
  const { id } = (await ok(admin.post(`/${kind}/unit`, { username: name, email }))) as { id: string };
  await app.get(PasswordStore).setByName(await projectNow(), name, PASSWORD, () => undefined);
  const { access_token: token } = await ok(open.post('/auth/signin', { username: name, password: PASSWORD }));
  const as = admin.as(token as string);
  const device = has.passkey ? new Authenticator(ORIGIN) : undefined;
  if (device) {
    const { challenge_id, options } = await ok(as.post('/auth/passkey/options', {}));
    await ok(as.post('/auth/passkey', { challenge_id, response: device.create(options) }));
  }
  const browser = new Application(admin);
  oidc.accounts.set(name, { email, email_verified: false });
  oidc.accounts.set(`first_${name}`, { email, email_verified: true });
  const { ticket: link } = (await ok(as.post('/auth/identity/link', { provider: PROVIDER }))) as { ticket: string };
  await ok(browser.exchange((await browser.signIn(PROVIDER, name, { link })).code, {}, as));
  const secret = has.app ? await addApp(as) : undefined;
  const tables = KEPT.map(async (table) => {
    const text = `SELECT * FROM $schema."${table}" WHERE "${ownerIn(table)}" = $1::uuid`;
    return [
      table,
      (await query<{ row: object }>(admin, `SELECT to_jsonb(t) AS row FROM (${text}) AS t`, [id])).map(
        ({ row }) => row,
      ),
    ] as const;
  });
  const kept = Object.fromEntries(await Promise.all(tables)) as unknown as Kept;
  return { id, name, administrator, browser, kept, ...(device && { device }), ...(secret && { secret }) };
}

async function addApp(as: typeof admin): Promise<string> {
  const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
  await ok(as.post('/auth/totp/confirm', { code: new TOTP({ secret }).generate() }));
  return secret;
}

/** Gives a member all that it had at first: a cell may have emptied its account, and each code of its app works once. */
async function restore({ id, kept }: TestedMember, verified: boolean): Promise<void> {
  const columns = ['password_hash', 'totp_secret', 'totp_confirmed', 'recovery_codes', 'passkey_handle'];
  const rows = (table: keyof Kept, at: number) => `jsonb_populate_recordset(NULL::$schema."${table}", $${at}::jsonb)`;
  await query(
    admin,
    `WITH passkeys AS (
       INSERT INTO $schema."passkey" SELECT * FROM ${rows('passkey', 4)} ON CONFLICT DO NOTHING
     ), others AS (
       DELETE FROM $schema."identity" WHERE "member" = $1 AND "id" NOT IN (SELECT "id" FROM ${rows('identity', 5)})
     ), identities AS (
       INSERT INTO $schema."identity" SELECT * FROM ${rows('identity', 5)} ON CONFLICT DO NOTHING
     )
     UPDATE $schema."kind_system_user" AS c
     SET ${columns.map((column) => `"${column}" = k."${column}"`).join()}, "totp_step" = 0,
       "email_verified_at" = CASE WHEN $2 THEN now() END
     FROM ${rows('kind_system_user', 3)} AS k
     WHERE c."member_id" = $1::uuid`,
    [
      id,
      verified,
      ...(['kind_system_user', 'passkey', 'identity'] as const).map((table) => JSON.stringify(kept[table])),
    ],
  );
}

/** Sends the proofs of a sign-in, with a code of the second step or without. */
type Send = (otp: string | null) => Promise<Reply>;

/** Makes the first step ready. @returns a text if there is nothing to send: how it was refused */
async function begin(way: Way, of: TestedMember): Promise<Send | string> {
  switch (way) {
    case 'password':
      return (otp) => open.post('/auth/signin', { username: of.name, password: PASSWORD, otp });
    case 'mail_code': {
      const credential = await credentialOf(of.name);
      const terms = { memberId: of.id, digits: 8, minutes: 1 };
      const code = await app.get(OneTimeSecrets).makeCode(await projectNow(), 'sign-in', accountOf(credential), terms);
      return (otp) => open.post('/auth/code/signin', { email: credential.email, code, otp });
    }
    case 'passkey': {
      const { challenge_id, options } = await ok(open.post('/auth/passkey/signin/options', {}));
      const response = of.device?.get(options);
      return () => open.post('/auth/passkey/signin', { challenge_id, response });
    }
    default:
      return byProvider(of.browser, way === 'provider' ? of.name : `first_${of.name}`);
  }
}

async function byProvider(browser: Application, account: string): Promise<Send | string> {
  const { code, error = '' } = await browser.signIn(PROVIDER, account);
  return code === undefined ? error : (otp) => browser.exchange(code, { otp });
}

async function credentialOf(name: string): Promise<Credential> {
  const [row] = await service.service.database.run<Credential>(findCredentialStatement(schema, name));
  if (!row) throw new Error(`no member ${name}`);
  return row;
}

/** Who is held back is held back after a refresh too. */
const isRefreshed = (way: Way, reach: string) => way === 'password' && reach.includes('.');

/** Goes on with whatever is asked for, as far as that goes. */
async function outcomeOf(
  way: Way,
  begun: Send | string,
  of: Pick<TestedMember, 'name' | 'secret'>,
): Promise<Outcome[]> {
  if (typeof begun === 'string') return [{ first: begun, reach: 'nothing' }];
  const reply = await begun(null);
  expect(reply.status, reply.text).toBe(200);
  const first = reply.headers.get(SECOND_STEP_HEADER) ?? 'none';
  expect({ way, first, session: reply.body.content !== null }).toEqual({ way, first, session: first === 'none' });
  const session = first === 'none' ? reply : await begun(await codeFor(first, of));
  if (session.body.content === null) return [{ first, reach: 'nothing' }];
  expect(session.status, session.text).toBe(200);
  const { access_token: token, refresh_token: refresh } = session.body.content as Record<string, string>;
  const reach = await reachOf(token);
  if (!isRefreshed(way, reach)) return [{ first, reach }];
  const next = await ok(open.post('/auth/refresh', undefined, { token: refresh }));
  return [
    { first, reach },
    { first: 'refreshed', reach: await reachOf(next.access_token as string) },
  ];
}

/** The code that a step asks for; where it asks for a passkey, one that takes the place of none. */
async function codeFor(step: string, { name, secret = '' }: Pick<TestedMember, 'name' | 'secret'>): Promise<string> {
  if (step === 'totp') return new TOTP({ secret }).generate();
  if (step === 'passkey') return '000000';
  const { member_id: id } = await credentialOf(name);
  const terms = { memberId: id, digits: 6, minutes: 1 };
  return app.get(OneTimeSecrets).makeCode(await projectNow(), 'code', id, terms);
}

async function reachOf(token: string | undefined): Promise<string> {
  const as = admin.as(token);
  const reply = await as.get('/person/unit?limit=1');
  if (reply.status === 200) return 'everything';
  expect((await as.get('/auth/me')).status).toBe(200);
  expect(reply.status).toBe(403);
  return reply.body.messages[0]?.code ?? '';
}

const WAYS: readonly Way[] = ['password', 'mail_code', 'passkey', 'provider', 'first_visit'];
const members: TestedMember[] = [];
for (const administrator of [false, true]) {
  for (const has of ['nothing', 'app', 'passkey', ...(administrator ? [] : ['app and passkey'])]) {
    members.push(await member(administrator, { app: has.includes('app'), passkey: has.includes('passkey') }));
  }
}

const rowsOf = (cell: Cell, outcomes: readonly Outcome[]): string[] =>
  outcomes.map(({ first, reach }) => `${JSON.stringify(cell)}: ${first}, then ${reach}`);

function expectedRows(cell: Cell, settings: Settings): string[] {
  const expected = expectedOf(cell, settings);
  const { reach } = expected;
  const refreshed = isRefreshed(cell.way, reach) ? [{ first: 'refreshed', reach }] : [];
  return rowsOf(cell, [expected, ...refreshed]);
}

/** All of a member, one after the other. */
async function tried(of: TestedMember, settings: Settings): Promise<{ found: string[]; expected: string[] }> {
  const { administrator, secret, device } = of;
  const found: string[] = [];
  const expected: string[] = [];
  for (const verified of [true, false]) {
    for (const way of WAYS) {
      if (way === 'passkey' && !device) continue;
      const cell = { way, administrator, verified, app: secret !== undefined, passkey: device !== undefined };
      await restore(of, verified);
      found.push(...rowsOf(cell, await outcomeOf(way, await begin(way, of), of)));
      expected.push(...expectedRows(cell, settings));
    }
  }
  return { found, expected };
}

describe.each(SETTINGS)('second_step $secondStep, verify_email $verifyEmail, otp $otp', (settings) => {
  it('every way in of every member leads as far as it should', async () => {
    await setSettings(admin, settings);
    const all = await Promise.all(members.map((of) => tried(of, settings)));
    expect(all.flatMap(({ found }) => found)).toEqual(all.flatMap(({ expected }) => expected));
  });

  it('who signs up gets as far as it should', async () => {
    await setSettings(admin, settings);
    const name = `new_${Object.values(settings).join('_')}`;
    const cell = { administrator: false, verified: false, app: false, passkey: false };
    const byPassword = { ...cell, way: 'signup' } as const;
    const { accessToken } = await signUp(admin, name);
    const reach = await reachOf(accessToken);
    expect(rowsOf(byPassword, [{ first: 'none', reach }])).toEqual(expectedRows(byPassword, settings));
    oidc.accounts.set(`p_${name}`, { email: `p_${name}@example.com`, email_verified: true });
    const way = 'provider_signup';
    const begun = await byProvider(new Application(admin), `p_${name}`);
    const visit = { ...cell, way } as const;
    expect(rowsOf(visit, await outcomeOf(way, begun, { name: `p_${name}` }))).toEqual(expectedRows(visit, settings));
  });
});

function theOne<T>([value]: readonly (T | undefined)[]): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}

describe('every way refuses with one text of its own, whatever was wrong', () => {
  const of = theOne(members.filter(({ device, secret, administrator }) => device && secret && !administrator));
  const { name, browser } = of;
  const device = theOne([of.device]);
  const email = `${name}@example.com`;
  const otp = '000000';
  const wrong: Readonly<Record<Exclude<Way, 'first_visit' | 'signup' | 'provider_signup'>, () => Promise<Reply>[]>> = {
    password: () => [
      open.post('/auth/signin', { username: 'nobody', password: PASSWORD }),
      open.post('/auth/signin', { username: name, password: 'another secret' }),
      open.post('/auth/signin', { username: name, password: PASSWORD, otp }),
    ],
    mail_code: () => [
      open.post('/auth/code/signin', { email: 'nobody@example.com', code: '00000000' }),
      open.post('/auth/code/signin', { email, code: 'not one' }),
      begun('mail_code', otp),
    ],
    passkey: () => [
      begun('passkey', null, { challenge: 'AAAA' }),
      begun('passkey', null, { signature: Buffer.from('30', 'hex') }),
      begun('passkey', null, { id: 'AAAA' }),
    ],
    provider: () => [
      browser.exchange('unknown'),
      begun('provider', null, { code_verifier: 'another' }),
      begun('provider', otp),
    ],
  };

  /** A first step that is right but for `faults`. */
  async function begun(way: Way, code: string | null, faults: object = {}): Promise<Reply> {
    if (way === 'mail_code') return sent(await begin(way, of), code);
    if (way === 'passkey') {
      const { challenge_id, options } = await ok(open.post('/auth/passkey/signin/options', {}));
      return open.post('/auth/passkey/signin', { challenge_id, response: device.get(options, faults) });
    }
    const { code: exchanged } = await browser.signIn(PROVIDER, name);
    return browser.exchange(exchanged, { otp: code, ...faults });
  }

  const sent = (send: Send | string, code: string | null): Promise<Reply> =>
    typeof send === 'string' ? Promise.reject(new Error(send)) : send(code);

  it.each([
    ['password', /^No member has that name and password/],
    ['mail_code', /^No member has that e-mail address and code/],
    ['passkey', /^No member has that passkey/],
    ['provider', /^The code, its code_verifier/],
  ] as const)('by %s', async (way, text) => {
    await setSettings(admin, FREE);
    await restore(of, true);
    const replies = await Promise.all(wrong[way]());
    const refusals = replies.map(({ status, body }) => ({ status, messages: body.messages }));
    expect(refusals[0]).toEqual({
      status: 401,
      messages: [{ code: 'signin.failed', text: expect.stringMatching(text) }],
    });
    expect(refusals).toEqual(refusals.map(() => refusals[0]));
  });
});

it('these are all routes that answer sessions', async () => {
  const { routes } = await applicationDescription();
  const sessions = routes.filter(({ content }) => content === 'session' || content === 'sessionOrCode');
  expect(sessions.map(({ id }) => id).sort()).toEqual([
    'auth.code_signin',
    'auth.exchange',
    'auth.passkey_signin',
    'auth.refresh',
    'auth.refresh_by_post',
    'auth.signin',
    'signup',
  ]);
});

const CLIENT: AuthRequest = {
  address: '127.0.0.1',
  userAgent: undefined,
  inCookie: false,
  afterAnswer: (work) => void work(),
};

it.each(['password', 'mail_code', 'provider'] as const)(
  'by %s: a sign-in that is under way gets no session once an app is set up',
  async (way) => {
    await setSettings(admin, FREE);
    const { accessToken, username } = await signUp(admin, `late_by_${way}`);
    const before = await credentialOf(username);
    await addApp(admin.as(accessToken));
    const begun = app.get(NewSessions).session(await projectNow(), CLIENT, before, { way, otp: null });
    await expect(begun).rejects.toMatchObject({ status: 401 });
  },
);
