/** The model of a project as a file: what is written, and what a check of such a file says. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { asAdministrator, asMember, defineKinds } from '../../support/callers.js';
import { runCommand } from '../../support/command-line.js';
import { ok, query } from '../../support/definitions.js';
import { applyModel, planModel } from '../../support/model-files.js';
import { makeKey } from '../../support/keys.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const folder = mkdtempSync(join(tmpdir(), 'kind-model-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

function fileWith(text: string, name = 'model.yaml'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function shop(): Promise<TestProject> {
  const project = await service.project();
  await asMember(project);
  await ok(project.post('/decimal/unit', { id: 'price', label: 'Price', scale: 2, min_value: '0' }));
  await defineKinds(
    project,
    {
      id: 'article',
      label: 'Article',
      parameters: [
        { id: 'title', label: 'Title', kind_id: 'string', required: true, max_length: 200 },
        { id: 'state', own: true, kind_id: 'string', values: ['draft', 'published'], default_string: 'draft' },
        'price',
        { id: 'author', kind_id: 'unit', reference_kind: 'person' },
      ],
      unique: [['title', 'author']],
      access: { read: ['eq(state,published)', 'eq(author,@member.id)'], create: 'member' },
      changes: 'history',
    },
    { id: 'page', parameters: ['title', 'price'] },
  );
  await ok(project.put('/kind/unit/kind_admin', { access: { update: 'nobody' } }));
  await ok(project.post('/group/unit', { id: 'things', label: 'Things', kind_list: ['page', 'article'] }));
  await ok(
    project.post('/link/unit', {
      id: 'cites',
      label: 'Cites',
      parameters: [{ id: 'page_number', label: 'Page', kind_id: 'integer' }],
      access: { create: 'member' },
    }),
  );
  await ok(project.post('/webhook/unit', { id: 'audit', url: 'https://example.org/h', kinds: ['article'] }));
  return project;
}

const SHOP = `format: kind-model
version: 1
parameters:
  price:
    type: decimal
    label: Price
    min_value: "0"
    scale: 2
  title:
    type: string
    label: Title
    max_length: 200
    required: true
kinds:
  article:
    label: Article
    unique:
      - [title, author]
    access:
      read: ["eq(state,published)", "eq(author,@member.id)"]
      create: member
    changes: history
    parameters:
      title:
      state:
        type: string
        default: draft
        values: [draft, published]
        own: true
      price:
      author:
        type: unit
        reference_kind: person
  kind_admin:
    access:
      update: nobody
  page:
    parameters:
      title:
      price:
  person:
    label: Person
    changes: feed
groups:
  kind_auth_member: [person]
  things:
    label: Things
    kind_list: [page, article]
links:
  cites:
    label: Cites
    access:
      create: member
    parameters:
      page_number:
        type: integer
        label: Page
webhooks:
  audit:
    url: https://example.org/h
    kinds: [article]
`;

let project: TestProject;
beforeAll(async () => {
  project = await shop();
});

describe('the file of a model', () => {
  it('has what is other than in a new project, sorted, and is well', async () => {
    const { code, out } = await runCommand('model', 'dump', project.id);
    expect(out).toBe(SHOP);
    expect(code).toBe(0);
    const checked = await runCommand('model', 'check', fileWith(out));
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('is well') as string });
  });

  it('of a new project has nothing', async () => {
    const { out } = await runCommand('model', 'dump', (await service.project()).id);
    expect(out).toBe('format: kind-model\nversion: 1\n');
  });

  it('is the same as JSON, which is read as well', async () => {
    const { out } = await runCommand('model', 'dump', project.id, '--json');
    expect(JSON.parse(out)).toMatchObject({ format: 'kind-model', kinds: { page: { parameters: { title: null } } } });
    expect(await runCommand('model', 'check', fileWith(out, 'model.json'))).toMatchObject({ code: 0 });
  });

  it('has settings that differ, and no secret', async () => {
    const one = await service.project();
    await runCommand('project', 'set', one.id, 'access_default=closed');
    const admin = await asAdministrator(one);
    await ok(admin.put('/settings', { verify_email: true, redirects: 'https://app.example.org/back' }));
    await defineKinds(one, { id: 'person' });
    await ok(one.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));
    const provider = { id: 'login', issuer: 'https://login.example.org', client_id: 'x', client_secret: 'very secret' };
    await ok(admin.post('/identity_provider/unit', { ...provider, member_kind: 'person' }));
    const { out } = await runCommand('model', 'dump', one.id);
    expect(out).toContain(
      'settings:\n  access_default: closed\n  redirects: https://app.example.org/back\n  verify_email: on\n',
    );
    expect(out).toContain('login:\n    issuer: https://login.example.org\n');
    expect(out).not.toContain('secret');
  });

  it('is written onto a file that is there, whose comments stay', async () => {
    const path = fileWith(`# The shop.
format: kind-model
version: 1
kinds:
  # What is sold.
  article: # for now
    label: Post
    parameters:
      title:
  gone:
    label: Gone
`);
    expect(await runCommand('model', 'dump', project.id, '--out', path)).toMatchObject({ code: 0 });
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^# The shop\.\nformat: kind-model\nversion: 1\nparameters:\n/);
    expect(text).toContain('  # What is sold.\n  article:\n    # for now\n    label: Article\n');
    expect(text).not.toContain('gone');
    await runCommand('model', 'dump', project.id, '--out', path);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(text.replaceAll(/^ *#.*\n/gm, '')).toBe(SHOP);
  });
});

describe('a check of a file', () => {
  it('tells all faults, a line each, and exits with 1', async () => {
    const text = 'format: kind-model\nversion: 1\nkinds:\n  a:\n    lable: A\n    active: yes\n';
    const { code, out, err } = await runCommand('model', 'check', fileWith(text));
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringContaining(
        "model.yaml: line 5: kinds.a.lable is no field of an entry of kinds (did you mean 'label'?)",
      ),
      expect.stringContaining('model.yaml: line 6: kinds.a.active must be'),
    ]);
    expect(err).toContain('has 2 faults');
    expect(code).toBe(1);
    expect((await runCommand('model', 'check', join(folder, 'nothing.yaml'))).err).toContain('cannot be read');
  });
});

describe('plan and apply', () => {
  it('end with 3 where there is something to do, with 0 where there is nothing, and with 1 where it is refused', async () => {
    const one = await service.project();
    const path = fileWith(SHOP);
    const planned = await runCommand('model', 'plan', path, one.id);
    expect(planned.code).toBe(3);
    expect(planned.out).toMatch(new RegExp(`^${one.id}: changes\\n`));
    expect(planned.out).toMatch(/^ +add +article *$/m);
    expect(await runCommand('model', 'apply', path, one.id)).toMatchObject({
      code: 1,
      out: expect.stringContaining("'person:signup' lets anyone do more") as string,
    });
    expect(await runCommand('model', 'apply', path, one.id, '--allow-open', 'person:signup')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${one.id}: applied`) as string,
    });
    expect((await runCommand('model', 'dump', one.id)).out).toBe(SHOP);
    expect(await runCommand('model', 'plan', path, one.id)).toMatchObject({ code: 0, out: `${one.id}: equal\n` });
    await ok(one.post('/page/unit', { title: 'A page' }));
    const without = fileWith(
      SHOP.replace(/ {2}page:\n(?: {4}.*\n)+/, '').replace('[page, article]', '[article]'),
      'less.yaml',
    );
    const less = await runCommand('model', 'plan', without, one.id);
    expect(less).toMatchObject({ code: 3, out: expect.stringContaining('\n    breaks: page is gone\n') as string });
    const refused = await runCommand('model', 'apply', without, one.id);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("refused: model.loses: 'page' loses 1");
    expect(await ok(one.get('/page/unit'))).toMatchObject({ count: 1 });
    expect(await runCommand('model', 'apply', without, one.id, '--allow-loss', 'page')).toMatchObject({ code: 0 });
    expect((await one.get('/page/unit')).status).toBe(404);
  });

  it('of several projects take partial files alone, and stop at the first that refuses', async () => {
    const projects = [await service.project(), await service.project(), await service.project()];
    const ids = projects.map(({ id }) => id);
    const whole = fileWith(SHOP);
    expect((await runCommand('model', 'plan', whole, ...ids)).code).toBe(2);
    expect((await runCommand('model', 'plan', whole)).code).toBe(2);
    const text =
      'format: kind-model\nversion: 1\npartial: true\nkinds: { note: { parameters: { text: { type: string } } } }\n';
    const path = fileWith(text, 'partial.yaml');
    await defineKinds(
      projects[1] as TestProject,
      { id: 'own' },
      { id: 'other', parameters: [{ id: 'text', kind_id: 'integer' }] },
    );
    const { code, out } = await runCommand('model', 'apply', path, ...ids, '--json');
    expect(code).toBe(1);
    const told = out.trimEnd().split('\n');
    expect(told.map((line) => (JSON.parse(line) as { state?: string }).state)).toEqual([
      'applied',
      'refused',
      'waiting',
      undefined,
    ]);
    expect(JSON.parse(told.at(-1) ?? '')).toEqual({ projects: 3, applied: 1, refused: 1, waiting: 1 });
    expect((await (projects[1] as TestProject).get('/own/unit')).status).toBe(200);
    expect((await (projects[2] as TestProject).get('/note/unit')).status).toBe(404);
  });
});

describe('a project made with a file', () => {
  it('has its model, its settings and its units', async () => {
    const id = `m${Date.now().toString(36)}`;
    const made = await runCommand('project', 'create', id, '--model', 'templates/helpdesk.yaml', '--json');
    expect(made.code).toBe(0);
    expect(JSON.parse(made.out)).toMatchObject({ key: id, access_default: 'closed' });
    expect(await runCommand('model', 'plan', 'templates/helpdesk.yaml', id)).toMatchObject({ code: 0 });
    await runCommand('project', 'delete', id, '--yes');
  });

  it.each([
    ['kinds: { note: { lable: x } }', "did you mean 'label'"],
    ['kinds: { note: { access: { read: "eq(nothing,1)" } } }', 'nothing'],
  ])('is not there if the file is refused: %s', async (text, why) => {
    const path = fileWith(`format: kind-model\nversion: 1\n${text}\n`, 'refused.yaml');
    const id = `m${Date.now().toString(36)}`;
    expect(await runCommand('project', 'create', id, '--model', path)).toMatchObject({
      code: 1,
      err: expect.stringContaining(why) as string,
    });
    expect((await runCommand('project', 'show', id)).code).toBe(1);
  });
});

describe('secrets', () => {
  const login = (secret: string) => `format: kind-model
version: 1
partial: true
identity_providers:
  login:
    issuer: https://login.example.org
    client_id: x
    client_secret: ${secret}
    member_kind: person
`;

  it('are those of the variables that a file names', async () => {
    const one = await service.project();
    await asMember(one);
    const path = fileWith(login('{ env: MODEL_TEST_SECRET }'), 'secrets.yaml');
    const missing = await runCommand('model', 'apply', path, one.id);
    expect(missing).toMatchObject({
      code: 2,
      err: expect.stringContaining('identity_providers.login.client_secret: the environment variable') as string,
    });
    vi.stubEnv('MODEL_TEST_SECRET', 'very secret');
    const allowed = ['--allow-open', 'identity_providers.login'];
    expect(await runCommand('model', 'apply', path, one.id, ...allowed)).toMatchObject({ code: 0 });
    const [row] = await query<{ sealed: string }>(one, `SELECT client_secret AS sealed FROM $schema.identity_provider`);
    expect(row?.sealed).toMatch(/./);
    expect(row?.sealed).not.toContain('very secret');
    expect((await runCommand('model', 'dump', one.id)).out).not.toContain('secret');
    expect(await runCommand('model', 'plan', path, one.id)).toMatchObject({ code: 0, out: `${one.id}: equal\n` });
    vi.stubEnv('MODEL_TEST_SECRET', 'another');
    const planned = await runCommand('model', 'plan', path, one.id);
    expect(planned).toMatchObject({
      code: 3,
      out: expect.stringContaining('edit  identity_providers.login') as string,
    });
    expect(planned.out).not.toContain('another');
  });

  it('are a change where they are others than those that are stored, and stay where they are left out', async () => {
    const one = await service.project();
    await asMember(one);
    await defineKinds(one, { id: 'note', changes: 'feed' });
    const hook = (headers: string, url = 'https://example.org/h') =>
      `webhooks:\n  audit:\n    url: ${url}\n    kinds: [note]\n    headers: ${headers}\n`;
    const text = (secret: string, headers: string) => login(secret) + hook(headers);
    await applyModel(one, text('very secret', '{ a: one, b: two }'));
    const sealed = () =>
      query(one, 'SELECT client_secret, sealed_headers FROM $schema.identity_provider CROSS JOIN $schema.webhook');
    const before = await sealed();
    const plan = async (file: string) => (await planModel(one, file)).steps;
    for (const [secret, headers] of [
      ['very secret', '{ a: one, b: two }'],
      ['', '{ a: , b: two }'],
    ] as const) {
      expect((await applyModel(one, text(secret, headers))).state).toBe('equal');
      expect(await sealed()).toEqual(before);
    }
    expect(await plan(login('very secret').replace('client_id: x', 'client_id: y'))).toEqual([
      { change: 'edit', name: 'identity_providers.login', fields: ['client_id'] },
    ]);
    expect(await plan(login('another'))).toEqual([
      { change: 'edit', name: 'identity_providers.login', fields: ['client_secret'] },
    ]);
    for (const other of ['{ a: two, b: two }', '{ a: one }', '{ a: one, b: two, c: three }', '{ b: one, a: two }']) {
      expect([other, await plan(text('', other))]).toEqual([
        other,
        [{ change: 'edit', name: 'webhooks.audit', fields: ['headers'] }],
      ]);
    }
    const moved = login('') + hook('{ a: one, b: two }', 'https://other.example.org/h');
    await applyModel(one, moved);
    expect(await plan(moved)).toEqual([]);
  });

  it.each(['{ env: PATH }', '{ env: MODEL_A, more: 1 }'])('are no other variables: %s', async (secret) => {
    const refused = await runCommand('model', 'plan', fileWith(login(secret)), project.id);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('identity_providers.login.client_secret');
  });
});

describe('a project elsewhere', () => {
  const url = () => ['--url', service.service.url, '--key', 'env:MODEL_TEST_KEY'];
  const SCOPE = [{ kinds: ['model'], operations: ['read', 'update', 'delete'] }];

  it('is dumped, planned and applied by a key', async () => {
    const one = await service.project();
    const { secret } = await makeKey(await asAdministrator(one), { scope: SCOPE });
    vi.stubEnv('MODEL_TEST_KEY', secret);
    const path = fileWith(SHOP.replace(/webhooks:[^]*$/, '').replace(/ *kind_auth_member.*\n/, ''));
    const planned = await runCommand('model', 'plan', path, one.id, ...url());
    expect(planned).toMatchObject({ code: 3, out: expect.stringContaining(`${one.id}: changes\n`) as string });
    expect(await runCommand('model', 'apply', path, one.id, ...url())).toMatchObject({ code: 0, err: '' });
    expect(await runCommand('model', 'plan', path, one.id, ...url())).toMatchObject({
      code: 0,
      out: `${one.id}: equal\n`,
    });
    const there = await runCommand('model', 'dump', one.id, ...url());
    expect(there).toMatchObject({ code: 0, out: readFileSync(path, 'utf8') });
    expect((await runCommand('model', 'dump', one.id)).out).toBe(there.out);

    await ok(one.post('/page/unit', { title: 'A page' }));
    const drop = fileWith('format: kind-model\nversion: 1\npartial: true\ndrop: [page]\n', 'drop.yaml');
    const refused = await runCommand('model', 'apply', drop, one.id, '--yes', ...url());
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('refused: model.loses: ') as string });
    const stale = await runCommand('model', 'apply', drop, one.id, '--version', '1', '--allow-loss', 'all', ...url());
    expect(stale).toMatchObject({ code: 1, out: expect.stringContaining('refused: model.changed: ') as string });
    expect(await runCommand('model', 'apply', drop, one.id, '--allow-loss', 'page', ...url())).toMatchObject({
      code: 0,
    });
  });

  it('is one, by https or on this machine', async () => {
    vi.stubEnv('MODEL_TEST_KEY', 'x');
    const path = fileWith('format: kind-model\nversion: 1\npartial: true\n', 'empty.yaml');
    const codeOf = async (...more: string[]) => (await runCommand('model', 'plan', path, ...more)).code;
    expect(await codeOf('one', 'two', ...url())).toBe(2);
    expect(await codeOf('--all', ...url())).toBe(2);
    expect(await codeOf('one', '--url', 'http://kind.example.org', '--key', 'env:MODEL_TEST_KEY')).toBe(2);
    expect(await codeOf('one', '--url', service.service.url)).toBe(2);
    expect(await codeOf('one', '--version', 'x')).toBe(2);
    expect(await codeOf('one', 'two', '--version', '3')).toBe(2);
    expect(await codeOf(project.id, ...url())).toBe(1);
  });
});

it('an apply is for the version that it names', async () => {
  const one = await service.project();
  const path = fileWith('format: kind-model\nversion: 1\npartial: true\nkinds: { note: {} }\n', 'note.yaml');
  const { out } = await runCommand('model', 'plan', path, one.id, '--json');
  const { version } = JSON.parse(out.split('\n')[0] ?? '') as { version: number };
  const apply = () => runCommand('model', 'apply', path, one.id, '--version', String(version));
  expect(await apply()).toMatchObject({ code: 0 });
  expect(await apply()).toMatchObject({ code: 1, out: expect.stringContaining('model.changed') as string });
});
