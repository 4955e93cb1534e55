/** A project with everything that a model file can have. */
import { expect, it } from 'vitest';
import { expectNoDrift } from '../../support/definitions.js';
import { applyModel, dumpModel, planModel } from '../../support/model-files.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const FILE = `settings:
  access_default: closed
  image_sizes: thumb:100x100:cover
  mail_sign_in: on
  originals: owner
  otp: on
  passkey_domain: example.org
  passkey_origins: https://app.example.org
  redirects: https://app.example.org/back
  second_step: administrators
  verify_email: on
parameters:
  alone: { type: text, helper_text: "Of nobody, yet.", min_length: 1, max_length: 500, metadata: { unit: none } }
  code: { type: string, label: Code, helper_text: "As printed.", pattern: "[A-Z]{2}", required: true, unique: true, write_once: true }
  price: { type: decimal, scale: 2, min_value: "0.01", max_value: "999.99", default: "1.50", indexed: true }
kinds:
  article:
    label: An article
    metadata: { icon: pen }
    public: true
    access:
      read: ["eq(state,open)", "eq(author,@member.id)"]
      create: anyone
      update: member
      delete: admin
    accepted: { create: a contact form }
    unique: [[title, author]]
    indexes: [[state, starts], [author, number]]
    checks: [{ id: dates, filter: "lte_field(starts,ends)", text: It cannot end before it starts. }]
    changes: history
    history_keep: 30
    parameters:
      title: { type: string, own: true, search: english, max_length: 200, nullable: false }
      state:
        type: string
        own: true
        values: [open, pending, "yes", "null", closed]
        default: open
        transitions: { initial: [open], open: [pending], pending: [closed, { to: open, when: "eq(author,@member.id)" }] }
      price:
      code:
      number: { type: integer, own: true, sequence: true }
      count: { type: integer, own: true, min_value: 0, max_value: 10, default: [3], multiple: true }
      ratio: { type: float, own: true, default: 0.5 }
      done: { type: boolean, own: true, default: false }
      starts: { type: date, own: true, default: "@now" }
      ends: { type: date, own: true }
      at: { type: time, own: true, default: "12:00:00" }
      moment: { type: datetime, own: true, default: "2026-01-31T12:00:00Z" }
      bytes: { type: binary, own: true, max_length: 100 }
      data: { type: json, own: true, default: { a: [1, "2", null] } }
      author: { type: unit, own: true, reference_kind: person, default: "@member.id", on_delete: cascade }
      pictures: { type: unit, own: true, reference_kind: file, accept: ["image/*"], owned: true }
      secret: { type: string, own: true, hidden: true }
      inner: { type: string, own: true, read_access: admin, write_access: ["eq(author,@member.id)"] }
      typed: { type: string, own: true, only_run_time: true }
  asleep: { active: false, parameters: { key: { type: string, is_primary: true, own: true } } }
  far: { remote: true, parameters: { text: { type: text, own: true } } }
  file: { access: { create: nobody }, parameters: { alt: { type: string, own: true } } }
  kind_admin: { access: { update: nobody } }
  page: { parameters: { price: , code: } }
  person: { changes: feed, access: { signup: anyone, read: member }, parameters: { note: { type: text } } }
groups:
  kind_auth_member: [person]
  things: { label: All things, description: Both., kind_list: [page, article] }
  empty: []
links:
  cites:
    label: Cites
    access: { create: ["eq(parent.state,open)"], delete: admin }
    parameters: { line: { type: integer, min_value: 1 }, price: }
  knows: {}
webhooks:
  audit: { url: "https://example.org/h", kinds: [article, person], operations: [create, delete], headers: { x-key: "a" } }
  filtered: { url: "https://example.org/f", kinds: [article], filter: "eq(state,open)", active: false, metadata: { of: us } }
identity_providers:
  login:
    label: Log in
    issuer: https://login.example.org
    client_id: x
    client_secret: secret
    scopes: openid email
    member_kind: person
    signup: true
    link: never
    trust_email: true
    claims: { note: profile }
`;

it('is the same text once it was applied, here and in another project', async () => {
  const [one, other] = [await service.project(), await service.project()];
  await applyModel(one, FILE);
  const dumped = await dumpModel(one);
  expect((await applyModel(one, dumped)).state).toBe('equal');
  expect((await planModel(one, FILE)).steps).toEqual([]);
  await applyModel(other, dumped.replace('x-key: null', 'x-key: a'));
  expect(await dumpModel(other)).toBe(dumped);
  await expectNoDrift(other);
  const names = [...FILE.matchAll(/(?:^ *|[{,] )(\w+):/gm)].map(([, name]) => name ?? '');
  expect(names.filter((name) => !dumped.includes(`${name}:`))).toEqual(['client_secret']);
});
