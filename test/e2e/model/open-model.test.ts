/** Which changes of a model file let somebody do more with what is there, and which lose what is there beside values. */
import { beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../../support/authenticator.js';
import { asAdministrator } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { applyModel, planModel } from '../../support/model-files.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const BASE = `settings:
  access_default: closed
  otp: on
  verify_email: on
  mail_sign_in: off
  second_step: everyone
  redirects: https://app.example.org/back
  passkey_domain: example.org
  passkey_origins: https://app.example.org
  originals: owner
kinds:
  article:
    changes: feed
    access:
      read: ["eq(state,published)", "eq(author,@member.id)"]
      create: admin
    parameters:
      state: { type: string, own: true }
      note: { type: string, own: true, hidden: true }
      secret: { type: string, own: true, read_access: admin }
      fixed: { type: string, own: true, write_access: admin }
      once: { type: string, own: true, write_once: true }
      author: { type: unit, reference_kind: person, own: true }
  asleep:
    active: false
    access: { read: member }
  bot:
    changes: feed
    access: { signup: anyone }
  person:
    access: { signup: admin }
groups:
  kind_auth_member: [person]
links:
  cites:
    access: { create: admin }
webhooks:
  audit: { url: "https://example.org/h", kinds: [article], filter: "eq(state,published)" }
identity_providers:
  login:
    issuer: https://login.example.org
    client_id: x
    member_kind: person
    link: never
`;

/** What changes, into what, and the step that opens by it. */
const OPENED: readonly (readonly [string, string, string, string, string?])[] = [
  ['a level', 'create: admin\n    parameters', 'create: member\n    parameters', 'article:create', 'member'],
  ['a rule that is added', '"eq(author,@member.id)"]', '"eq(author,@member.id)", "eq(state,open)"]', 'article:read'],
  ['a rule that changes', 'eq(state,published)"', 'ne(state,draft)"', 'article:read'],
  ['a kind that becomes public', '  article:\n', '  article:\n    public: true\n', 'article:read', 'anyone'],
  ['a kind that becomes active', 'active: false', 'active: true', 'asleep:read', 'member'],
  ['a parameter that is shown', ', hidden: true', '', 'article.note:read'],
  ['read_access', ', read_access: admin', '', 'article.secret:read'],
  ['write_access', ', write_access: admin', '', 'article.fixed:write'],
  ['write_once', ', write_once: true', '', 'article.once:write'],
  ['the access of a link type', 'create: admin }', 'create: member }', 'links.cites:create', 'member'],
  ['access of a link type that goes', '    access: { create: admin }\n', '', 'links.cites:create', 'anyone'],
  ['a kind that becomes one of members', '[person]', '[person, bot]', 'bot:signup', 'anyone'],
  ['sign-up', 'signup: admin', 'signup: anyone', 'person:signup', 'anyone'],
  ['access_default', 'closed', 'open', 'settings.access_default'],
  ['otp', 'otp: on', 'otp: off', 'settings.otp'],
  ['verify_email', 'verify_email: on', 'verify_email: off', 'settings.verify_email'],
  ['mail_sign_in', 'mail_sign_in: off', 'mail_sign_in: on', 'settings.mail_sign_in'],
  ['second_step', 'everyone', 'administrators', 'settings.second_step'],
  ['redirects', 'org/back', 'org/back,https://other.example.org/back', 'settings.redirects'],
  ['passkey_domain', 'domain: example.org', 'domain: app.example.org', 'settings.passkey_domain'],
  ['passkey_origins', 'origins: https://app', 'origins: https://b.example.org,https://app', 'settings.passkey_origins'],
  ['originals', 'originals: owner', 'originals: all', 'settings.originals'],
  ['the url of a webhook', 'example.org/h', 'example.org/i', 'webhooks.audit', 'receiver'],
  [
    'the kinds of a webhook',
    '[article], filter: "eq(state,published)"',
    '[article, bot]',
    'webhooks.audit',
    'receiver',
  ],
  ['the filter of a webhook', ', filter: "eq(state,published)"', '', 'webhooks.audit', 'receiver'],
  [
    'a new webhook',
    'webhooks:\n',
    'webhooks:\n  more: { url: "https://example.org/m" }\n',
    'webhooks.more',
    'receiver',
  ],
  ['the issuer of a provider', 'https://login', 'https://other', 'identity_providers.login', 'anyone'],
  ['the member kind of a provider', 'member_kind: person', 'member_kind: kind_admin', 'identity_providers.login'],
  ['the sign-up of a provider', 'link: never', 'link: never\n    signup: true', 'identity_providers.login', 'anyone'],
  ['the links of a provider', 'link: never', 'link: verified', 'identity_providers.login', 'anyone'],
  ['trust_email', 'link: never', 'link: never\n    trust_email: true', 'identity_providers.login', 'anyone'],
];

const CLOSED: readonly (readonly [string, string, string])[] = [
  ['a rule that is taken out', ', "eq(author,@member.id)"', ''],
  ['a lower level', 'read: member', 'read: admin'],
  ['fewer redirects', '  redirects: https://app.example.org/back\n', '  redirects: off\n'],
  ['a webhook of less', 'filter: "eq(state,published)"', 'filter: "eq(state,published)", active: false'],
  ['a new kind that its project keeps closed', '  bot:\n', '  more:\n  bot:\n'],
];

let project: TestProject;
beforeAll(async () => {
  project = await service.project();
  await applyModel(project, BASE);
});

function changed(from: string, to: string): string {
  expect(BASE).toContain(from);
  return BASE.replace(from, to);
}

describe('what opens', () => {
  it.each(OPENED.map(([what, from, to, name, who]) => ({ what, from, to, name, who })))(
    '$what',
    async ({ from, to, name, who }) => {
      const { steps } = await planModel(project, changed(from, to));
      const opens = steps.find((step) => step.name === name)?.opens ?? [];
      expect(opens.map((each) => each.who)).toContainEqual(who ?? (expect.any(String) as string));
      const allowed = { allowLoss: ['all'], allowOpen: [] };
      await expect(applyModel(project, changed(from, to), allowed)).rejects.toMatchObject({ code: 'model.opens' });
    },
  );

  it.each(CLOSED.map(([what, from, to]) => ({ what, from, to })))('not: $what', async ({ from, to }) => {
    const { steps } = await planModel(project, changed(from, to));
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.flatMap(({ opens = [] }) => opens)).toEqual([]);
  });

  it('is what is new, where anyone may write it', async () => {
    const { steps } = await planModel(project, changed('  bot:\n', '  more: { access: { create: anyone } }\n  bot:\n'));
    expect(steps.find(({ name }) => name === 'more:create')?.opens).toEqual([{ who: 'anyone', what: 'create' }]);
  });
});

describe('what loses', () => {
  it('are links and history too, also of kinds without units', async () => {
    const one = await service.project();
    const text = 'kinds:\n  page: { changes: history }\nlinks:\n  cites: {}\n';
    await applyModel(one, text);
    const [a, b] = [await ok(one.post('/page/unit', {})), await ok(one.post('/page/unit', {}))] as { id: string }[];
    await ok(one.post(`/page/unit/${a?.id ?? ''}/link/cites/child`, { items: [{ kind_id: 'page', id: b?.id ?? '' }] }));
    const lost = async (file: string) => {
      return (await planModel(one, file)).steps.flatMap(({ name, loses }) => (loses ? [{ name, loses }] : []));
    };
    expect(await lost('kinds:\n  page: { changes: history }\n')).toEqual([{ name: 'links.cites', loses: 1 }]);
    expect(await lost('kinds:\n  page: {}\nlinks:\n  cites: {}\n')).toEqual([{ name: 'page', loses: 3 }]);
    for (const { id } of [a, b] as { id: string }[]) await ok(one.delete(`/page/unit/${id}`));
    expect(await lost('links:\n  cites: {}\n')).toEqual([{ name: 'page', loses: expect.any(Number) as number }]);
  });

  it('are accounts at a provider, and passkeys for another domain', async () => {
    const one = await service.project();
    const settings = 'settings: { passkey_domain: example.org, passkey_origins: "https://app.example.org" }\n';
    const provider = `identity_providers:
  login: { issuer: "https://login.example.org", client_id: x, member_kind: kind_admin }
`;
    await applyModel(one, settings + provider);
    const admin = await asAdministrator(one);
    const { challenge_id, options } = await ok(admin.post('/auth/passkey/options', {}));
    const response = new Authenticator('https://app.example.org').create(options);
    await ok(admin.post('/auth/passkey', { challenge_id, response }));
    await query(
      one,
      `INSERT INTO $schema.identity (id, provider, member, issuer, subject, metadata, inserted_at, updated_at)
       SELECT gen_random_uuid(), 'login', member, 'https://login.example.org', 'x', '{}', now(), now()
       FROM $schema.passkey`,
    );
    const lost = async (file: string) => {
      return (await planModel(one, file)).steps.flatMap(({ name, loses }) => (loses ? [{ name, loses }] : []));
    };
    expect(await lost(settings)).toEqual([{ name: 'identity_providers.login', loses: 1 }]);
    expect(await lost(settings.replace('https://app', 'https://b.example.org,https://app') + provider)).toEqual([]);
    const moved = settings.replace('domain: example.org', 'domain: app.example.org') + provider;
    expect(await lost(moved)).toEqual([{ name: 'settings.passkey_domain', loses: 1 }]);
    await expect(applyModel(one, moved, { allowLoss: [] })).rejects.toMatchObject({ code: 'model.loses' });
    await applyModel(one, settings, { allowLoss: ['identity_providers.login'] });
    expect(await query(one, 'SELECT 1 FROM $schema.identity')).toEqual([]);
  });
});
