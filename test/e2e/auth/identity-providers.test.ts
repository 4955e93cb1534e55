/** Identity providers and identities as units, without signing in by them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProviderStore } from '../../../src/auth/provider/provider-store.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { sealAnew } from '../../../src/catalog/project/sealed-values.js';
import { Database } from '../../../src/database/database.js';
import { SecretBox } from '../../../src/shared/secret-box.js';
import { newId } from '../../../src/shared/new-id.js';
import {
  findIdentityStatement,
  type FoundIdentity,
  type IdentityProvider,
  insertIdentityStatement,
  lockProviderStatement,
  recordIdentityUseStatement,
} from '../../../src/sql/member/identity.sql.js';
import { AuditLog } from '../../../src/tenancy/audit-log.js';
import { projectOf } from '../../../src/tenancy/project.js';
import { anonymous, defineKinds, signUp, withMembers, type TestMember } from '../../support/callers.js';
import { modelOf, ok, query, refusalOf } from '../../support/definitions.js';
import { byKey } from '../../support/keys.js';
import { lowerLimit } from '../../support/limits.js';
import { logLines } from '../../support/log-lines.js';
import { Mailbox, temporaryFolder } from '../../support/mailbox.js';
import { ADMIN, startTestService, type TestProject } from '../../support/service.js';

const SECRET = 'canary-of-the-client-secret';

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const audit = join(dataDir, 'audit.log');
const log = logLines();
const service = await startTestService({ dataDir, authRateLimit: false, auditLog: { file: audit } }, log.logger);
const { app } = service.service;
const admin = await withMembers(await service.project());
const open = anonymous(admin);
const providers = app.get(ProviderStore);
const project = projectOf(await app.get(Provisioning).get(admin.id));
const executor = app.get(Database).ofProject(project);

const GOOGLE = {
  id: 'google',
  label: 'Google',
  issuer: 'https://accounts.google.com',
  client_id: 'client',
  member_kind: 'person',
};

const make = (body: object = {}, as = admin) => as.post('/identity_provider/unit', { ...GOOGLE, ...body });
const edit = (body: object, as = admin) => as.put('/identity_provider/unit/google', body);
const remove = (id = 'google', as = admin) => as.delete(`/identity_provider/unit/${id}`);

/** Runs `work` with a provider `google`. */
async function withProvider(work: () => Promise<void>, body: object = {}): Promise<void> {
  await ok(make(body));
  try {
    await work();
  } finally {
    await remove();
  }
}

const noticesTo = async (address: string, words: string): Promise<number> =>
  (await mailbox.to(address)).filter(({ text }) => text.includes(words)).length;

const lineOf = (action: string) =>
  readFileSync(audit, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"${action}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .at(-1);

/** Makes all sessions so old that they are no proof any more, while `work` runs. */
async function unproved(work: () => Promise<void>): Promise<void> {
  const move = (by: string) =>
    query(admin, `UPDATE $schema."_session" SET "started_at" = "started_at" + $1::interval`, [by]);
  await move('-11 minutes');
  try {
    await work();
  } finally {
    await move('11 minutes');
  }
}

/** Links an account at the provider with a member, as the one who comes back from there. */
async function link(member: TestMember, subject: string, provider = 'google') {
  const id = newId();
  const identity = { id, provider, member: member.id, issuer: GOOGLE.issuer, subject, email: `${subject}@example.com` };
  const rows = await executor.run(insertIdentityStatement(project.schema, identity));
  return { id, made: rows.length === 1 };
}

const find = async (subject: string, issuer = GOOGLE.issuer) =>
  (await executor.run<FoundIdentity>(findIdentityStatement(project.schema, { issuer, subject })))[0];

describe('an identity provider', () => {
  it('is made, changed and removed by administrators, who are told by mail', async () => {
    const made = await ok(make({ client_secret: SECRET }));
    expect(made).toMatchObject({
      ...GOOGLE,
      scopes: 'openid email profile',
      signup: false,
      link: 'verified',
      trust_email: false,
      claims: {},
      active: true,
    });
    await expect.poll(() => noticesTo(ADMIN.email, 'added an identity provider')).toBe(1);
    expect(lineOf('identity_provider.created')).toMatchObject({ id: 'google', issuer: GOOGLE.issuer });

    const claims = { first_name: 'given_name' };
    const changed = { label: 'Work', signup: true, link: 'never', claims, scopes: 'openid email' };
    expect(await ok(edit(changed))).toMatchObject(changed);
    await expect.poll(() => noticesTo(ADMIN.email, 'changed an identity provider')).toBe(1);
    expect(await ok(admin.get('/identity_provider/unit/google'))).toMatchObject({ ...GOOGLE, ...changed });
    expect(lineOf('identity_provider.changed')).toMatchObject({ id: 'google', link: 'never' });

    await ok(remove());
    await expect.poll(() => noticesTo(ADMIN.email, 'removed an identity provider')).toBe(1);
    expect(lineOf('identity_provider.deleted')).toMatchObject({ id: 'google' });
    expect((await ok(admin.get('/identity_provider/unit'))).count).toBe(0);
  });

  it('asks for a fresh proof, and is not for API keys', async () => {
    const key = await byKey(admin);
    await withProvider(async () => {
      const writes = (as: TestProject) => [make({ id: 'other' }, as), edit({ label: 'x' }, as), remove('google', as)];
      for (const write of writes(key))
        expect(refusalOf(await write)).toEqual({ status: 403, messages: ['key.not_here'] });
      expect((await ok(key.get('/identity_provider/unit'))).count).toBe(1);
      await unproved(async () => {
        for (const write of writes(admin)) {
          expect(refusalOf(await write)).toEqual({ status: 403, messages: ['session.stale'] });
        }
      });
    });
  });

  it('is for administrators alone', async () => {
    const ann = await signUp(admin, 'ann');
    const asAnn = admin.as(ann.accessToken);
    await withProvider(async () => {
      for (const write of [make({ id: 'other' }, asAnn), edit({ label: 'x' }, asAnn), remove('google', asAnn)]) {
        expect(refusalOf(await write)).toEqual({ status: 403, messages: ['access.denied'] });
      }
      expect((await asAnn.get('/identity_provider/unit')).status).toBe(403);
      const opened = await admin.put('/kind/unit/identity_provider', { access: { read: 'member' } });
      expect(refusalOf(opened)).toEqual({ status: 400, messages: ['parameter.bad_value access'] });
    });
  });

  describe('of wrong settings', () => {
    beforeAll(() => ok(make({ id: 'judged', active: false })));
    afterAll(() => ok(remove('judged')));

    it.each<[what: string, body: object, code: string, parameter: string, text: RegExp]>([
      ['no address', { issuer: 'google' }, 'provider.bad_issuer', 'issuer', /https:\/\//],
      ['another protocol', { issuer: 'ftp://a.example.com' }, 'provider.bad_issuer', 'issuer', /https:\/\//],
      ['http', { issuer: 'http://a.example.com' }, 'provider.bad_issuer', 'issuer', /https:\/\//],
      [
        'http of this machine',
        { issuer: 'http://localhost:9000' },
        'provider.bad_issuer',
        'issuer',
        /OIDC_ALLOW_PRIVATE/,
      ],
      ['a query', { issuer: 'https://a.example.com/?a' }, 'provider.bad_issuer', 'issuer', /without \? and #/],
      ['an empty query', { issuer: 'https://a.example.com/?' }, 'provider.bad_issuer', 'issuer', /without \? and #/],
      ['a fragment', { issuer: 'https://a.example.com/#' }, 'provider.bad_issuer', 'issuer', /without \? and #/],
      ['a user', { issuer: 'https://u:p@a.example.com' }, 'provider.bad_issuer', 'issuer', /user and password/],
      [
        'a private address',
        { issuer: 'https://10.0.0.1' },
        'provider.bad_issuer',
        'issuer',
        /10\.0\.0\.1 is not public/,
      ],
      ['this machine', { issuer: 'https://[::1]:8443' }, 'provider.bad_issuer', 'issuer', /::1 is not public/],
      ['a port of others', { issuer: 'https://a.example.com:25' }, 'provider.bad_issuer', 'issuer', /port/],
      ['spaces inside', { issuer: 'https://a.example.com/a b' }, 'provider.bad_issuer', 'issuer', /https:\/\//],
      ['a long one', { issuer: `https://a.example.com/${'a'.repeat(480)}` }, 'parameter.too_long', 'issuer', /500/],
      ['no openid', { scopes: 'email' }, 'parameter.bad_value', 'scopes', /'openid'/],
      ['two spaces', { scopes: 'openid  email' }, 'parameter.bad_value', 'scopes', /one space/],
      [
        'an unknown kind',
        { member_kind: 'persn' },
        'parameter.bad_value',
        'member_kind',
        /no member kind 'persn'.*'person'/,
      ],
      ['a kind of no members', { member_kind: 'file' }, 'parameter.bad_value', 'member_kind', /no member kind 'file'/],
      [
        'sign-up of administrators',
        { member_kind: 'kind_admin', signup: true },
        'parameter.bad_value',
        'signup',
        /nobody/,
      ],
      ['another link', { link: 'always' }, 'parameter.not_allowed', 'link', /verified/],
      ['claims in a list', { claims: ['a'] }, 'parameter.bad_value', 'claims', /an object/],
      [
        'an unknown parameter',
        { claims: { frist_name: 'a' } },
        'parameter.bad_value',
        'claims',
        /'frist_name'.*'first_name'/,
      ],
      [
        'a claim of no name',
        { claims: { first_name: '' } },
        'parameter.bad_value',
        'claims',
        /'first_name' must be a string/,
      ],
      [
        'a claim in parts',
        { claims: { first_name: ['a'] } },
        'parameter.bad_value',
        'claims',
        /'first_name' must be a string/,
      ],
      ['a secret with a line', { client_secret: 'a\nb' }, 'parameter.bad_value', 'client_secret', /visible/],
      ['an empty secret', { client_secret: '' }, 'parameter.too_short', 'client_secret', /1/],
      ['no client', { client_id: null }, 'parameter.null', 'client_id', /not be null/],
      ['no label', { label: '' }, 'parameter.too_short', 'label', /1/],
      ['a step that is not here', { second_step: 'provider' }, 'parameter.unknown', 'second_step', /no such parameter/],
    ])('is refused with %s', async (_, body, code, parameter, text) => {
      const reply = await make(body);
      expect(reply.status).toBe(400);
      expect(reply.body.messages).toEqual([expect.objectContaining({ code, parameter })]);
      expect(reply.body.messages[0]?.text).toMatch(text);
      // An edit is judged in the same way.
      const edited = await admin.put('/identity_provider/unit/judged', body);
      expect(edited.body.messages).toEqual(reply.body.messages);
    });
  });

  it.each(['username', 'email', 'password', 'kind_system_user', 'id', 'metadata', 'last_access_time', 'rank'])(
    'fills no %s of new members',
    async (parameter) => {
      const reply = await make({ claims: { [parameter]: 'a' } });
      expect(reply.body.messages).toMatchObject([{ code: 'parameter.bad_value', parameter: 'claims' }]);
      expect(reply.body.messages[0]?.text).toContain(`'${parameter}'`);
    },
  );

  it.each([
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/Organizations/v2.0',
    'https://login.microsoftonline.us/consumers/v2.0',
    'https://login.partner.microsoftonline.cn/common/v2.0',
    'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
    'https://login.example.com/{tenantid}/v2.0',
    'https://login.example.com/%7BtenantId%7D/v2.0',
  ])('of many tenants is not trusted for addresses: %s', async (issuer) => {
    const reply = await make({ issuer, trust_email: true });
    expect(reply.body.messages).toMatchObject([{ code: 'parameter.bad_value', parameter: 'trust_email' }]);
    await withProvider(async () => expect((await edit({ trust_email: true })).status).toBe(400), { issuer });
    await withProvider(async () => expect((await edit({ issuer })).status).toBe(400), { trust_email: true });
  });

  it.each([
    'https://login.microsoftonline.com/8b6b4ac1-0f60-4a31-9bfc-6cd7a1d0b1c4/v2.0',
    'https://a.example.com/common',
  ])('of one tenant may be: %s', (issuer) => withProvider(async () => undefined, { issuer, trust_email: true }));

  it('is one of an id, and of twenty', async () => {
    await withProvider(async () => {
      expect(refusalOf(await make())).toEqual({ status: 409, messages: ['provider.exists id'] });
      lowerLimit('providersOfProject', 2);
      expect(await ok(make({ id: 'second', label: undefined }))).toMatchObject({ label: 'second' });
      const both = await Promise.all([make({ id: 'third' }), make()]);
      expect(both.map(refusalOf)).toEqual([
        { status: 409, messages: ['provider.too_many'] },
        { status: 409, messages: ['provider.exists id'] },
      ]);
      await ok(remove('second'));
    });
  });

  it('becomes inactive when its kind is deleted, or has no members any more, and is active again with one that has', async () => {
    await defineKinds(admin, { id: 'guest' });
    await ok(admin.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person', 'guest'] }));
    await withProvider(
      async () => {
        expect((await providers.shown(project))?.providers).toHaveLength(1);
        await ok(admin.put('/group/unit/kind_auth_member?cascade=true', { kind_list: ['kind_admin', 'person'] }));
        expect(await ok(admin.get('/identity_provider/unit/google'))).toMatchObject({ active: false });
        expect((await edit({ active: true })).body.messages).toMatchObject([{ parameter: 'member_kind' }]);
        // What does not let anybody in is taken all the same.
        await ok(edit({ label: 'Guests' }));
        await ok(edit({ active: true, member_kind: 'person' }));
      },
      { member_kind: 'guest' },
    );
  });
});

describe('its secret', () => {
  const stored = async () =>
    (await query<{ value: string | null }>(admin, 'SELECT client_secret AS value FROM $schema.identity_provider'))[0];
  const found = async () => (await providers.active(project, 'google')).client_secret;

  it('is stored encrypted, and read by sign-in alone', async () => {
    await withProvider(
      async () => {
        expect((await stored())?.value).not.toContain('canary');
        expect(await found()).toBe(SECRET);
        const other = 'x'.repeat(2000);
        await ok(edit({ client_secret: ` ${other}\n` }));
        expect(await found()).toBe(other);
        await ok(edit({ label: 'kept' }));
        expect(await found()).toBe(other);
        await ok(edit({ client_secret: null }));
        expect(await stored()).toEqual({ value: null });
        expect(await found()).toBeNull();
      },
      { client_secret: SECRET },
    );
  });

  it('is in no answer, list, history, log or audit', async () => {
    const answers: string[] = [];
    const note = async (call: Promise<{ status: number; body: unknown }>, status = 200): Promise<void> => {
      const reply = await call;
      expect(reply.status).toBe(status);
      answers.push(JSON.stringify(reply.body));
    };
    await note(make({ client_secret: SECRET }), 200);
    const sealed = (await stored())?.value ?? '';
    expect(sealed).not.toBe('');
    await note(edit({ client_secret: SECRET, label: 'a' }));
    await note(make({ client_secret: SECRET, scopes: 'email' }), 400);
    await note(make({ client_secret: SECRET }), 409);
    const resealed = (await stored())?.value ?? '';
    for (const path of [
      '/identity_provider/unit',
      '/identity_provider/unit/google',
      '/identity_provider/unit?include=[id,client_secret]',
      '/identity_provider/unit?filter=eq(client_secret,a)',
      '/identity_provider/unit?order=client_secret',
      '/identity_provider/unit?filter=startswith(id,goo)',
      '/identity_provider/aggregate?group=client_secret',
      '/identity_provider/unit/google/history',
      '/identity_provider/history',
      '/identity_provider/export?format=ndjson',
      '/identity_provider/struct',
      '/kind/unit/identity_provider',
      '/auth/ways',
      '/changes',
      '/settings',
    ]) {
      answers.push(JSON.stringify((await admin.get(path)).body));
    }
    await note(remove());
    const all = [...answers, log.text(), readFileSync(audit, 'utf8'), ...(await mailbox.all()).map(({ raw }) => raw)];
    expect(all.join()).toContain('google');
    for (const text of all) for (const secret of [SECRET, sealed, resealed]) expect(text).not.toContain(secret);
  });

  it('is given again for another issuer', async () => {
    const issuer = 'https://other.example.com';
    await withProvider(
      async () => {
        expect((await edit({ issuer })).body.messages).toMatchObject([
          { code: 'parameter.required', parameter: 'client_secret' },
        ]);
        await ok(edit({ issuer: GOOGLE.issuer }));
        await ok(edit({ issuer, client_secret: 'another' }));
        expect(await found()).toBe('another');
        await ok(edit({ issuer: GOOGLE.issuer, client_secret: null }));
        await ok(edit({ issuer }));
      },
      { client_secret: SECRET },
    );
  });

  it('goes where no key opens it and it is left out, and its provider is inactive then', async () => {
    await withProvider(
      async () => {
        const sealing = {
          model: await modelOf(admin),
          project,
          box: new SecretBox('another key'),
          audit: app.get(AuditLog),
          drop: true,
        };
        const { closed } = await sealAnew(executor, sealing);
        expect(closed).toContainEqual({ kind: 'identity_provider', id: 'google', field: 'client_secret' });
        expect(await stored()).toEqual({ value: null });
        expect(await ok(admin.get('/identity_provider/unit/google'))).toMatchObject({ active: false });
      },
      { client_secret: SECRET },
    );
  });

  it('that no key opens is told to who signs in', async () => {
    await withProvider(
      async () => {
        await query(admin, `UPDATE $schema.identity_provider SET client_secret = 'AAAA'`);
        await expect(providers.active(project, 'google')).rejects.toMatchObject({ code: 'secret.closed', status: 503 });
      },
      { client_secret: SECRET },
    );
  });
});

describe('sign-in', () => {
  it('finds active providers, as they are stored', async () => {
    const expected: IdentityProvider = {
      id: 'google',
      label: 'Google',
      issuer: GOOGLE.issuer,
      client_id: 'client',
      client_secret: null,
      scopes: 'openid email profile',
      member_kind: 'person',
      signup: true,
      link: 'verified',
      trust_email: true,
      claims: { first_name: 'given_name' },
      active: true,
    };
    await withProvider(
      async () => {
        const unknown = { code: 'provider.unknown', status: 404 };
        expect(await providers.active(project, 'google')).toEqual(expected);
        await expect(providers.active(project, 'other')).rejects.toMatchObject(unknown);
        await expect(providers.active(project, 'a\0b')).rejects.toMatchObject(unknown);
        const lock = lockProviderStatement(project.schema, 'google');
        expect(await executor.run(lock)).toEqual([{ label: 'Google' }]);
        await ok(edit({ active: false }));
        await expect(providers.active(project, 'google')).rejects.toMatchObject(unknown);
        expect(await executor.run(lock)).toEqual([]);
      },
      { signup: true, trust_email: true, claims: { first_name: 'given_name' } },
    );
  });

  it('is told of the active ones, and mails who signs up where there is one', async () => {
    expect((await ok(open.get('/auth/ways'))).providers).toEqual([]);
    const bea = await signUp(admin, 'bea');
    await withProvider(async () => {
      await ok(make({ id: 'apple', label: 'Apple' }));
      await ok(make({ id: 'later', label: 'Later', active: false }));
      const shown = [
        { id: 'apple', label: 'Apple' },
        { id: 'google', label: 'Google' },
      ];
      expect((await ok(open.get('/auth/ways'))).providers).toEqual(shown);
      expect((await providers.shown(project))?.providers).toEqual(shown);
      const cay = await signUp(admin, 'cay');
      expect((await mailbox.last(cay.email)).text).toMatch(/\d{6}/);
      for (const id of ['apple', 'later']) await ok(remove(id));
    });
    expect(await mailbox.to(bea.email)).toEqual([]);
  });
});

describe('an identity', () => {
  it('is found by its issuer and its subject, to the letter, and is that of one member', async () => {
    const [dan, eve] = [await signUp(admin, 'dan'), await signUp(admin, 'eve')];
    await withProvider(async () => {
      const { id } = await link(dan, 'Subject');
      expect(await find('Subject')).toEqual({ id, provider: 'google', member_id: dan.id });
      for (const other of ['subject', 'Subject ', 'Subjec', 'Ｓubject']) expect(await find(other)).toBeUndefined();
      expect(await find('Subject', `${GOOGLE.issuer}/`)).toBeUndefined();
      expect((await link(eve, 'Subject')).made).toBe(false);
      expect(await find('Subject')).toMatchObject({ member_id: dan.id });
      expect((await link(eve, 'subject')).made).toBe(true);
      // The longest ones are in the index too.
      const long = '\u{1F600}'.repeat(127);
      expect((await link(eve, long)).made).toBe(true);
      expect(await find(long)).toMatchObject({ member_id: eve.id });
    });
  });

  it('is listed and removed by its member, who is told; its subject is shown to nobody', async () => {
    const [fay, gus] = [await signUp(admin, 'fay'), await signUp(admin, 'gus')];
    const [asFay, asGus] = [admin.as(fay.accessToken), admin.as(gus.accessToken)];
    await withProvider(async () => {
      const { id } = await link(fay, 'canary-of-fay');
      await link(gus, 'canary-of-gus');
      const list = await ok(asFay.get('/identity/unit'));
      expect(list.items).toEqual([
        expect.objectContaining({ id, provider: 'google', member: fay.id, email: 'canary-of-fay@example.com' }),
      ]);
      for (const name of ['subject', 'issuer']) expect(list.items[0]).not.toHaveProperty(name);
      for (const path of ['?include=[id,subject]', '?filter=eq(subject,canary-of-fay)', '?order=issuer']) {
        expect((await admin.get(`/identity/unit${path}`)).status).toBe(400);
      }
      await executor.run(recordIdentityUseStatement(project.schema, id, 'new@example.com'));
      const used = await ok(asFay.get(`/identity/unit/${id}`));
      expect(used).toMatchObject({ email: 'new@example.com', updated_at: list.items[0].updated_at });
      expect(used.last_used_at > list.items[0].last_used_at).toBe(true);

      const path = `/identity/unit/${id}`;
      for (const as of [asFay, admin]) {
        const writes = [as.put(path, { metadata: {} }), as.post('/identity/unit', { provider: 'google' })];
        for (const reply of await Promise.all(writes)) {
          expect(refusalOf(reply)).toEqual({ status: 403, messages: ['access.denied'] });
        }
      }
      expect((await asGus.delete(path)).status).toBe(404);
      const key = await byKey(asFay);
      expect(refusalOf(await key.delete(path))).toEqual({ status: 403, messages: ['key.not_here'] });
      await unproved(async () => {
        expect(refusalOf(await asFay.delete(path))).toEqual({ status: 403, messages: ['session.stale'] });
      });
      await ok(asFay.delete(path));
      expect(await find('canary-of-fay')).toBeUndefined();
      await expect.poll(() => noticesTo(fay.email, 'was removed from your account')).toBe(1);
      expect(lineOf('identity.deleted')).toMatchObject({ id });
      expect(await find('canary-of-gus')).toBeDefined();
    });
  });

  it('goes with its provider, whose sessions stay, and with its member', async () => {
    const [hal, ida] = [await signUp(admin, 'hal'), await signUp(admin, 'ida')];
    await withProvider(async () => {
      await ok(make({ id: 'other' }));
      await link(hal, 'hal');
      await link(ida, 'ida', 'other');
      await ok(remove());
      expect(await find('hal')).toBeUndefined();
      await ok(admin.as(hal.accessToken).get('/auth/verify'));
      expect(await find('ida')).toBeDefined();
      await ok(admin.delete(`/person/unit/${ida.id}`));
      expect(await find('ida')).toBeUndefined();
      await ok(remove('other'));
      await ok(make());
    });
  });
});
