/** Passkeys, with a device in software. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { describe, expect, it, vi } from 'vitest';
import type { AuthRequest } from '../../../src/auth/auth-request.js';
import type { Credential } from '../../../src/auth/credential.js';
import { NewSessions } from '../../../src/auth/new-sessions.js';
import { PasskeyStore } from '../../../src/auth/passkey/passkey-store.js';
import { SessionStore } from '../../../src/auth/session/session-store.js';
import { schemaName } from '../../../src/model/names.js';
import { findCredentialStatement } from '../../../src/sql/member/credential.sql.js';
import { lockOwnerStatement } from '../../../src/sql/member/owned.sql.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { type Algorithm, Authenticator } from '../../support/authenticator.js';
import { anonymous, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { follow } from '../../support/live.js';
import { Mailbox, setSettings, temporaryFolder } from '../../support/mailbox.js';
import { startTestService, type TestProject } from '../../support/service.js';

const DOMAIN = 'example.com';
const ORIGIN = 'https://app.example.com';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const audit = join(dataDir, 'audit.log');
const service = await startTestService({ dataDir, authRateLimit: false, auditLog: { file: audit } });
const admin = await withMembers(await service.project());
await setSettings(admin, { passkeyDomain: DOMAIN, passkeyOrigins: [ORIGIN, 'https://example.com'] });
const open = anonymous(admin);

interface Reply {
  readonly status: number;
  readonly body: { readonly messages: readonly { readonly code: string }[] };
}

const codes = ({ status, body }: Reply) => ({ status, codes: body.messages.map(({ code }) => code) });
const refused = (status: number, code: string) => ({ status, codes: [code] });
const WRONG = refused(400, 'proof.wrong');
const FAILED = refused(401, 'signin.failed');

interface CreationOptions {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string };
  pubKeyCredParams: { alg: number }[];
  excludeCredentials: { id: string; transports: string[] }[];
}
interface Challenge<Options> {
  challenge_id: string;
  options: Options;
}
type RequestOptions = { challenge: string; rpId: string };
type Faults = Parameters<Authenticator['get']>[1];

const creation = (as: TestProject) => ok(as.post('/auth/passkey/options', {})) as Promise<Challenge<CreationOptions>>;
const request = () => ok(open.post('/auth/passkey/signin/options', {})) as Promise<Challenge<RequestOptions>>;

/** Signs in with what a device answers to a new challenge. */
async function signIn(device: Authenticator, faults: Faults = {}) {
  const { challenge_id, options } = await request();
  return open.post('/auth/passkey/signin', { challenge_id, response: device.get(options, faults) });
}

async function enrol(as: TestProject, device: Authenticator, label?: string) {
  const { challenge_id, options } = await creation(as);
  const made = await ok(as.post('/auth/passkey', { challenge_id, response: device.create(options), label }));
  return made as { id: string; member: string; label: string; backed_up: boolean; updated_at: string };
}

/** A member with a passkey. */
async function withPasskey(name: string, device = new Authenticator(ORIGIN)) {
  const member = await signUp(admin, name);
  const as = admin.as(member.accessToken);
  const { id } = await enrol(as, device);
  return { member, as, device, id };
}

const auditOf = (unit: string) =>
  readFileSync(audit, 'utf8')
    .split('\n')
    .filter((line) => line.includes(unit))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Makes the sessions of a member so old that they are no proof any more. */
const grow = ({ id }: TestMember) =>
  query(
    admin,
    `UPDATE $schema."_session" SET "started_at" = "started_at" - interval '11 minutes', "proved_at" = NULL WHERE "member_id" = $1`,
    [id],
  );

describe('a passkey', () => {
  it.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])(
    'is enrolled, and signs in without a name (%s)',
    async (algorithm) => {
      const device = new Authenticator(ORIGIN, algorithm, { backedUp: true });
      const { member, as, id } = await withPasskey(`ann_${algorithm.toLowerCase()}`, device);
      const reply = await signIn(device);
      expect(reply.status).toBe(200);
      expect(reply.body.content).toMatchObject({ id: member.id, access_token: expect.any(String) as string });
      expect(reply.headers.get('kind-second-step')).toBeNull();
      const [own] = ((await ok(as.get('/passkey/unit'))) as { items: object[] }).items;
      expect(own).toMatchObject({ id, member: member.id, label: '', backed_up: true });
      expect((own as { last_used_at: string }).last_used_at).not.toBeNull();
      expect(await ok(as.get('/auth/second_step'))).toEqual({
        password: true,
        totp: false,
        passkeys: 1,
        recovery_codes: 0,
      });
    },
  );

  it('is asked for with a verification of its user, on the device, and without who makes that', async () => {
    const { as, device } = await withPasskey('bea');
    const { options } = await creation(as);
    expect(options).toMatchObject({
      rp: { id: DOMAIN, name: admin.id },
      user: { name: 'bea' },
      pubKeyCredParams: [{ alg: -7 }, { alg: -8 }, { alg: -257 }],
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: [{ id: device.id, transports: ['hybrid', 'internal'], type: 'public-key' }],
    });
    // The same for all of the member's, and no name or id.
    expect(Buffer.from(options.user.id, 'base64url').length).toBe(64);
    expect((await creation(as)).options.user.id).toBe(options.user.id);
    const other = await creation(admin.as((await signUp(admin, 'bob')).accessToken));
    expect(other.options.user.id).not.toBe(options.user.id);
    const { options: anybodys } = await request();
    expect(anybodys).toEqual({
      rpId: DOMAIN,
      challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      timeout: 300_000,
      userVerification: 'required',
    });
  });

  it('stands for the second step, an app or codes by mail', async () => {
    const { as, device, member } = await withPasskey('cid');
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    await ok(as.post('/auth/totp/confirm', { code: new TOTP({ secret }).generate() }));
    await setSettings(admin, { otp: true });
    try {
      expect(await ok(signIn(device))).toMatchObject({ id: member.id });
    } finally {
      await setSettings(admin, { otp: false });
    }
  });

  it('is told to its member by mail, and to the audit log', async () => {
    const { as, id, member } = await withPasskey('dot');
    expect((await mailbox.last(member.email)).text).toContain('A passkey was added');
    await ok(as.put(`/passkey/unit/${id}`, { label: 'Phone' }));
    await ok(as.delete(`/passkey/unit/${id}`));
    expect((await mailbox.last(member.email, 2)).text).toContain('A passkey of your account was removed');
    const by = { kind: 'person', id: member.id };
    expect(auditOf(id)).toMatchObject([
      { action: 'passkey.created', by, member: member.id },
      { action: 'passkey.changed', by },
      { action: 'passkey.deleted', by },
    ]);
  });

  it('is not more than so many times of one member', async () => {
    lowerLimit('passkeysPerMember', 2);
    const { as } = await withPasskey('eve');
    const { challenge_id, options } = await creation(as);
    await enrol(as, new Authenticator(ORIGIN));
    const full = refused(409, 'passkey.too_many');
    expect(codes(await as.post('/auth/passkey/options', {}))).toEqual(full);
    const response = new Authenticator(ORIGIN).create(options);
    expect(codes(await as.post('/auth/passkey', { challenge_id, response }))).toEqual(full);
  });

  it('is not there where its settings are not', async () => {
    const other = await withMembers(await service.project());
    await setSettings(other, { passkeyDomain: DOMAIN });
    const as = other.as((await signUp(other, 'fay')).accessToken);
    const answer = { challenge_id: 'x', response: {} };
    for (const [path, body] of [
      ['/auth/passkey/options', {}],
      ['/auth/passkey', answer],
      ['/auth/passkey/signin/options', {}],
      ['/auth/passkey/signin', answer],
      ['/auth/confirm', answer],
    ] as const)
      expect([path, codes(await as.post(path, body))]).toEqual([path, refused(400, 'passkey.not_set_up')]);
    expect(await ok(as.get('/auth/second_step'))).toMatchObject({ passkeys: 0 });
  });

  it('does not become useless by another setting, unless that is meant', async () => {
    const own = await withMembers(await service.project());
    const domain = { passkey_domain: DOMAIN, passkey_origins: ORIGIN };
    await ok(own.put('/settings', domain));
    // Nobody has one yet.
    await ok(own.put('/settings', { passkey_domain: 'off' }));
    await ok(own.put('/settings', domain));
    const as = own.as((await signUp(own, 'flo')).accessToken);
    await enrol(as, new Authenticator(ORIGIN));
    for (const change of [
      { passkey_domain: 'example.org' },
      { passkey_domain: 'off' },
      { passkey_origins: 'off' },
      { passkey_origins: 'https://example.org,https://anexample.com' },
    ]) {
      const reply = await own.put('/settings', { ...change, file_url_seconds: 60 });
      expect(codes(reply)).toEqual(refused(409, 'passkey.in_use'));
      expect(reply.body.messages[0]?.text).toBe(
        '1 passkey of members is for example.com and could not be used any more; ?cascade=true changes it anyway',
      );
    }
    expect(await ok(own.get('/settings'))).toMatchObject({ ...domain, file_url_seconds: 3600 });
    await ok(own.put('/settings', { ...domain, passkey_origins: `${ORIGIN},https://example.com` }));
    await ok(own.put('/settings?cascade=true', { passkey_domain: 'example.org' }));
    expect(await ok(as.get('/auth/second_step'))).toMatchObject({ passkeys: 0 });
    await ok(own.put('/settings', domain));
    expect(await ok(as.get('/auth/second_step'))).toMatchObject({ passkeys: 1 });
  });
});

describe('a wrong answer', async () => {
  const gil = await withPasskey('gil');
  const other = await withPasskey('hal');
  const handleOf = async (as: TestProject) => (await creation(as)).options.user.id;
  const WRONGS: [string, Faults | (() => Promise<Faults>)][] = [
    ['another origin', { origin: 'https://evil.example.com' }],
    ['an origin with another port', { origin: `${ORIGIN}:8443` }],
    ['another domain', { domain: 'app.example.com' }],
    ['no verification of the user', { userVerified: false }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['the answer of a creation', { type: 'webauthn.create' }],
    ['a frame of another origin', { crossOrigin: true }],
    ['the handle of another member', async () => ({ userHandle: await handleOf(other.as) })],
    ['no handle', { userHandle: '' }],
    ['a wrong signature', { signature: Buffer.from('30060201010201', 'hex') }],
    ['an unknown passkey', { id: 'AAAA' }],
    ['the passkey of another member', { id: other.device.id }],
  ];

  it.each(WRONGS)('%s signs nobody in, and its challenge is used', async (_, given) => {
    const faults = typeof given === 'function' ? await given() : given;
    const { challenge_id, options } = await request();
    const send = (response: object) => open.post('/auth/passkey/signin', { challenge_id, response });
    expect(codes(await send(gil.device.get(options, faults)))).toEqual(FAILED);
    expect(codes(await send(gil.device.get(options)))).toEqual(FAILED);
  });

  it.each([{}, { id: 1 }, { id: '\0' }, { id: 'x', response: null }, { id: 'x', response: { clientDataJSON: '!' } }])(
    'no answer at all (%j) neither',
    async (response) => {
      const { challenge_id } = await request();
      expect(codes(await open.post('/auth/passkey/signin', { challenge_id, response }))).toEqual(FAILED);
    },
  );

  it('is described where the body has none', async () => {
    expect(codes(await open.post('/auth/passkey/signin', { challenge_id: 'x', response: 'y' }))).toEqual(
      refused(400, 'parameter.bad_type'),
    );
    expect(codes(await open.post('/auth/passkey/signin', { challenge_id: 'x' }))).toEqual(
      refused(400, 'parameter.required'),
    );
  });

  it('is still good', async () => {
    expect(await ok(signIn(gil.device))).toMatchObject({ id: gil.member.id });
  });

  const packed = (statement: string) => ({
    attestation: { format: 'packed', statement: Buffer.from(statement, 'hex') },
  });
  it.each<[string, Parameters<Authenticator['create']>[1]]>([
    ['another origin', { origin: 'https://example.org' }],
    ['another domain', { domain: 'example.org' }],
    ['no verification of the user', { userVerified: false }],
    ['another challenge', { challenge: 'AAAA' }],
    ['the answer of a sign-in', { type: 'webauthn.get' }],
    ['a frame of another origin', { crossOrigin: true }],
    ['the id of a passkey that is there', { id: other.device.id }],
    ['an id that is too long', { id: Buffer.alloc(1024).toString('base64url') }],
    // {"x5c": [h'']}
    ['a certificate of its maker', packed('a16378356381 40'.replace(' ', ''))],
    ['a format that was not asked for', { attestation: { format: 'apple', statement: Buffer.from([0xa0]) } }],
  ])('%s enrols no passkey, and its challenge is used', async (_, faults) => {
    const device = new Authenticator(ORIGIN);
    const { challenge_id, options } = await creation(gil.as);
    const send = (response: object) => gil.as.post('/auth/passkey', { challenge_id, response });
    expect(codes(await send(device.create(options, faults)))).toEqual(WRONG);
    expect(codes(await send(device.create(options)))).toEqual(WRONG);
    expect(codes(await signIn(device))).toEqual(FAILED);
  });
});

describe('a challenge', () => {
  it('signs in once, however often it is sent at the same time', async () => {
    const { device } = await withPasskey('ida');
    const { challenge_id, options } = await request();
    const response = device.get(options);
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => open.post('/auth/passkey/signin', { challenge_id, response })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(49).fill(401)]);
  });

  it('is over after five minutes', async () => {
    const { device } = await withPasskey('jim');
    const { challenge_id, options } = await request();
    const [left] = await query<{ left: number }>(
      admin,
      `SELECT max(extract(epoch FROM "expires_at" - now()))::int AS left FROM $schema."_one_time"`,
    );
    expect(left?.left).toBeGreaterThan(290);
    expect(left?.left).toBeLessThanOrEqual(300);
    await query(admin, `UPDATE $schema."_one_time" SET "expires_at" = now()`);
    expect(codes(await open.post('/auth/passkey/signin', { challenge_id, response: device.get(options) }))).toEqual(
      FAILED,
    );
  });

  it('is for what it was made for, and for its member', async () => {
    const [kim, lea] = [await withPasskey('kim'), await withPasskey('lea')];
    const made = await creation(kim.as);
    const device = new Authenticator(ORIGIN);
    const response = device.create(made.options);
    expect(codes(await lea.as.post('/auth/passkey', { challenge_id: made.challenge_id, response }))).toEqual(WRONG);
    const { challenge_id, options } = await creation(kim.as);
    const signed = kim.device.get({ ...options, rpId: DOMAIN });
    expect(codes(await open.post('/auth/passkey/signin', { challenge_id, response: signed }))).toEqual(FAILED);
  });

  it('is of its project', async () => {
    const { device } = await withPasskey('mia');
    const elsewhere = await service.project();
    await setSettings(elsewhere, { passkeyDomain: DOMAIN, passkeyOrigins: [ORIGIN] });
    const { challenge_id, options } = (await ok(
      anonymous(elsewhere).post('/auth/passkey/signin/options', {}),
    )) as Challenge<RequestOptions>;
    const response = device.get(options);
    for (const project of [anonymous(elsewhere), open])
      expect(codes(await project.post('/auth/passkey/signin', { challenge_id, response }))).toEqual(FAILED);
  });

  it('of a new passkey ends with a new password', async () => {
    const { as, member } = await withPasskey('ned');
    const { challenge_id, options } = await creation(as);
    await ok(as.post('/auth/change_password', { current_password: member.password, new_password: 'another secret 1' }));
    const response = new Authenticator(ORIGIN).create(options);
    expect(codes(await as.post('/auth/passkey', { challenge_id, response }))).toEqual(WRONG);
  });
});

describe('a counter', () => {
  it('that does not rise is refused, and the member is told', async () => {
    const { device, member, id } = await withPasskey('oda', new Authenticator(ORIGIN, 'ES256', { counts: true }));
    expect((await signIn(device)).status).toBe(200);
    expect((await signIn(device)).status).toBe(200);
    for (const counter of [2, 1, 0]) {
      expect(codes(await signIn(device, { counter }))).toEqual(FAILED);
      device.counter = 2;
    }
    expect((await mailbox.last(member.email, 4)).text).toContain('its counter has not risen');
    expect(auditOf(id).filter(({ action }) => action === 'passkey.refused')).toMatchObject(
      Array<object>(3).fill({ id, member: member.id, request: expect.any(String) as string }),
    );
    expect((await signIn(device)).status).toBe(200);
  });

  it('that is wrong is not told of where the signature is wrong', async () => {
    const { device, member } = await withPasskey('pam', new Authenticator(ORIGIN, 'ES256', { counts: true }));
    expect((await signIn(device)).status).toBe(200);
    expect(codes(await signIn(device, { counter: 0, signature: Buffer.from('30', 'hex') }))).toEqual(FAILED);
    expect((await signIn(device)).status).toBe(200);
    expect((await mailbox.to(member.email)).length).toBe(1);
  });
});

describe('the units of passkeys', () => {
  it('are those of the member itself, which it lists, renames and deletes', async () => {
    const { as, id, device, member } = await withPasskey('quin');
    const { as: other } = await withPasskey('ray');
    const own = (await ok(as.get(`/passkey/unit/${id}`))) as object;
    expect(Object.keys(own).sort()).toEqual(
      ['id', 'kind_id', 'metadata', 'inserted_at', 'updated_at', 'label', 'member', 'backed_up', 'last_used_at'].sort(),
    );
    expect(codes(await other.get(`/passkey/unit/${id}`))).toEqual(refused(404, 'unit.unknown'));
    expect(codes(await other.put(`/passkey/unit/${id}`, { label: 'x' }))).toEqual(refused(404, 'unit.unknown'));
    expect(codes(await other.delete(`/passkey/unit/${id}`))).toEqual(refused(404, 'unit.unknown'));
    // As it was read, but for its label.
    expect(await ok(as.put(`/passkey/unit/${id}`, { ...own, label: 'Phone' }))).toMatchObject({ label: 'Phone' });
    for (const given of [{ member: other.id }, { backed_up: true }])
      expect(codes(await as.put(`/passkey/unit/${id}`, given))).toEqual(refused(400, 'parameter.read_only'));
    for (const caller of [as, admin])
      for (const hidden of ['public_key', 'credential_id', 'domain', 'counter', 'transports'])
        expect(codes(await caller.put(`/passkey/unit/${id}`, { [hidden]: 'x' }))).toEqual(
          refused(400, 'parameter.unknown'),
        );
    expect(await ok(signIn(device))).toMatchObject({ id: member.id });
    await ok(as.delete(`/passkey/unit/${id}`));
    expect(codes(await signIn(device))).toEqual(FAILED);
  });

  it('are made by a device alone, and written one by one', async () => {
    const { as, id } = await withPasskey('sam');
    for (const caller of [as, admin])
      expect(codes(await caller.post('/passkey/unit', { label: 'x' }))).toEqual(refused(403, 'access.denied'));
    const operations = [{ method: 'DELETE', path: `/passkey/unit/${id}` }];
    expect(codes(await as.post('/batch', { operations }))).toEqual(refused(400, 'kind.one_by_one'));
  });

  it('stay with what API keys may not do', async () => {
    const { as, id, device } = await withPasskey('tea');
    const { secret } = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { secret: string };
    const key = admin.as(secret);
    const answer = { challenge_id: 'x', response: device.get({ challenge: '', rpId: DOMAIN }) };
    for (const call of [
      key.post('/auth/passkey/options', {}),
      key.post('/auth/passkey', answer),
      key.delete(`/passkey/unit/${id}`),
    ])
      expect(codes(await call)).toEqual(refused(403, 'key.not_here'));
  });

  it('are removed by administrators too, of which the member is told', async () => {
    const { id, device, member } = await withPasskey('ulf');
    await ok(admin.delete(`/passkey/unit/${id}`));
    expect((await mailbox.last(member.email, 2)).text).toContain('was removed');
    expect(codes(await signIn(device))).toEqual(FAILED);
  });

  it('go with their member', async () => {
    const { id, device, member } = await withPasskey('vic');
    await ok(admin.delete(`/person/unit/${member.id}`));
    expect(codes(await signIn(device))).toEqual(FAILED);
    expect(await query(admin, 'SELECT 1 FROM $schema."passkey" WHERE "id" = $1', [id])).toEqual([]);
  });

  it('sign nobody in whose kind is inactive, and go when it is no member kind', async () => {
    const other = await withMembers(await service.project());
    await setSettings(other, { passkeyDomain: DOMAIN, passkeyOrigins: [ORIGIN] });
    const device = new Authenticator(ORIGIN);
    await enrol(other.as((await signUp(other, 'walt')).accessToken), device);
    const tried = async () => {
      const { challenge_id, options } = (await ok(
        anonymous(other).post('/auth/passkey/signin/options', {}),
      )) as Challenge<RequestOptions>;
      return anonymous(other).post('/auth/passkey/signin', { challenge_id, response: device.get(options) });
    };
    await ok(other.put('/kind/unit/person', { active: false }));
    expect(codes(await tried())).toEqual(FAILED);
    await ok(other.put('/kind/unit/person', { active: true }));
    expect((await tried()).status).toBe(200);
    await ok(other.delete('/group/unit/kind_auth_member/link/group/kind/unit/person?cascade=true'));
    expect(await query(other, 'SELECT 1 FROM $schema."passkey"')).toEqual([]);
  });

  it('begin no session once they are removed', async () => {
    const { id, member, as } = await withPasskey('xena');
    const project = await admin.service.app.get(ProjectStore).find(admin.id);
    if (!project) throw new Error('no project');
    const start = () =>
      admin.service.app.get(SessionStore).start(admin.service.database, project, {
        kindId: 'person',
        memberId: member.id,
        unit: { kind: 'passkey', id },
      });
    expect(await start()).toMatchObject({ sessionId: expect.any(String) });
    await ok(as.delete(`/passkey/unit/${id}`));
    expect(await start()).toBeUndefined();
  });
});

describe('a fresh proof', () => {
  it('is asked for, and made with a passkey where there is one', async () => {
    const { as, member, id, device } = await withPasskey('yan');
    const { device: strangers } = await withPasskey('zoe');
    const made = await creation(as);
    await grow(member);
    const stale = refused(403, 'session.stale');
    const response = new Authenticator(ORIGIN).create(made.options);
    expect(codes(await as.post('/auth/passkey/options', {}))).toEqual(stale);
    expect(codes(await as.post('/auth/passkey', { challenge_id: made.challenge_id, response }))).toEqual(stale);
    expect(codes(await as.delete(`/passkey/unit/${id}`))).toEqual(stale);
    await ok(as.put(`/passkey/unit/${id}`, { label: 'renamed' }));

    expect(codes(await as.post('/auth/confirm', { password: member.password }))).toEqual(
      refused(400, 'parameter.required'),
    );
    const prove = async (by: Authenticator, faults: Faults = {}) => {
      const { challenge_id, options } = await request();
      return as.post('/auth/confirm', { challenge_id, response: by.get(options, faults) });
    };
    expect(codes(await prove(strangers))).toEqual(WRONG);
    expect(codes(await prove(device, { userVerified: false }))).toEqual(WRONG);
    expect(codes(await as.delete(`/passkey/unit/${id}`))).toEqual(stale);
    await ok(prove(device));
    await ok(as.delete(`/passkey/unit/${id}`));
    // The last one is gone.
    await ok(as.post('/auth/confirm', { password: member.password }));
  });

  it('is made with an app or a passkey where both are set up', async () => {
    const { as, member, device } = await withPasskey('abe');
    const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
    const code = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
    await ok(as.post('/auth/totp/confirm', { code: code(-1) }));
    await grow(member);
    await ok(as.post('/auth/confirm', { otp: code(0) }));
    await grow(member);
    const { challenge_id, options } = await request();
    await ok(as.post('/auth/confirm', { challenge_id, response: device.get(options) }));
    await ok(as.delete('/auth/totp'));
  });
});

/** The passkey of somebody, as one of another member. */
const copyOfPasskey = (schema: string, memberId: string) => ({
  text: `INSERT INTO "${schema}"."passkey"
    SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'member', $1::text, 'credential_id', 'copy'))).*
    FROM "${schema}"."passkey" AS p
    LIMIT 1`,
  values: [memberId],
});

const CLIENT: AuthRequest = {
  address: '127.0.0.1',
  userAgent: undefined,
  inCookie: false,
  afterAnswer: (work) => void work(),
};

describe('second_step', () => {
  it('is met by a passkey, with which the other ways in go on', async () => {
    const { member, as, device } = await withPasskey('ben');
    const held = await signUp(admin, 'cleo');
    const { secret } = (await ok(as.post('/api_key/unit', { label: 'k' }))) as { secret: string };
    const signInByPassword = (otp: string | null = null) =>
      open.post('/auth/signin', { username: member.username, password: member.password, otp });
    expect((await signInByPassword()).body.content).not.toBeNull();
    await setSettings(admin, { secondStep: 'everyone', otp: true });
    try {
      for (const token of [member.accessToken, secret])
        expect((await open.get('/person/unit', { token })).status).toBe(200);
      for (const otp of [null, '123456']) {
        const reply = await signInByPassword(otp);
        expect(reply).toMatchObject({ status: 200, body: { content: null } });
        expect(reply.headers.get('kind-second-step')).toBe('passkey');
      }
      expect(await ok(signIn(device))).toMatchObject({ id: member.id });
      // Who has none enrols one, and goes on.
      const asHeld = admin.as(held.accessToken);
      expect(codes(await asHeld.get('/person/unit'))).toEqual(refused(403, 'second_step.missing'));
      await enrol(asHeld, new Authenticator(ORIGIN));
      expect((await asHeld.get('/person/unit')).status).toBe(200);

      // Passkeys of another domain can't be used, and so are none.
      await setSettings(admin, { passkeyDomain: 'app.example.com' });
      for (const token of [member.accessToken, secret])
        expect(codes(await open.get('/person/unit', { token }))).toEqual(refused(403, 'second_step.missing'));
      expect((await signInByPassword()).headers.get('kind-second-step')).toBe('mail');
      expect(codes(await signIn(device))).toEqual(FAILED);
      expect(await ok(as.get('/auth/second_step'))).toMatchObject({ passkeys: 0 });
    } finally {
      await setSettings(admin, { secondStep: 'optional', otp: false, passkeyDomain: DOMAIN });
    }
    expect((await signIn(device)).status).toBe(200);
  });

  describe('asks of each session', () => {
    const missing = refused(403, 'second_step.missing');
    const stale = refused(403, 'session.stale');
    const signInByPassword = async ({ username, password }: TestMember) =>
      admin.as((await ok(open.post('/auth/signin', { username, password }))).access_token as string);
    const prove = async (as: TestProject, device: Authenticator) => {
      const { challenge_id, options } = await request();
      return as.post('/auth/confirm', { challenge_id, response: device.get(options) });
    };

    it('that it was used in it: one begun with the password alone opens no more after another has added a passkey', async () => {
      await setSettings(admin, { secondStep: 'everyone' });
      try {
        const member = await signUp(admin, 'dan');
        const [stolen, own] = [await signInByPassword(member), await signInByPassword(member)];
        const begun = await creation(stolen);
        const device = new Authenticator(ORIGIN);
        await enrol(own, device);
        // What was found of it before is remembered for a second.
        service.service.app.get(SessionStore).forgetAll(service.service.database);
        expect((await own.get('/person/unit')).status).toBe(200);
        expect(codes(await stolen.get('/person/unit'))).toEqual(missing);
        expect(codes(await stolen.post('/api_key/unit', { label: 'k' }))).toEqual(missing);
        await expect(follow(stolen, { people: '/person/unit' })).rejects.toThrow('second_step.missing');
        // It adds no way in of its own, though it was begun a moment ago.
        const response = new Authenticator(ORIGIN).create(begun.options);
        for (const call of [
          () => stolen.post('/auth/passkey/options', {}),
          () => stolen.post('/auth/passkey', { challenge_id: begun.challenge_id, response }),
          () => stolen.post('/auth/totp', {}),
          () => stolen.post('/auth/email', { email: 'other@example.com' }),
        ])
          expect(codes(await call())).toEqual(stale);
        expect(codes(await stolen.post('/auth/confirm', { password: member.password }))).toEqual(
          refused(400, 'parameter.required'),
        );
        // With the passkey it goes on.
        await ok(prove(stolen, device));
        expect((await stolen.get('/person/unit')).status).toBe(200);
        await ok(stolen.post('/api_key/unit', { label: 'k' }));
      } finally {
        await setSettings(admin, { secondStep: 'optional' });
      }
    });

    it('before an address counts that it has asked for, whatever its link is sent with', async () => {
      await setSettings(admin, { secondStep: 'everyone' });
      try {
        const member = await signUp(admin, 'irmgard');
        const [stolen, own] = [await signInByPassword(member), await signInByPassword(member)];
        await ok(stolen.post('/auth/email', { email: 'evil@example.net' }));
        const { text } = await mailbox.last('evil@example.net');
        const token = /verify#([\w-]+)$/m.exec(text)?.[1];
        const device = new Authenticator(ORIGIN);
        await enrol(own, device);
        expect(codes(await open.post('/auth/verify_email', { token, password: member.password }))).toEqual(
          refused(401, 'signin.failed'),
        );
        for (const session of [stolen, own])
          expect(codes(await session.post('/auth/verify_email', { token }))).toEqual(refused(400, 'proof.wrong'));
        expect(await ok(own.get('/auth/me'))).toMatchObject({ email: member.email });
        await ok(prove(stolen, device));
        await ok(open.post('/auth/verify_email', { token, password: member.password }));
        expect(await ok(own.get('/auth/me'))).toMatchObject({ email: 'evil@example.net' });
      } finally {
        await setSettings(admin, { secondStep: 'optional' });
      }
    });

    it('also where the setting comes later, after refreshes too', async () => {
      const { member, as, device } = await withPasskey('eli');
      const { username, password } = member;
      const session = await ok(open.post('/auth/signin', { username, password }));
      const half = admin.as(session.access_token as string);
      expect((await half.get('/person/unit')).status).toBe(200);
      const byDevice = admin.as((await ok(signIn(device))).access_token as string);
      await setSettings(admin, { secondStep: 'everyone' });
      try {
        for (const whole of [as, byDevice]) expect((await whole.get('/person/unit')).status).toBe(200);
        expect(codes(await half.get('/person/unit'))).toEqual(missing);
        const next = await ok(open.post('/auth/refresh', undefined, { token: session.refresh_token as string }));
        const refreshed = admin.as(next.access_token as string);
        expect(codes(await refreshed.get('/person/unit'))).toEqual(missing);
        // Nor where passkeys could not be used for a while.
        await setSettings(admin, { passkeyDomain: 'app.example.com' });
        expect(codes(await refreshed.get('/person/unit'))).toEqual(missing);
        await setSettings(admin, { passkeyDomain: DOMAIN });
        expect(codes(await refreshed.get('/person/unit'))).toEqual(missing);
        expect(codes(await refreshed.post('/auth/totp', {}))).toEqual(stale);
        await ok(prove(refreshed, device));
        expect((await refreshed.get('/person/unit')).status).toBe(200);
      } finally {
        await setSettings(admin, { secondStep: 'optional', passkeyDomain: DOMAIN });
      }
    });

    it('of sign-ins that are under way too', async () => {
      const { app, database } = service.service;
      await setSettings(admin, { secondStep: 'everyone' });
      try {
        const { accessToken, username } = await signUp(admin, 'fin');
        const project = await app.get(ProjectStore).find(admin.id);
        if (!project) throw new Error('no project');
        const [before] = await database.run<Credential>(findCredentialStatement(project.schema, username));
        if (!before) throw new Error('no member');
        await enrol(admin.as(accessToken), new Authenticator(ORIGIN));
        // The question whether there is a passkey was answered before.
        const countOf = vi.spyOn(app.get(PasskeyStore), 'countOf').mockResolvedValueOnce(0);
        const begun = await app.get(NewSessions).session(project, CLIENT, before, { way: 'password', otp: null });
        expect(countOf).toHaveBeenCalledOnce();
        countOf.mockRestore();
        const { access_token: token } = JSON.parse(begun.content) as { access_token: string };
        expect(codes(await admin.as(token).get('/person/unit'))).toEqual(missing);
      } finally {
        await setSettings(admin, { secondStep: 'optional' });
      }
    });

    it('before it confirms an app, also while a passkey is being added', async () => {
      const { database } = service.service;
      await setSettings(admin, { secondStep: 'everyone' });
      try {
        const stolen = await signUp(admin, 'gus');
        const as = admin.as(stolen.accessToken);
        const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
        const schema = schemaName(admin.id);
        const confirmed = await database.transaction(async (tx) => {
          await tx.run(lockOwnerStatement(schema, stolen.id));
          const under = as.post('/auth/totp/confirm', { code: new TOTP({ secret }).generate() });
          await expect
            .poll(() =>
              query(
                admin,
                `SELECT 1 FROM pg_stat_activity WHERE "query" LIKE '%SET "member_id" = "member_id"%' AND "wait_event_type" = 'Lock'`,
              ),
            )
            .not.toEqual([]);
          await tx.run(copyOfPasskey(schema, stolen.id));
          return { reply: under };
        });
        expect(codes(await confirmed.reply)).toEqual(stale);
        expect(await ok(as.get('/auth/second_step'))).toMatchObject({ totp: false, passkeys: 1 });
      } finally {
        await setSettings(admin, { secondStep: 'optional' });
      }
    });
  });
});
