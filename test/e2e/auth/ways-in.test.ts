/**
 * Every way in with every setting: whether there is a session, which second step is missing, and what the session reaches.
 * All ways end in `NewSessions`; those that need a browser or another service are called there.
 */
import { TOTP } from 'otpauth';
import { afterAll, describe, expect, it } from 'vitest';
import type { AuthRequest } from '../../../src/auth/auth-request.js';
import { NewSessions } from '../../../src/auth/new-sessions.js';
import { OneTimeSecrets } from '../../../src/auth/one-time-secrets.js';
import { accountOf, type Credential } from '../../../src/auth/credential.js';
import { PasswordStore } from '../../../src/auth/password/password-store.js';
import type { WayIn } from '../../../src/auth/second-step/second-steps.js';
import { SECOND_STEP_HEADER } from '../../../src/http/header-names.js';
import { findCredentialStatement } from '../../../src/sql/member/credential.sql.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import type { Project } from '../../../src/tenancy/project.js';
import { anonymous, withMembers } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { setSettings } from '../../support/mailbox.js';
import { sharedService } from '../../support/service.js';

/**
 * Which step is asked for after the first one, by what the member has set up. `asked`: `second_step` of the project is
 * `everyone`, or `administrators` and the member is one.
 */
const STEPS = `
  way       | has           | otp=off | otp=on | otp=off, asked | otp=on, asked
  password  | nothing       | none    | mail   | none           | mail
  password  | app           | totp    | totp   | totp           | totp
  password  | a passkey     | none    | mail   | passkey        | passkey
  password  | app + passkey | totp    | totp   | totp           | totp
  mail_code | nothing       | none    | none   | none           | none
  mail_code | app           | totp    | totp   | totp           | totp
  mail_code | a passkey     | none    | none   | passkey        | passkey
  mail_code | app + passkey | totp    | totp   | totp           | totp
  provider  | nothing       | none    | mail   | none           | mail
  provider  | app           | totp    | totp   | totp           | totp
  provider  | a passkey     | none    | mail   | passkey        | passkey
  provider  | app + passkey | totp    | totp   | totp           | totp
  passkey   | a passkey     | none    | none   | none           | none
  passkey   | app + passkey | none    | none   | none           | none
`;

/** What a session reaches beyond its own authentication, whichever way it was begun. */
const REACH = `
  has           | not asked | asked
  nothing       | all       | second_step.missing
  app           | all       | all
  a passkey     | all       | all
  app + passkey | all       | all
`;

type Row = Readonly<Record<string, string>>;

function rowsOf(table: string): readonly Row[] {
  const [head = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])));
}

const service = await sharedService();
const admin = await withMembers(await service.project());
const { app } = service.service;
const { schema } = await projectNow();
const PASSKEYS = { passkeyDomain: 'localhost', passkeyOrigins: ['http://localhost:3000'] };
const PASSWORD = 'correct horse battery';

interface TestedMember {
  readonly kind: 'person' | 'kind_admin';
  readonly has: string;
  readonly name: string;
  /** Of its app. */
  readonly secret?: string;
}

async function credentialOf({ name }: TestedMember): Promise<Credential> {
  const [row] = await service.service.database.run<Credential>(findCredentialStatement(schema, name));
  if (!row) throw new Error(`no member ${name}`);
  return row;
}

/** A member with a proved address, so that a mailed code proves nothing new, and with what it is to have. */
async function member(kind: TestedMember['kind'], has: string): Promise<TestedMember> {
  const name = `${kind}_${has.replace(/\W+/g, '_')}`;
  const project = await projectNow();
  await ok(admin.post(`/${kind}/unit`, { username: name, email: `${name}@example.com` }));
  await app.get(PasswordStore).setByName(project, name, PASSWORD, () => undefined);
  await query(admin, 'UPDATE $schema."kind_system_user" SET "email_verified_at" = now() WHERE "username" = $1', [name]);
  if (has.includes('passkey')) await addPasskey(name);
  return { kind, has, name, ...(has.includes('app') && { secret: await addApp(name) }) };
}

async function addApp(name: string): Promise<string> {
  const session = await ok(anonymous(admin).post('/auth/signin', { username: name, password: PASSWORD }));
  const as = admin.as(session.access_token as string);
  const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
  await ok(as.post('/auth/totp/confirm', { code: new TOTP({ secret }).generate() }));
  return secret;
}

/** As a device would have made it: the devices themselves are tested elsewhere. */
async function addPasskey(name: string): Promise<void> {
  await query(
    admin,
    `INSERT INTO $schema."passkey" (
       "id", "label", "member", "backed_up", "credential_id", "transports", "domain", "public_key", "counter",
       "metadata", "inserted_at", "updated_at"
     )
     SELECT gen_random_uuid(), '', "member_id", false, "username", '{}', '${PASSKEYS.passkeyDomain}', '', 0, '{}', now(), now()
     FROM $schema."kind_system_user" WHERE "username" = $1`,
    [name],
  );
}

/** With its settings as they are. */
async function projectNow(): Promise<Project> {
  const project = await app.get(ProjectStore).find(admin.id);
  if (!project) throw new Error('no project');
  return project;
}

interface Outcome {
  readonly step: string;
  /** Undefined without a session. */
  readonly token?: string;
}

const CLIENT: AuthRequest = {
  address: '127.0.0.1',
  userAgent: undefined,
  inCookie: false,
  afterAnswer: (work) => void work(),
};

/** Tries a way, with the code of its second step if there is one. */
async function enter(way: WayIn, of: TestedMember, otp: string | null): Promise<Outcome> {
  const credential = await credentialOf(of);
  const { member_id: id, email } = credential;
  if (way === 'provider' || way === 'passkey') {
    const passkey = way === 'passkey' ? await passkeyOf(id) : undefined;
    const proofs = { way, otp, ...(passkey !== undefined && { passkey }) };
    const answer = await app.get(NewSessions).session(await projectNow(), CLIENT, credential, proofs);
    return outcomeOf(JSON.parse(answer.content), answer.headers?.[SECOND_STEP_HEADER]);
  }
  const terms = { memberId: id, digits: 8, minutes: 1 };
  const code = await app.get(OneTimeSecrets).makeCode(await projectNow(), 'sign-in', accountOf(credential), terms);
  const reply =
    way === 'password'
      ? await anonymous(admin).post('/auth/signin', { username: of.name, password: PASSWORD, otp })
      : await anonymous(admin).post('/auth/code/signin', { email, code, otp });
  expect(reply.status, reply.text).toBe(200);
  return outcomeOf(reply.body.content, reply.headers.get(SECOND_STEP_HEADER));
}

async function passkeyOf(memberId: string): Promise<string | undefined> {
  const text = 'SELECT "id"::text AS id FROM $schema."passkey" WHERE "member" = $1';
  return (await query<{ id: string }>(admin, text, [memberId]))[0]?.id;
}

function outcomeOf(session: unknown, step: string | null | undefined): Outcome {
  const { access_token: token } = (session ?? {}) as { access_token?: string };
  return { step: step ?? 'none', ...(token !== undefined && { token }) };
}

/** The code that a step asks for; null for none. */
async function codeFor(step: string, of: TestedMember): Promise<string | null> {
  const { member_id: memberId } = await credentialOf(of);
  if (step === 'mail') {
    const terms = { memberId, digits: 6, minutes: 1 };
    return app.get(OneTimeSecrets).makeCode(await projectNow(), 'code', memberId, terms);
  }
  if (step !== 'totp') return null;
  // Each code works once, and the next one comes in half a minute.
  await query(admin, 'UPDATE $schema."kind_system_user" SET "totp_step" = 0 WHERE "member_id" = $1', [memberId]);
  return new TOTP({ secret: of.secret ?? '' }).generate();
}

async function reachOf(token: string): Promise<string> {
  const as = admin.as(token);
  expect((await as.get('/auth/me')).status).toBe(200);
  const reply = await as.get('/person/unit?limit=1');
  return reply.status === 200 ? 'all' : (reply.body.messages[0]?.code ?? '');
}

const STEP_ROWS = rowsOf(STEPS);
const REACH_ROWS = rowsOf(REACH);
const HAS = [...new Set(STEP_ROWS.map(({ has = '' }) => has))];
const members: TestedMember[] = [];
for (const kind of ['person', 'kind_admin'] as const) for (const has of HAS) members.push(await member(kind, has));

const SETTINGS = ([false, true] as const).flatMap((otp) =>
  (['optional', 'administrators', 'everyone'] as const).map((secondStep) => ({
    otp,
    secondStep,
    mailSignIn: true,
    ...PASSKEYS,
  })),
);
afterAll(() => setSettings(admin, { otp: false, secondStep: 'optional' }));

describe.each(SETTINGS)('otp $otp, second_step $secondStep', (settings) => {
  const isAsked = ({ kind }: TestedMember) =>
    settings.secondStep === 'everyone' || (settings.secondStep === 'administrators' && kind === 'kind_admin');

  it.each(members)('a $kind that has $has', async (of) => {
    await setSettings(admin, settings);
    const asked = isAsked(of);
    for (const row of STEP_ROWS.filter(({ has }) => has === of.has)) {
      const way = row['way'] as WayIn;
      const expected = row[`otp=${settings.otp ? 'on' : 'off'}${asked ? ', asked' : ''}`] ?? '';
      const first = await enter(way, of, null);
      expect({ way, step: first.step, session: first.token !== undefined }).toEqual({
        way,
        step: expected,
        session: expected === 'none',
      });
      // No code takes the place of a passkey.
      if (expected === 'passkey') {
        expect((await enter(way, of, '000000')).token).toBeUndefined();
        continue;
      }
      const otp = await codeFor(expected, of);
      const last = otp === null ? first : await enter(way, of, otp);
      const reach = REACH_ROWS.find(({ has }) => has === of.has)?.[asked ? 'asked' : 'not asked'];
      expect({ way, reach: last.token && (await reachOf(last.token)) }).toEqual({ way, reach });
    }
  });
});

it.each(['password', 'mail_code', 'provider'] as const)(
  'by %s: a sign-in that is under way gets no session once an app is set up',
  async (way) => {
    await setSettings(admin, { otp: false, secondStep: 'optional' });
    const of = await member('person', `nothing, by ${way}`);
    const before = await credentialOf(of);
    await addApp(of.name);
    const begun = app.get(NewSessions).session(await projectNow(), CLIENT, before, { way, otp: null });
    await expect(begun).rejects.toMatchObject({ status: 401 });
  },
);
