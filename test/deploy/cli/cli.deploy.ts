/** The command line beside a running service: results, refusals, exit codes, and effects on the service. */
import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { prepareProjects } from '../../../src/before-serving.js';
import { runCommandLine } from '../../../src/cli/run.js';
import { loadConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/database/open-database.js';
import { startService } from '../../../src/service.js';
import { copyInitialised } from '../../support/initialised.js';
import { Mailbox } from '../../support/mailbox.js';

const dataDir = mkdtempSync(join(tmpdir(), 'kind-cli-'));
const config = loadConfig(
  {
    DATA_DIR: dataDir,
    PORT: '0',
    SHUTDOWN_IDLE: '0s',
    LOG_LEVEL: 'fatal',
    BOOTSTRAP_ADMIN_PASSWORD: 'correct horse 1',
  },
  dataDir,
);
copyInitialised(dataDir);
const database = await openDatabase(config, { role: 'service', log: () => undefined, settings: { fsync: 'off' } });
const service = await startService({
  config,
  secret: 'a secret for tests, at least thirty-two characters',
  connection: database.connection,
  logger: pino({ level: 'fatal' }),
});
afterAll(async () => {
  await service.stop();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function kind(...argv: string[]) {
  let out = '';
  let err = '';
  const code = await runCommandLine(argv, { out: (text) => (out += text), err: (text) => (err += text) }, () => config);
  return { code, out, err };
}

async function json(...argv: string[]): Promise<unknown> {
  const { code, out, err } = await kind(...argv, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

function ask(project: string, password: string): Promise<Response> {
  return fetch(`${service.url}/api/lib/auth/signin`, {
    method: 'POST',
    headers: { 'kind-project-key': project, 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ann', password }),
  });
}

async function session(project: string, password: string): Promise<{ access_token: string; refresh_token: string }> {
  const { content } = (await (await ask(project, password)).json()) as { content: Awaited<ReturnType<typeof session>> };
  return content;
}

async function signIn(project: string, password: string): Promise<{ status: number; code?: string }> {
  const response = await ask(project, password);
  const { content, messages } = (await response.json()) as { content: unknown; messages: { code: string }[] };
  const code = messages[0]?.code ?? (content === null ? 'a code is mailed' : undefined);
  return { status: response.status, ...(code !== undefined && { code }) };
}

const create = (id: string, ...more: string[]) => [
  'project',
  'create',
  id,
  '--admin-username',
  'ann',
  '--admin-email',
  'ann@example.com',
  ...more,
];

describe('project create', () => {
  test('makes a project that the running service serves at once', async () => {
    const made = (await json(...create('acme', '--label', 'Acme Inc'))) as { administrator: { password: string } };
    const { password } = made.administrator;
    expect(made).toMatchObject({
      key: 'acme',
      label: 'Acme Inc',
      otp: false,
      status: 'active',
      schema: 'project_acme',
    });
    expect(password).toMatch(/^[\w-]{20}$/);
    expect(await signIn('acme', password)).toEqual({ status: 200 });
  });

  test('its time of creation has microseconds, as in records', async () => {
    const [row] = await service.database.run<{ at: string }>({
      text: `SELECT to_char("inserted_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM "kind"."project" WHERE "id" = 'acme'`,
      values: [],
    });
    expect(row?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    for (const shown of [await json('project', 'show', 'acme'), ...((await json('project', 'list')) as object[])]) {
      if ((shown as { key: string }).key === 'acme') expect(shown).toMatchObject({ inserted_at: row?.at });
    }
  });

  test('prints key, administrator and generated password for a person', async () => {
    const { code, out } = await kind(...create('printed'));
    expect(code).toBe(0);
    expect(out).toMatch(
      /^project key {4}printed\nadministrator {2}ann\npassword {7}[\w-]{20} {3}\(shown this one time\)\n$/,
    );
  });

  test('takes a password and does not print it', async () => {
    const { code, out } = await kind(...create('given', '--admin-password', 'correct horse 2'));
    expect({ code, out }).toEqual({ code: 0, out: 'project key    given\nadministrator  ann\n' });
    expect(await signIn('given', 'correct horse 2')).toEqual({ status: 200 });
  });

  test('makes several, or none of them if one cannot be made', async () => {
    expect(await kind(...create('first'), 'demo', 'second', 'No')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^error: A project 'demo' exists already; 'No': a project id is .*\n$/) as string,
    });
    expect(await kind(...create('first'), 'second', '--label', 'Both')).toMatchObject({ code: 2, out: '' });
    const twice = { code: 2, out: '', err: "error: 'first' is named more than once\n" };
    expect(await kind(...create('first'), 'second', 'first')).toEqual(twice);
    const made = (await json(...create('first'), 'second')) as { key: string; administrator: { password: string } }[];
    expect(made.map(({ key }) => key)).toEqual(['first', 'second']);
    for (const { key, administrator } of made) {
      expect(await signIn(key, administrator.password)).toEqual({ status: 200 });
    }
  });

  const refused = [
    { name: 'an id that is taken', argv: create('demo'), err: "error: A project 'demo' exists already\n" },
    { name: 'a bad id', argv: create('No'), err: /^error: 'No': a project id is .*\n$/ },
    {
      name: 'a short password',
      argv: create('short', '--admin-password', 'x'),
      err: 'error: password: at least 8 characters\n',
    },
    {
      name: 'a bad address',
      argv: ['project', 'create', 'mail', '--admin-email', 'nobody'],
      err: 'error: email: must be an e-mail address\n',
    },
  ];
  test.each(refused)('refuses $name in one line, and leaves nothing', async ({ argv, err }) => {
    const before = await json('project', 'list');
    const result = await kind(...argv);
    expect(result).toEqual({
      code: 1,
      out: '',
      err: typeof err === 'string' ? err : (expect.stringMatching(err) as string),
    });
    expect(await json('project', 'list')).toEqual(before);
  });
});

describe('project list and show', () => {
  test('list them by id, and one with its kinds', async () => {
    await kind(...create('shown', '--label', 'a\u001b[31m\nb'));
    const { out } = await kind('project', 'list');
    expect(out).toMatch(/^KEY +LABEL +STATUS +OTP +MODEL +INSERTED AT\n/);
    expect(out).toMatch(/^demo +demo +active +off +open +\d{4}-/m);
    expect(out).toMatch(/^shown +a \[31m b +active/m);
    const { out: long } = await kind('project', 'list', '--long');
    expect(long).toMatch(/^KEY +LABEL +STATUS +OTP +MODEL +ACCESS DEFAULT +INSERTED AT\n/);
    expect(long).toMatch(/^demo +demo +active +off +open +open +\d{4}-/m);
    const [short, more] = [await json('project', 'list'), await json('project', 'list', '--long')];
    expect(short).not.toContainEqual(expect.objectContaining({ access_default: 'open' }));
    expect(more).toContainEqual(expect.objectContaining({ key: 'demo', access_default: 'open' }));
    expect(await json('project', 'show', 'shown')).toMatchObject({ key: 'shown', model_version: 1, kinds: [] });
  });
});

describe('project set', () => {
  test('changes settings of which the running service is notified', async () => {
    await kind(...create('changed', '--admin-password', 'correct horse 2'));
    expect(await signIn('changed', 'correct horse 2')).toEqual({ status: 200 });
    expect(await json('project', 'set', 'changed', 'otp=on', 'label=New = better')).toMatchObject({
      otp: true,
      label: 'New = better',
    });
    await expect.poll(() => signIn('changed', 'correct horse 2')).toEqual({ status: 200, code: 'a code is mailed' });
    expect(await json('project', 'set', 'changed', 'otp=off')).toMatchObject({ otp: false, label: 'New = better' });
    expect(await json('project', 'set', 'changed', 'requests_per_second=500', 'units=12')).toMatchObject({
      otp: false,
      requests_per_second: 500,
      units: 12,
    });
    expect(await json('project', 'set', 'changed', 'storage=1500mb')).toMatchObject({ units: 12, storage: '1.5gb' });
    expect(await json('project', 'show', 'changed')).toMatchObject({
      stored: expect.stringMatching(/^\d+(\.\d)?[km]b$/) as string,
    });
    expect(await json('project', 'set', 'changed', 'storage=off')).toMatchObject({ storage: 'off' });
    expect(await json('project', 'set', 'changed', 'units=off')).toMatchObject({
      requests_per_second: 500,
      units: 'off',
    });
    await expect.poll(() => signIn('changed', 'correct horse 2')).toEqual({ status: 200 });
  });

  test('verify_email takes present members as verified where that is asked for', async () => {
    await kind(...create('trusted', '--admin-password', 'correct horse 2'));
    const verified = (table: string) =>
      service.database.run({
        text: `SELECT email_verified_at IS NOT NULL AS yes FROM project_trusted.${table}`,
        values: [],
      });
    expect(await verified('kind_system_user')).toEqual([{ yes: false }]);
    const set = ['project', 'set', 'trusted'] as const;
    expect(await json(...set, 'verify_email=on', '--trust-existing')).toMatchObject({ verify_email: 'on' });
    for (const table of ['kind_system_user', 'kind_admin']) expect(await verified(table)).toEqual([{ yes: true }]);
    expect(await kind(...set, 'otp=on', '--trust-existing')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--trust-existing goes with verify_email=on') as string,
    });
  });

  test('of files has defaults, and keeps the others', async () => {
    await kind(...create('pictures'));
    const defaults = 'thumb:200x200:cover,small:480x480:inside,medium:960x960:inside,large:1920x1920:inside';
    expect(await json('project', 'show', 'pictures')).toMatchObject({
      image_sizes: defaults,
      originals: 'all',
      file_url_seconds: 3600,
    });
    const changed = {
      image_sizes: 'card:640x480:contain,wide:1600x0:inside',
      originals: 'owner',
      file_url_seconds: 60,
    };
    const settings = Object.entries(changed).map(([name, value]) => `${name}=${value}`);
    expect(await json('project', 'set', 'pictures', ...settings)).toMatchObject(changed);
    expect(await json('project', 'set', 'pictures', 'image_sizes=default')).toMatchObject({
      ...changed,
      image_sizes: defaults,
    });
  });
});

describe('member set-password', () => {
  test("sets a new password, printed once, and ends the member's sessions", async () => {
    await kind(...create('lost', '--admin-password', 'correct horse 2'));
    const { refresh_token: token } = await session('lost', 'correct horse 2');
    const { code, out } = await kind('member', 'set-password', 'lost', 'ANN@example.com');
    expect(code).toBe(0);
    const [, password = ''] =
      /^kind {6}kind_admin\nusername {2}ann\npassword {2}([\w-]{20}) {3}\(shown this one time\)\n$/.exec(out) ?? [];
    expect(await signIn('lost', 'correct horse 2')).toEqual({ status: 401, code: 'signin.failed' });
    expect(await signIn('lost', password)).toEqual({ status: 200 });
    const refreshed = await fetch(`${service.url}/api/lib/auth/refresh`, {
      headers: { 'kind-project-key': 'lost', authorization: `Bearer ${token}` },
    });
    expect(refreshed.status).toBe(401);
  });

  test('takes a password and does not print it', async () => {
    await kind(...create('replaced'));
    expect(await json('member', 'set-password', 'replaced', 'ann', '--password', 'correct horse 3')).toEqual({
      kind: 'kind_admin',
      username: 'ann',
    });
    expect(await signIn('replaced', 'correct horse 3')).toEqual({ status: 200 });
  });

  test.each([
    ['a project that is not there', ['nope', 'ann'], "No project 'nope'"],
    ['a member that is not there', ['demo', 'ann'], "No member 'ann' in project 'demo'"],
    ['a short password', ['demo', 'admin', '--password', 'x'], 'password: at least 8 characters'],
    ['the address', ['demo', 'admin', '--password', 'admin@example.com'], 'password: must not be the username'],
  ])('refuses %s', async (_, argv, text) => {
    expect(await kind('member', 'set-password', ...argv)).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining(`error: ${text}`) as string,
    });
  });
});

describe('member reset-second-step', () => {
  test('removes the authenticator app, of which the member is told', async () => {
    await kind(...create('locked-out', '--admin-password', 'correct horse 2'));
    const { access_token: token } = await session('locked-out', 'correct horse 2');
    const post = async (path: string, body: object) => {
      const headers = {
        'kind-project-key': 'locked-out',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return ((await (await fetch(`${service.url}/api/lib${path}`, init)).json()) as { content: unknown }).content;
    };
    const { secret } = (await post('/auth/totp', {})) as { secret: string };
    await post('/auth/totp/confirm', { code: new TOTP({ secret }).generate() });
    expect((await ask('locked-out', 'correct horse 2')).headers.get('kind-second-step')).toBe('totp');
    const removed = { kind: 'kind_admin', username: 'ann' };
    expect(await json('member', 'reset-second-step', 'locked-out', 'ANN@example.com')).toEqual(removed);
    expect(await signIn('locked-out', 'correct horse 2')).toEqual({ status: 200 });
    const { text } = (await new Mailbox(dataDir).to('ann@example.com')).at(-1) ?? { text: '' };
    expect(text).toContain('no longer asked for');
    expect(await kind('member', 'reset-second-step', 'locked-out', 'ann')).toMatchObject({ code: 1, out: '' });
  });
});

describe('key create', () => {
  test('makes an API key of a member, whose secret is printed once', async () => {
    await kind(...create('keyed'));
    const { code, out } = await kind('key', 'create', 'keyed', 'ANN@example.com', '--label', 'cron');
    expect(code).toBe(0);
    const [, secret = ''] = /^secret +(kind_keyed_[\w-]{43}) {3}\(shown this one time\)$/m.exec(out) ?? [];
    const me = (key: string) =>
      fetch(`${service.url}/api/lib/auth/me`, {
        headers: { 'kind-project-key': 'keyed', authorization: `Bearer ${key}` },
      });
    expect((await me(secret)).status).toBe(200);
    // Its member is told of it before the command ends.
    const { text } = (await new Mailbox(dataDir).to('ann@example.com')).at(-1) ?? { text: '' };
    expect(text).toContain('An API key was made');
    const scope = '[{"kinds": ["kind"], "operations": ["read"]}]';
    const made = await json('key', 'create', 'keyed', 'ann', '--scope', scope, '--expires', '2999-01-01T00:00:00Z');
    expect((await me((made as { secret: string }).secret)).status).toBe(200);
    const agent = await json('key', 'create', 'keyed', 'ann', '--agent', '--writes', '--scope', scope);
    const refused = await me((agent as { secret: string }).secret);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('key.not_here')]);
  });

  test.each([
    ['a member that is not there', ['demo', 'ann'], "No member 'ann' in project 'demo'"],
    ['a scope that is no JSON', ['demo', 'admin', '--scope', 'read'], '--scope: must be JSON'],
    [
      'an unknown kind',
      ['demo', 'admin', '--scope', '[{"kinds": ["x"], "operations": ["read"]}]'],
      "scope[0].kinds[0]: no kind 'x'",
    ],
  ])('refuses %s', async (_, argv, text) => {
    expect(await kind('key', 'create', ...argv)).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining(`error: ${text}`) as string,
    });
  });
});

describe('access_default', () => {
  test('is open, unless a project is made with another or changed', async () => {
    await kind(...create('opened'));
    expect(await json('project', 'show', 'opened')).toMatchObject({ access_default: 'open', model_version: 1 });
    expect(await json(...create('shut', '--access-default', 'closed'))).toMatchObject({ access_default: 'closed' });
    expect(await json('project', 'show', 'shut')).toMatchObject({ access_default: 'closed' });
    expect((await kind('project', 'show', 'shut')).out).toMatch(/^access default +closed$/m);
    expect(await json('project', 'set', 'opened', 'access_default=closed', 'label=Shut')).toMatchObject({
      access_default: 'closed',
      label: 'Shut',
    });
    expect(await json('project', 'set', 'opened', 'access_default=open')).toMatchObject({ access_default: 'open' });
  });

  test('says what it may be', async () => {
    expect((await kind('project', 'set', 'demo', 'access_default=shut')).err).toContain(
      'access_default is open or closed.',
    );
  });
});

describe('access report', () => {
  const post = async (project: string, token: string, path: string, body?: object) => {
    const reply = await fetch(`${service.url}/api/lib${path}`, {
      method: 'POST',
      headers: { 'kind-project-key': project, 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body ?? {}),
    });
    expect(reply.status).toBe(200);
  };

  test('shows the most open first, and --strict fails where strangers may write', async () => {
    await kind(...create('reported', '--admin-password', 'correct horse 2'));
    const { access_token } = (await session('reported', 'correct horse 2')) as unknown as { access_token: string };
    const head = [
      "Project 'reported', access_default open. Nobody can sign up.",
      `Functions and endpoints: those in ${config.functionsDir} (FUNCTIONS_DIR).\n`,
    ].join('\n');
    expect((await kind('access', 'report', 'reported')).out).toBe(
      `${head}Strangers may write: nothing.\nIt has no kinds yet.\n`,
    );
    await post('reported', access_token, '/kind/unit', { id: 'note' });
    await post('reported', access_token, '/kind/unit', {
      ...{ id: 'page', public: true, access: { create: 'admin' } },
      accepted: { delete: 'a wiki', create: 'a form' },
    });
    expect(await kind('access', 'report', 'reported', '--strict')).toEqual({
      code: 1,
      err: 'error: strangers may write page\n',
      out: [
        `${head}Strangers may write: page.`,
        'Accepted: delete of page (a wiki).',
        'Accepted, but not open to strangers: create of page (a form).',
        '',
        'WHAT  WHO             MAY                                           SET BY',
        'page  anyone          update, delete, link, read, function          default',
        'note  members         create, update, delete, link, read, function  default',
        'page  administrators  create                                        access',
        '',
      ].join('\n'),
    });
    await post('reported', access_token, '/kind/unit', { id: 'person' });
    await post('reported', access_token, '/group/unit/kind_auth_member/link/group/kind/unit/person');
    const report = await json('access', 'report', 'reported');
    expect(report).toMatchObject({
      project: 'reported',
      functions_dir: config.functionsDir,
      access_default: 'open',
      sign_up: ['person'],
      stranger_may_write: true,
    });
    expect((report as { access: object[] }).access).toContainEqual({
      kind: 'note',
      operation: 'create',
      level: 'member',
      rules: [],
      stored: false,
      who: 'member',
      by_rule: false,
      stranger: true,
      stranger_writes: true,
      accepted: null,
    });
    expect((await kind('access', 'report', 'reported')).out).toContain('note    members, so anyone who signs up');
    await json('project', 'set', 'reported', 'access_default=closed');
    expect(await kind('access', 'report', 'reported', '--strict')).toMatchObject({ code: 0, err: '' });
    expect(await kind('access', 'report', 'nowhere')).toMatchObject({ code: 1, err: "error: No project 'nowhere'\n" });
  });
});

test('a start names and logs the kinds of the first project that strangers may write', async () => {
  expect(service.first.strangersMayWrite).toEqual([]);
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const prepared = () => prepareProjects(service.app, config, logger);
  const reply = await fetch(`${service.url}/api/lib/auth/signin`, {
    method: 'POST',
    headers: { 'kind-project-key': 'demo', 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'correct horse 1' }),
  });
  const { content } = (await reply.json()) as { content: { access_token: string } };
  const headers = { 'kind-project-key': 'demo', 'content-type': 'application/json' };
  const kindUrl = `${service.url}/api/lib/kind/unit`;
  const body = JSON.stringify({ id: 'board', public: true });
  const authorization = `Bearer ${content.access_token}`;
  expect((await fetch(kindUrl, { method: 'POST', headers: { ...headers, authorization }, body })).status).toBe(200);
  expect(await prepared()).toMatchObject({ project: 'demo', strangersMayWrite: ['board'] });
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 40, project: 'demo', kinds: ['board'], msg: 'kinds that strangers may write' },
  ]);
  await json('project', 'set', 'demo', 'access_default=closed');
  expect(await prepared()).toMatchObject({ strangersMayWrite: [] });
  await json('project', 'set', 'demo', 'access_default=open');
  expect((await fetch(`${kindUrl}/board`, { method: 'DELETE', headers: { ...headers, authorization } })).status).toBe(
    200,
  );
});

describe('project delete', () => {
  test('needs --yes', async () => {
    await kind(...create('kept'));
    expect(await kind('project', 'delete', 'kept')).toMatchObject({
      code: 2,
      out: '',
      err: "error: required option '--yes' not specified\n",
    });
    expect(await json('project', 'show', 'kept')).toMatchObject({ status: 'active' });
  });

  test('deletes a project that the running service knows', async () => {
    await kind(...create('gone', '--admin-password', 'correct horse 2'));
    expect(await signIn('gone', 'correct horse 2')).toEqual({ status: 200 });
    expect(await kind('project', 'delete', 'gone', '--yes')).toEqual({
      code: 0,
      out: "Project 'gone' is deleted.\n",
      err: '',
    });
    await expect.poll(() => signIn('gone', 'correct horse 2')).toEqual({ status: 401, code: 'project.unknown' });
    expect(await kind('project', 'show', 'gone')).toMatchObject({ code: 1, err: "error: No project 'gone'\n" });
    expect(await kind(...create('gone'))).toMatchObject({ code: 0 });
  });
});

describe('project migrate', () => {
  test('brings all projects, or some, up to date', async () => {
    await kind(...create('old'));
    expect(await json('project', 'migrate', '--all')).toContainEqual({ key: 'old', steps: 0, left_alone: [] });
    expect(await kind('project', 'migrate', 'old', 'demo')).toEqual({
      code: 0,
      out: 'old   up to date\ndemo  up to date\n',
      err: '',
    });
    expect(await kind('project', 'migrate', 'old', 'nope')).toMatchObject({
      code: 1,
      err: "error: No project 'nope'\n",
    });
  });

  test('names what it leaves alone; a rejected project does not affect the others', async () => {
    const query = (text: string) => service.database.run({ text, values: [] });
    await kind(...create('foreign'));
    await query('CREATE TABLE "project_foreign"."city_old" ("x" int)');
    await query('DROP TABLE "project_foreign"."link"');
    await kind(...create('drifted'));
    await query('ALTER TABLE "project_drifted"."_parameter" ALTER COLUMN "scale" TYPE text');
    expect(await kind('project', 'migrate', 'drifted', 'foreign')).toEqual({
      code: 1,
      out: 'foreign  2 changes made\nforeign: left alone: table city_old\n',
      err: "error: Project 'drifted' cannot be upgraded: column scale of _parameter is text, not bigint\n",
    });
    expect(await json('project', 'migrate', 'foreign')).toEqual([
      { key: 'foreign', steps: 0, left_alone: ['table city_old'] },
    ]);
  });
});

describe('usage', () => {
  const wrong = [
    [],
    ['project'],
    ['nope'],
    ['project', 'nope'],
    ['project', 'create'],
    ['project', 'create', 'a1', '--nope'],
    ['project', 'create', 'a1', '--label', ' '],
    ['project', 'list', 'more'],
    ['project', 'show'],
    ['project', 'set', 'demo'],
    ['project', 'set', 'demo', 'otp=yes'],
    ['project', 'set', 'demo', 'label='],
    ['project', 'set', 'demo', 'access_default=shut'],
    ['project', 'create', 'shut', '--access-default', 'shut'],
    ['access'],
    ['access', 'report'],
    ['project', 'set', 'demo', 'constructor=1'],
    ['project', 'set', 'demo', 'units=0'],
    ['project', 'set', 'demo', 'requests_per_second=1.5'],
    ['project', 'set', 'demo', 'storage=1kb'],
    ['project', 'set', 'demo', 'storage=lots'],
    ['project', 'set', 'demo', 'originals=nobody'],
    ['project', 'set', 'demo', 'file_url_seconds=59'],
    ['project', 'set', 'demo', 'file_url_seconds=604801'],
    ['project', 'delete', '--yes'],
    ['member'],
    ['member', 'set-password', 'demo'],
  ].map((argv) => ({ argv, shown: argv.join(' ') || '(nothing)' }));
  test.each(wrong)('is wrong: $shown', async ({ argv }) => {
    expect(await kind(...argv)).toEqual({ code: 2, out: '', err: expect.stringMatching(/\S/) as string });
  });

  test('names a setting that is given more than once', async () => {
    const { code, err } = await kind('project', 'set', 'demo', 'units=5', 'label=Twice', 'units=6');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/units is given more than once\./) as string });
  });

  test('names all settings that are wrong', async () => {
    const settings = ['otp=perhaps', 'units=0', 'label=Kept', 'colour=red', 'storage=lots', 'image_sizes=a,b'];
    const { code, err } = await kind('project', 'set', 'demo', ...settings);
    expect(code).toBe(2);
    const faults = err.split('\n').filter((line) => line.startsWith('error: '));
    expect(faults.map((fault) => fault.split(' is ')[0])).toEqual([
      'error: otp',
      'error: units',
      "error: 'colour=red'",
      'error: storage',
      "error: image_sizes: 'a': a size",
    ]);
    expect(await json('project', 'show', 'demo')).not.toMatchObject({ label: 'Kept' });
  });

  test.each(['create', 'list', 'show', 'set', 'delete', 'migrate'])(
    'project %s --help tells it, and of --json',
    async (name) => {
      const { code, out, err } = await kind('project', name, '--help');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`Usage: kind project ${name}`);
      expect(out).toContain('--json');
    },
  );
});
