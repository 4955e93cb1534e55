/** The key of stored secrets: which services start with it, how it is replaced, and what a restore elsewhere does. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { sealAnew } from '../../../src/catalog/project/sealed-values.js';
import { loadModel } from '../../../src/catalog/model/model-store.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { ConfigError } from '../../../src/config/config.js';
import type { ConnectionOptions } from '../../../src/database/connection/connection.js';
import { SecretBox } from '../../../src/shared/secret-box.js';
import { hookStatement, type HookRow } from '../../../src/sql/webhook/webhook.sql.js';
import { AuditLog } from '../../../src/tenancy/audit-log.js';
import { projectOf } from '../../../src/tenancy/project.js';
import { HookSecrets } from '../../../src/webhook/hook-secrets.js';
import { atEnd } from '../../support/at-end.js';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { commandsOn } from '../../support/command-line.js';
import { ok, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { filesOfRun, TestProject, type TestService } from '../../support/service.js';

/** That of services of the tests. */
const JWT_SECRET = 'another secret for tests, at least thirty-two characters';
const [FIRST, SECOND, STRANGE] = ['1', '2', '3'].map((each) => each.repeat(40)) as [string, string, string];
const folder = mkdtempSync(join(tmpdir(), 'kind-secrets-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);

type Keys = { readonly secretsKey?: string; readonly oldSecretsKeys?: readonly string[] };

const start = (connection: ConnectionOptions, keys: Keys = {}) => startServiceOn(connection, keys);
const commands = (connection: ConnectionOptions, { secretsKey, oldSecretsKeys }: Keys = {}) =>
  commandsOn(connection, filesOfRun(), {
    JWT_SECRET,
    AUDIT_LOG: path('audit.log'),
    ...(secretsKey !== undefined && { SECRETS_KEY: secretsKey }),
    ...(oldSecretsKeys && { SECRETS_KEY_OLD: oldSecretsKeys.join(', ') }),
  });

/** What the audit log says that commands have removed from a project. */
const dropped = (id: string) =>
  readFileSync(path('audit.log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ action, project }) => action === 'secret.dropped' && project === id)
    .map(({ kind, id: unit, field, by }) => ({ kind, id: unit, field, by }));

/** A project with a webhook, and a member with an authenticator app. */
async function withSecrets(made: TestProject) {
  const project = await withMembers(made);
  const hook = { id: 'erp', url: 'https://erp.example.com', headers: { 'x-key': 'canary' } };
  const { secret: signing } = (await ok(project.post('/webhook/unit', hook))) as { secret: string };
  const ann = await signUp(project, 'ann');
  const as = project.as(ann.accessToken);
  const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
  const code = (step: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + step * 30_000 });
  await ok(as.post('/auth/totp/confirm', { code: code(0) }));
  return { project, signing, ann, code };
}

/** The same caller at another service. */
const on = ({ service }: TestService, { id, token }: TestProject) => new TestProject(service, id, token);

async function hookOf({ service }: TestService, id: string) {
  const [row] = await service.database.run<HookRow>(hookStatement(`project_${id}`, 'erp'));
  if (!row) throw new Error('no webhook');
  const secrets = service.app.get(HookSecrets);
  return { row, secrets: secrets.secretsOf(id, row), headers: secrets.headersOf(id, row) };
}

describe('the key of stored secrets', () => {
  it('is noted by the first start; one with another key stops with one line, but not where the former one is given', async () => {
    const connection = await ownDatabase();
    const first = await start(connection);
    await first.service.stop();
    const other = start(connection, { secretsKey: FIRST });
    await expect(other).rejects.toThrow(ConfigError);
    await expect(other).rejects.toThrow(/^SECRETS_KEY: does not open the stored secrets of this database: set [^\n]+$/);
    // The key was derived from JWT_SECRET, which may change too then.
    const moved = await start(connection, { secretsKey: FIRST, oldSecretsKeys: [STRANGE, `jwt:${JWT_SECRET}`] });
    await moved.service.stop();
    // In a file, because it has a comma.
    writeFileSync(path('jwt'), `jwt:${JWT_SECRET}\n`);
    const rotate = commands(connection, { secretsKey: FIRST });
    expect(await rotate('secrets', 'rotate', '--secrets-key-file', path('jwt'))).toMatchObject({ code: 0, err: '' });
    await expect(start(connection)).rejects.toThrow(
      /^SECRETS_KEY: is not set, and the key that is derived from JWT_SECRET does not open/,
    );
    const both = await Promise.all([
      start(connection, { secretsKey: FIRST }),
      start(connection, { secretsKey: FIRST }),
    ]);
    expect(both).toHaveLength(2);
  }, 60_000);

  it('is not noted by a service that is refused, and by one of two that start at once on a database that has none', async () => {
    const connection = await ownDatabase();
    const first = await start(connection);
    await query(await first.project('one'), 'UPDATE kind.signing SET secrets_check = NULL');
    await first.service.stop();
    const started = await Promise.allSettled([
      start(connection, { secretsKey: FIRST }),
      start(connection, { secretsKey: SECOND }),
    ]);
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  }, 60_000);
});

describe('secrets rotate', () => {
  it('encrypts the secrets of all projects anew beside a service that knows both keys, and ends the former one', async () => {
    const connection = await ownDatabase();
    const before = await start(connection, { secretsKey: FIRST });
    const { project, signing } = await withSecrets(await before.project('one'));
    await withSecrets(await before.project('two'));
    await before.service.stop();

    const keys = { secretsKey: SECOND, oldSecretsKeys: [FIRST] };
    const during = await start(connection, keys);
    const rotated = await commands(connection, keys)('secrets', 'rotate', '--json');
    expect({ ...rotated, out: JSON.parse(rotated.out) as unknown }).toEqual({
      code: 0,
      err: '',
      out: {
        projects: [
          { project: 'boot', rotated: 0, closed: [] },
          { project: 'one', rotated: 3, closed: [] },
          { project: 'two', rotated: 3, closed: [] },
        ],
        removed: false,
      },
    });
    expect(await hookOf(during, project.id)).toMatchObject({
      secrets: [{ secret: signing }],
      headers: { 'x-key': 'canary' },
    });
    await during.service.stop();

    await expect(start(connection, { secretsKey: FIRST })).rejects.toThrow(/^SECRETS_KEY:/);
    const after = await start(connection, { secretsKey: SECOND });
    expect(await hookOf(after, project.id)).toMatchObject({
      secrets: [{ secret: signing }],
      headers: { 'x-key': 'canary' },
    });
  }, 120_000);

  it('goes on where it was cut off, and until then the former key is needed', async () => {
    const connection = await ownDatabase();
    const service = await start(connection, { secretsKey: FIRST });
    const { project, signing, ann, code } = await withSecrets(await service.project('one'));
    const other = await service.project('two');
    await query(other, 'ALTER TABLE $schema.webhook RENAME TO away');
    const keys = { secretsKey: SECOND, oldSecretsKeys: [FIRST] };
    const rotate = commands(connection, keys);
    const failed = await rotate('secrets', 'rotate');
    expect(failed).toMatchObject({ code: 1, out: 'one: 3 secrets encrypted anew\n' });
    expect(failed.err).toMatch(
      /^error: keep the former key, and run the command again when it is mended: two: [^\n]+\n$/,
    );
    await service.service.stop();
    await expect(start(connection, { secretsKey: SECOND })).rejects.toThrow(/^SECRETS_KEY:/);
    const during = await start(connection, keys);
    await query(on(during, other), 'ALTER TABLE $schema.away RENAME TO webhook');
    expect(await rotate('secrets', 'rotate')).toMatchObject({ code: 0, err: '' });
    await during.service.stop();
    const after = await start(connection, { secretsKey: SECOND });
    expect((await hookOf(after, project.id)).secrets).toEqual([{ secret: signing }]);
    const { username, password } = ann;
    const signedIn = anonymous(on(after, project)).post('/auth/signin', { username, password, otp: code(1) });
    expect(await ok(signedIn)).toMatchObject({ id: ann.id });
  }, 120_000);

  it('leaves what somebody else writes meanwhile, in pieces of any number', async () => {
    const connection = await ownDatabase();
    const started = await start(connection, { secretsKey: SECOND, oldSecretsKeys: [FIRST] });
    const project = await started.project();
    const { service } = started;
    const row = await service.app.get(Provisioning).get(project.id);
    const model = await loadModel(service.database, projectOf(row));
    const former = new SecretBox(FIRST);
    const box = new SecretBox(SECOND, [FIRST]);
    const ids = Array.from({ length: 1203 }, (_, at) => `h${at}`);
    const sealed = ids.map((id) => former.seal('s', [project.id, 'webhook', id, 'sealed_secrets']));
    await query(
      project,
      `INSERT INTO $schema.webhook (id, label, metadata, inserted_at, updated_at, url, operations, headers, active, state, waiting, failures, sealed_secrets)
       SELECT id, id, '{}', now(), now(), 'https://a.example', '{}', '{}', false, 'paused', 0, 0, s FROM unnest($1::text[], $2::text[]) AS t(id, s)`,
      [ids, sealed],
    );
    const newer = box.seal('newer', [project.id, 'webhook', 'h7', 'sealed_secrets']);
    const executor = service.database.ofProject(projectOf(row));
    const audit = service.app.get(AuditLog);
    let written = false;
    const between: typeof executor = {
      run: async (statement) => {
        if (statement.text.startsWith('UPDATE') && !written) {
          written = true;
          await query(project, `UPDATE $schema.webhook SET sealed_secrets = $1 WHERE id = 'h7'`, [newer]);
        }
        return executor.run(statement);
      },
    };
    const done = await sealAnew(between, { model, project: projectOf(row), box, drop: false, audit });
    expect(done).toEqual({ sealed: 1203, closed: [] });
    const rows = await query<{ id: string; value: string }>(
      project,
      'SELECT id, sealed_secrets AS value FROM $schema.webhook',
    );
    const current = new SecretBox(SECOND);
    const opened = rows.map(({ id, value }) => [
      id,
      current.open(value, [project.id, 'webhook', id, 'sealed_secrets']),
    ]);
    expect(opened.filter(([, secret]) => secret !== 's')).toEqual([['h7', 'newer']]);
  }, 60_000);

  it('names what no key opens and leaves it, or removes it: then the app is not asked for, and the webhook pauses', async () => {
    const connection = await ownDatabase();
    const service = await start(connection, { secretsKey: FIRST });
    const { project, ann } = await withSecrets(await service.project('one'));
    await service.service.stop();
    const lost = commands(connection, { secretsKey: SECOND });
    const refused = await lost('secrets', 'rotate');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^error: SECRETS_KEY: does not open [^\n]+"secrets rotate --drop-secrets"[^\n]+\n$/);

    // A former key in a file opens the check value, but not what was encrypted with yet another one.
    writeFileSync(path('former'), `jwt:${FIRST}\n\n`);
    const strange = new SecretBox(STRANGE).seal('x', ['one', 'webhook', 'erp', 'sealed_headers']);
    const side = await start(connection, { secretsKey: FIRST });
    await query(on(side, project), 'UPDATE $schema.webhook SET sealed_headers = $1', [strange]);
    const some = await lost('secrets', 'rotate', '--secrets-key-file', path('former'));
    expect(some).toEqual({
      code: 1,
      out: 'one: 2 secrets encrypted anew; 1 no key opens, and stay as they are: webhook erp (sealed_headers)\n2 projects done: former keys are not needed any more\n',
      err: 'error: 1 secret could not be opened\n',
    });
    await side.service.stop();

    const last = commands(connection, { secretsKey: STRANGE.toUpperCase() + 'x' });
    expect(dropped('one')).toEqual([]);
    expect(await last('secrets', 'rotate', '--drop-secrets')).toMatchObject({ code: 0, err: '' });
    const by = { command: true, user: userInfo().username };
    expect(dropped('one')).toEqual([
      { kind: 'kind_system_user', id: expect.any(String) as string, field: 'totp_secret', by },
      { kind: 'webhook', id: 'erp', field: 'sealed_secrets', by },
      { kind: 'webhook', id: 'erp', field: 'sealed_headers', by },
    ]);
    const after = await start(connection, { secretsKey: STRANGE.toUpperCase() + 'x' });
    const { row } = await hookOf(after, 'one');
    expect([row.secrets, row.header_values]).toEqual([null, null]);
    const { username, password } = ann;
    const signedIn = anonymous(on(after, project)).post('/auth/signin', { username, password });
    expect(await ok(signedIn)).toMatchObject({ id: ann.id });
  }, 120_000);
});

describe('a restore on a service with another key', () => {
  it('is refused, with nothing left, unless the key is given or the secrets are left out', async () => {
    const [here, there] = [await ownDatabase(), await ownDatabase()];
    const service = await start(here, { secretsKey: FIRST });
    const { signing, ann, code } = await withSecrets(await service.project('one'));
    const file = path('one.tar.gz');
    expect((await commands(here, { secretsKey: FIRST })('project', 'backup', 'one', file)).code).toBe(0);

    const elsewhere = await start(there, { secretsKey: SECOND });
    const kind = commands(there, { secretsKey: SECOND });
    const refused = await kind('project', 'restore', file);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      /^error: \S+one\.tar\.gz: 3 secrets in it cannot be read here, encrypted with another SECRETS_KEY: kind_system_user [^\n]+ \(totp_secret\), webhook erp \(sealed_secrets\), webhook erp \(sealed_headers\)\. Give the file with that key \(--secrets-key-file\), or [^\n]+\n$/,
    );
    expect((await kind('project', 'list')).out).not.toContain('one');

    writeFileSync(path('key'), FIRST);
    expect((await kind('project', 'restore', file, '--as', 'opened', '--secrets-key-file', path('key'))).err).toBe('');
    expect(await hookOf(elsewhere, 'opened')).toMatchObject({
      secrets: [{ secret: signing }],
      headers: { 'x-key': 'canary' },
    });
    expect((await kind('project', 'restore', file, '--as', 'dropped', '--drop-secrets')).err).toBe('');
    expect(dropped('dropped').map(({ kind: of, field }) => [of, field])).toEqual([
      ['kind_system_user', 'totp_secret'],
      ['webhook', 'sealed_secrets'],
      ['webhook', 'sealed_headers'],
    ]);
    expect(await hookOf(elsewhere, 'dropped')).toMatchObject({ secrets: undefined, row: { header_values: null } });
    const { username, password } = ann;
    const signIn = async (id: string, otp?: string) =>
      ok(anonymous(await elsewhere.signIn(id)).post('/auth/signin', { username, password, otp }));
    expect(await signIn('opened')).toBeNull();
    expect(await signIn('opened', code(1))).toMatchObject({ id: ann.id });
    expect(await signIn('dropped')).toMatchObject({ id: ann.id });

    // A command with another key than that of the services would make secrets that these cannot read.
    const strange = commands(there, { secretsKey: STRANGE, oldSecretsKeys: [FIRST] });
    expect((await strange('project', 'restore', file, '--as', 'strange')).err).toMatch(/^error: SECRETS_KEY: /);
    expect((await kind('project', 'restore', file, '--secrets-key-file', path('none'))).err).toMatch(
      /^error: --secrets-key-file: \S+none cannot be read: /,
    );
    writeFileSync(path('short'), 'short');
    expect((await kind('project', 'restore', file, '--secrets-key-file', path('short'))).err).toContain(
      'wants a key of at least 32 characters',
    );
  }, 120_000);
});
