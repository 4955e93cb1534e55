/** Backups: what was backed up comes back as it was, and what is not as it was written is refused before anything is. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { TarSink, TarSource } from '../../../src/cli/transfer/archive-tar.js';
import { runCommandLine } from '../../../src/cli/run.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { ProjectStore } from '../../../src/tenancy/project-store.js';
import { projectOf as projectRow } from '../../../src/tenancy/project.js';
import { ProviderStore } from '../../../src/auth/provider/provider-store.js';
import { newId } from '../../../src/shared/new-id.js';
import { findIdentityStatement, insertIdentityStatement } from '../../../src/sql/member/identity.sql.js';
import { isContent } from '../../../src/transfer/project/archive.js';
import { loadConfig } from '../../../src/config/config.js';
import type { ArchiveWriter } from '../../../src/transfer/project/archive.js';
import { ArchiveReader } from '../../../src/transfer/project/archive.reader.js';
import { EntryWriter } from '../../../src/transfer/project/archive.writer.js';
import { ProjectExportService } from '../../../src/transfer/project/project-export.service.js';
import { ProjectImportService } from '../../../src/transfer/project/project-import.service.js';
import { atEnd } from '../../support/at-end.js';
import {
  contentsOf,
  headerOf,
  partsOf,
  timesOf,
  withManifest,
  writeBackup,
  type Parts,
  type TarHeader,
} from '../../support/backup-files.js';
import { Authenticator } from '../../support/authenticator.js';
import { asAdministrator, defineKinds, signUp, withMembers } from '../../support/callers.js';
import { compiled } from '../../support/compiled.js';
import { createdId, expectNoDrift, ok, query } from '../../support/definitions.js';
import { makeKey } from '../../support/keys.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import { TestProject } from '../../support/service.js';
import { SECRET } from '../../../src/config/config.js';
import { hookStatement, type HookRow } from '../../../src/sql/webhook/webhook.sql.js';
import { HookSecrets } from '../../../src/webhook/hook-secrets.js';
import { sideConnection } from '../../support/side-connection.js';
import { VERIFIES_SINCE, wholeProject } from '../../support/whole-project.js';

const connection = await ownDatabase();
const folder = mkdtempSync(join(tmpdir(), 'kind-backups-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const settingsOf = (url: string) => ({ DATABASE_URL: url, LOG_LEVEL: 'fatal', DATA_DIR: folder });
const config = loadConfig(settingsOf(urlOf(connection)), folder);
const service = await startServiceOn(connection, { files: config.files });

async function run(settings: typeof config, argv: readonly string[]) {
  let out = '';
  let err = '';
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const code = await runCommandLine(argv, terminal, () => settings);
  return { code, out, err };
}
const kind = (...argv: string[]) => run(config, argv);

/** Changes a bit of one byte. */
function flip(bytes: Buffer, at: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
}

const path = (name: string) => join(folder, name);
const projectOf = (id: string) => new TestProject(service.service, id, undefined);
const provisioning = service.service.app.get(Provisioning);

/** What there is of a project: its row of the registry, and its schema. */
async function traces(id: string): Promise<unknown[]> {
  const [schema] = await query(projectOf(id), 'SELECT nspname FROM pg_namespace WHERE nspname = $1', [`project_${id}`]);
  const [row] = await query(projectOf(id), 'SELECT id FROM kind.project WHERE id = $1', [id]);
  return [schema, row].filter((each) => each !== undefined);
}

const source = await wholeProject(await service.project());
await makeKey(await asAdministrator(source), { label: 'robot' });
const first = path('first.tar.gz');
const made = await kind('project', 'backup', source.id, first);

describe('a backup', () => {
  it('has the contents of files, unless it is made without them', async () => {
    const project = await service.project('filed');
    await defineKinds(project, {
      id: 'note',
      parameters: [{ id: 'picture', kind_id: 'unit', reference_kind: 'file', own: true }],
    });
    const contents = [Buffer.alloc(0), Buffer.from('short'), Buffer.alloc(300_000, 'long ')];
    const ids: string[] = [];
    for (const content of contents) {
      ids.push(await createdId(project.post('/file/unit', { name: 'a.txt', content: content.toString('base64') })));
    }
    await ok(project.post('/note/unit', { picture: ids[1] }));
    await kind('project', 'backup', 'filed', path('filed.tar.gz'));
    await kind('project', 'backup', 'filed', path('rows.tar.gz'), '--without-files');
    await kind('project', 'delete', 'filed', '--yes');
    for (const name of ['filed', 'rows']) {
      const restored = await kind('project', 'restore', path(`${name}.tar.gz`), '--as', name);
      expect(restored).toMatchObject({ code: 0, err: '' });
      const of = await asAdministrator(projectOf(name));
      for (const [at, id] of ids.entries()) {
        const { status, text } = await of.get(`/file/unit/${id}/content`);
        if (name === 'filed') expect([status, text]).toEqual([200, contents[at]?.toString()]);
        // An empty content needs no object.
        else expect(status).toBe(at === 0 ? 200 : 503);
      }
      expect(await query(of, 'SELECT bytes::int, epoch > 1 AS raised FROM $schema."_files"')).toEqual([
        { bytes: 300_005, raised: true },
      ]);
    }
    const bytes = readFileSync(path('filed.tar.gz'));
    flip(bytes, bytes.length - 1000);
    writeFileSync(path('flipped.tar.gz'), bytes);
    expect(await kind('project', 'restore', path('flipped.tar.gz'), '--as', 'flipped')).toMatchObject({ code: 1 });
    expect(await traces('flipped')).toEqual([]);
  });

  it('has passkeys, which sign in to what is restored, until its domain is another', async () => {
    const origin = 'https://app.example.com';
    const domain = ['passkey_domain=example.com', `passkey_origins=${origin}`];
    const project = await withMembers(await service.project('keyed'));
    expect(await kind('project', 'set', 'keyed', ...domain)).toMatchObject({ code: 0, err: '' });
    service.service.app.get(ProjectStore).forget('keyed');
    const device = new Authenticator(origin);
    const member = await signUp(project, 'ann');
    const as = project.as(member.accessToken);
    const creation = await ok(as.post('/auth/passkey/options', {}));
    const { challenge_id } = creation;
    await ok(as.post('/auth/passkey', { challenge_id, response: device.create(creation.options) }));
    await kind('project', 'backup', 'keyed', path('keyed.tar.gz'));
    expect(await kind('project', 'restore', path('keyed.tar.gz'), '--as', 'rekeyed')).toMatchObject({ code: 0 });
    const restored = projectOf('rekeyed');
    const request = await ok(restored.post('/auth/passkey/signin/options', {}));
    const answer = { challenge_id: request.challenge_id, response: device.get(request.options) };
    expect(await ok(restored.post('/auth/passkey/signin', answer))).toMatchObject({ id: member.id });

    // The same domain takes nothing away.
    expect(await kind('project', 'set', 'rekeyed', ...domain)).toMatchObject({ code: 0, err: '' });
    const other = ['project', 'set', 'rekeyed', 'passkey_domain=example.org'];
    expect(await kind(...other)).toMatchObject({
      code: 1,
      err: 'error: 1 passkey of members is for example.com and could not be used any more; --yes says that you mean it\n',
    });
    expect(await kind(...other, '--yes')).toMatchObject({ code: 0, err: '' });
  });

  it('has the numbers of units, and the sequence goes on after the highest', async () => {
    const project = await withMembers(await service.project('numbered'));
    await defineKinds(project, {
      id: 'note',
      parameters: [
        { id: 'number', kind_id: 'integer', sequence: true, own: true },
        { id: 'made_at', kind_id: 'datetime', default_datetime: '@now' },
        { id: 'maker', kind_id: 'unit', reference_kind: 'person', default_unit: '@member.id' },
      ],
    });
    const keyed = project.as((await makeKey(project)).secret);
    const { items } = await ok(project.post('/note/unit', [{}, {}, {}]));
    await ok(project.delete(`/note/unit/${items[0].id}`));
    await kind('project', 'backup', 'numbered', path('numbered.tar.gz'));
    expect(await kind('project', 'restore', path('numbered.tar.gz'), '--as', 'renumbered')).toMatchObject({ code: 0 });
    await kind('project', 'delete', 'numbered', '--yes');
    await kind('project', 'restore', path('numbered.tar.gz'), '--as', 'numbered');
    await vi.waitUntil(async () => (await keyed.get('/note/unit?limit=0')).status === 200, { timeout: 5000 });
    expect(await ok(keyed.get('/note/unit?include=number&order=number'))).toMatchObject({
      items: [{ number: 2 }, { number: 3 }],
    });
    const unit = await ok(keyed.post('/note/unit', {}));
    expect(unit).toMatchObject({ number: 4, made_at: unit.inserted_at });
    expect(await ok(keyed.get('/integer/unit/note.number'))).toMatchObject({ own: true });
    for (const id of ['numbered', 'renumbered']) await expectNoDrift(projectOf(id));
    expect(await kind('project', 'migrate', 'numbered')).toMatchObject({ code: 0 });
    expect(await ok(keyed.post('/note/unit', {}))).toMatchObject({ number: 5 });
  });

  it('has the histories, and readers of the feed begin again', async () => {
    const project = await withMembers(await service.project('kept'));
    await defineKinds(project, {
      id: 'note',
      changes: 'history',
      parameters: [
        { id: 'text', kind_id: 'string' },
        { id: 'tags', kind_id: 'json', multiple: true },
      ],
    });
    const id = await createdId(project.post('/note/unit', { text: 'a', tags: [[1], {}] }));
    await ok(project.put(`/note/unit/${id}`, { text: 'b', tags: null }));
    const keyed = project.as((await makeKey(project)).secret);
    const before = (await ok(keyed.get(`/note/unit/${id}/history`))) as { items: { version: number }[] };
    const { next } = await ok(keyed.get('/changes?kinds=[note]'));
    await kind('project', 'backup', 'kept', path('kept.tar.gz'));
    await kind('project', 'delete', 'kept', '--yes');
    expect(await kind('project', 'restore', path('kept.tar.gz'))).toMatchObject({ code: 0 });
    await vi.waitUntil(async () => (await keyed.get('/note/unit?limit=0')).status === 200, { timeout: 5000 });
    expect(await ok(keyed.get(`/note/unit/${id}/history`))).toEqual(before);
    expect((await keyed.get(`/changes?kinds=[note]&since=${next}`)).status).toBe(410);
    expect(await ok(keyed.get('/changes?kinds=[note]&since='))).toMatchObject({ count: 0 });
    const version = before.items.at(-1)?.version;
    await ok(keyed.post(`/note/unit/${id}/revert`, { version }));
    expect(await ok(keyed.get(`/note/unit/${id}`))).toMatchObject({ text: 'a', tags: [[1], {}] });
    expect(await ok(keyed.get(`/note/unit/${id}/history`))).toMatchObject({
      count: 3,
      items: [{ via: 'revert' }, {}, {}],
    });
    expect(await ok(keyed.get('/changes?kinds=[note]&since='))).toMatchObject({ count: 1 });
  });

  it('has webhooks, whose secrets are encrypted anew in another project', async () => {
    const project = await service.project('hooked');
    const settings = { ...config, jwtSecret: service.service.app.get<string>(SECRET) };
    const { secret } = (await ok(
      project.post('/webhook/unit', { id: 'erp', url: 'https://erp.example.com', headers: { 'x-key': 'canary' } }),
    )) as { secret: string };
    expect(await run(settings, ['project', 'backup', 'hooked', path('hooked.tar.gz')])).toMatchObject({ code: 0 });
    expect(await run(settings, ['export', 'hooked', path('hooked')])).toMatchObject({ code: 0 });
    const text = [...(await contentsOf(path('hooked.tar.gz'))).values()].join();
    expect(text).toContain('erp.example.com');
    expect(text).not.toMatch(/canary|whsec_/);
    expect(readFileSync(join(path('hooked'), 'kinds/webhook.ndjson'), 'utf8')).not.toContain('sealed');
    expect(await run(settings, ['project', 'restore', path('hooked.tar.gz'), '--as', 'hooked2'])).toMatchObject({
      code: 0,
    });
    const [row] = await service.service.database.run<HookRow>(hookStatement('project_hooked2', 'erp'));
    const secrets = service.service.app.get(HookSecrets);
    expect(row && secrets.secretsOf('hooked2', row)).toEqual([{ secret }]);
    expect(row && secrets.headersOf('hooked2', row)).toEqual({ 'x-key': 'canary' });
    expect(row && secrets.secretsOf('hooked', row)).toBeUndefined();
    // They are looked for as soon as something may run by itself in it.
    const work = `SELECT project FROM kind.work WHERE type = 'follow' AND project = 'hooked2'`;
    expect(await service.service.database.run({ text: work, values: [] })).toEqual([{ project: 'hooked2' }]);
    // What is in the histories is not sent again.
    const [follower] = await query<{ ahead: boolean }>(
      projectOf('hooked2'),
      'SELECT r.seq >= f.last AS ahead FROM $schema._follower AS r, $schema._feed AS f',
    );
    expect(follower).toEqual({ ahead: true });
  });

  it('has identity providers and identities, in another project too; an export has no secret', async () => {
    const project = await withMembers(await service.project('idp'));
    const settings = { ...config, jwtSecret: service.service.app.get<string>(SECRET) };
    const provider = { label: 'IdP', issuer: 'https://idp.example.com', client_id: 'a', client_secret: 'canary' };
    await ok(project.post('/identity_provider/unit', { id: 'idp', ...provider, member_kind: 'person' }));
    const ann = await signUp(project, 'ann');
    const identity = {
      id: newId(),
      provider: 'idp',
      member: ann.id,
      issuer: provider.issuer,
      subject: 'a',
      email: null,
    };
    await service.service.database.run(insertIdentityStatement('project_idp', identity));
    expect(await run(settings, ['project', 'backup', 'idp', path('idp.tar.gz')])).toMatchObject({ code: 0 });
    expect(await run(settings, ['export', 'idp', path('idp')])).toMatchObject({ code: 0 });
    const text = [...(await contentsOf(path('idp.tar.gz'))).values()].join();
    expect(text).toContain('idp.example.com');
    expect(text).not.toContain('canary');
    expect(readFileSync(join(path('idp'), 'kinds/identity_provider.ndjson'), 'utf8')).not.toContain('secret');
    expect(existsSync(join(path('idp'), 'kinds/identity.ndjson'))).toBe(false);
    expect(await run(settings, ['project', 'restore', path('idp.tar.gz'), '--as', 'idp2'])).toMatchObject({ code: 0 });
    const { app, database } = service.service;
    const copy = projectRow(await app.get(Provisioning).get('idp2'));
    expect(await app.get(ProviderStore).active(copy, 'idp')).toMatchObject({
      issuer: provider.issuer,
      client_secret: 'canary',
    });
    const key = { issuer: provider.issuer, subject: 'a' };
    expect(await database.run(findIdentityStatement('project_idp2', key))).toEqual([
      { id: identity.id, provider: 'idp', member_id: ann.id },
    ]);
  });

  it('is one file that only its owner may read', () => {
    expect(made).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(
        /^6 kinds, \d+ units and 3 links to .*first\.tar\.gz\. It has password hashes: /,
      ) as string,
    });
    expect(statSync(first).mode & 0o077).toBe(0);
    expect(readdirSync(folder)).not.toContain('first.tar.gz.part');
    expect(headerOf(first)).toMatchObject({ format: 'kind-backup', version: 1, project: source.id });
  });

  it('takes no draft that is there: others may read it, or it leads elsewhere', async () => {
    const [file, other] = [path('again.tar.gz'), path('other.txt')];
    writeFileSync(other, 'of somebody else');
    symlinkSync(other, `${file}.part`);
    expect(await kind('project', 'backup', source.id, file)).toMatchObject({ code: 0, err: '' });
    expect([readFileSync(other, 'utf8'), lstatSync(file).isFile()]).toEqual(['of somebody else', true]);
    writeFileSync(`${file}.part`, 'left', { mode: 0o644 });
    expect(await kind('project', 'backup', source.id, file)).toMatchObject({ code: 0, err: '' });
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it('has hidden values, hashes of passwords and API keys, but no sessions and kept answers', async () => {
    const contents = await contentsOf(first);
    expect(contents.get('kinds/team.ndjson')).toContain('"secret":"s\\u0001"');
    expect(contents.get('kinds/kind_system_user.ndjson')?.match(/"password_hash":"\$argon2/g)).toHaveLength(3);
    expect(contents.get('kinds/api_key.ndjson')).toMatch(/"secret_hash":"[\w-]{43}"/);
    expect(
      [...contents.keys()].filter((name) => !/^(?:definitions|kinds|links|history)\/[a-z_]+\.ndjson$/.test(name)),
    ).toEqual(['manifest.json']);
  });

  it('comes back under another id as it was, with the times, settings and limits', async () => {
    const restored = await kind('project', 'restore', first, '--as', 'copy');
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(restored.out).toMatch(
      /^Project 'copy', as of \d{4}-.*Z: 6 kinds, \d+ units and 3 links from .*\nIts 1 API key cannot be used: the secret of a key names the project '\w+'\. Create new ones: key create\nNothing runs by itself in it yet: project set copy background=on\n$/,
    );
    expect(await kind('project', 'backup', 'copy', path('second.tar.gz'))).toMatchObject({ code: 0 });
    const [before, after] = [await contentsOf(first), await contentsOf(path('second.tar.gz'))];
    expect([...after.keys()]).toEqual([...before.keys()]);
    const [manifest, restoredManifest] = [before, after].map((each) => {
      const { backup, project, ...other } = JSON.parse(each.get('manifest.json') ?? '') as Record<string, object>;
      return { ...other, ...backup, ...project };
    });
    for (const [name, text] of before) if (name !== 'manifest.json') expect(after.get(name), name).toBe(text);
    expect(restoredManifest).toEqual({
      ...manifest,
      verifies_since: VERIFIES_SINCE,
      id: 'copy',
      settings: { ...(manifest as { settings?: object }).settings, background: false },
      exported_at: expect.any(String) as string,
      sha256: expect.any(String) as string,
      model_version: Number((manifest as { model_version?: number }).model_version) + 1,
    });
    const [shown, copied] = await Promise.all(
      [source.id, 'copy'].map(async (id) => (await kind('project', 'show', id, '--json')).out),
    );
    expect(JSON.parse(copied ?? '')).toEqual({
      ...JSON.parse(shown ?? ''),
      key: 'copy',
      background: 'off',
      schema: 'project_copy',
      model_version: expect.any(Number) as number,
      stored: expect.any(String) as string,
    });
    await expectNoDrift(projectOf('copy'));
  });

  it('runs nothing by itself, unless it is asked to', async () => {
    const recovered = await kind('project', 'restore', first, '--as', 'recovered', '--background', 'on');
    expect([recovered.code, recovered.out]).toEqual([0, expect.not.stringContaining('background') as string]);
    const backgroundOf = async (id: string) =>
      (JSON.parse((await kind('project', 'show', id, '--json')).out) as { background: string }).background;
    expect(await Promise.all([source.id, 'copy', 'recovered'].map(backgroundOf))).toEqual(['on', 'off', 'on']);
    expect((await kind('project', 'set', 'copy', 'background=yes')).err).toContain('background is on or off');
    expect((await kind('project', 'set', 'copy', 'background=on')).code).toBe(0);
    expect(await backgroundOf('copy')).toBe('on');
    expect((await kind('project', 'restore', first, '--as', 'other', '--background', 'maybe')).code).toBe(2);
  });

  it('tells its moment by the clock of the database, as the time of its files too', async () => {
    const before = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2001-01-01') });
    const { out } = await kind('project', 'backup', source.id, path('moment.tar.gz'), '--json');
    vi.useRealTimers();
    const { backed_up_at: moment } = JSON.parse(out) as { backed_up_at: string };
    expect(moment).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(Date.parse(moment)).toBeGreaterThanOrEqual(before);
    const manifest = JSON.parse((await contentsOf(path('moment.tar.gz'))).get('manifest.json') ?? '') as object;
    expect(manifest).toMatchObject({ exported_at: moment });
    expect(await timesOf(path('moment.tar.gz'))).toEqual([`${moment.slice(0, 19)}.000Z`]);
  });

  it('has the same answers in REST, numbers of units included', async () => {
    const [one, other] = [await asAdministrator(source), await asAdministrator(projectOf('copy'))];
    for (const list of [
      '/kind/unit',
      '/group/unit',
      '/link/unit',
      '/thing/unit',
      '/player/unit',
      '/person/unit',
      '/kind_admin/unit',
    ]) {
      expect((await other.get(`${list}?limit=1000`)).body, list).toEqual((await one.get(`${list}?limit=1000`)).body);
    }
    const walked = '/player/unit/2/link/parent?load_links=true';
    expect((await other.get(walked)).body).toEqual((await one.get(walked)).body);
  });

  it('comes back into another server, which has never been used', async () => {
    const elsewhere = loadConfig(settingsOf(urlOf(await ownDatabase())), folder);
    expect(await run(elsewhere, ['project', 'restore', first])).toMatchObject({ code: 0, err: '' });
    const { out } = await run(elsewhere, ['project', 'list', '--long', '--json']);
    expect(JSON.parse(out)).toMatchObject([
      { key: source.id, label: 'The "whole"', units: 5000, access_default: 'closed' },
    ]);
  });
});

it('a service that runs serves a project that comes back: members sign in, keys work, large values are whole', async () => {
  const project = await withMembers(await service.project('moved'));
  await defineKinds(project, { id: 'note', parameters: [{ id: 'content', kind_id: 'text' }] });
  // More than a part has: a large unit, and many small ones.
  const large = `"\\ é🙂${'0123456789'.repeat(300_000)}`;
  await ok(
    project.post('/note/unit', [
      { content: large },
      ...Array.from({ length: 999 }, (_, n) => ({ content: `${n}${'x'.repeat(2000)}` })),
    ]),
  );
  const ann = await signUp(project, 'ann');
  const key = await makeKey(project);
  const keyed = project.as(key.secret);
  const list = async () => (await keyed.get('/note/unit?limit=1000&order=content')).body;
  const before = await list();
  await kind('project', 'backup', 'moved', path('moved.tar.gz'));
  expect(
    [...(await partsOf(path('moved.tar.gz'))).keys()].filter((name) => name.startsWith('kinds/note/')).length,
  ).toBeGreaterThan(2);
  expect((await kind('project', 'delete', 'moved', '--yes')).code).toBe(0);
  expect((await keyed.get('/note/unit')).status).toBe(401);
  expect(await kind('project', 'restore', path('moved.tar.gz'), '--json')).toMatchObject({ code: 0 });
  await vi.waitUntil(async () => (await keyed.get('/note/unit?limit=0')).status === 200, { timeout: 5000 });
  expect(await list()).toEqual(before);
  const signIn = { username: 'ann', password: ann.password };
  expect((await projectOf('moved').post('/auth/signin', signIn)).status).toBe(200);
  // Sessions are not in a backup.
  expect((await project.as(ann.accessToken).get('/note/unit')).status).toBe(401);
});

describe('one moment', () => {
  /** Runs `between` when the snapshot is taken and nothing is read yet. */
  async function backupWith(id: string, file: string, between: () => Promise<void>): Promise<void> {
    const backup = new EntryWriter(new TarSink(file, id));
    let ran = false;
    const writer: ArchiveWriter = {
      async open(name) {
        if (!ran) await between();
        ran = true;
        return backup.open(name);
      },
      content: (name, bytes, content) => backup.content(name, bytes, content),
      finish: (manifest) => backup.finish(manifest),
      discard: () => backup.discard(),
    };
    const options = { passwords: true, backup: true, onStart: () => undefined, onProgress: () => undefined };
    await service.service.app.get(ProjectExportService).export(await provisioning.get(id), writer, options);
  }

  it('is what a backup has, while units, links, members and kinds are written', async () => {
    const project = await withMembers(await service.project('busy'));
    await defineKinds(project, { id: 'city', parameters: [{ id: 'name', kind_id: 'string' }] });
    const [rome, oslo] = [
      await createdId(project.post('/city/unit', { name: 'Rome' })),
      await createdId(project.post('/city/unit', { name: 'Oslo' })),
    ];
    await ok(project.post(`/city/unit/${rome}/link/link/city/unit/${oslo}`));
    await backupWith('busy', path('quiet.tar.gz'), () => Promise.resolve());
    await backupWith('busy', path('busy.tar.gz'), async () => {
      await ok(project.post('/city/unit', [{ name: 'Bern' }, { name: 'Riga' }]));
      await ok(project.put(`/city/unit/${rome}`, { name: 'Roma' }));
      await ok(project.delete(`/city/unit/${oslo}`));
      await signUp(project, 'bob');
      await defineKinds(project, { id: 'later', parameters: ['name'] });
    });
    const [quiet, busy] = [await contentsOf(path('quiet.tar.gz')), await contentsOf(path('busy.tar.gz'))];
    for (const each of [quiet, busy]) each.delete('manifest.json');
    expect(busy).toEqual(quiet);
    expect(quiet.get('kinds/city.ndjson')).toContain('Oslo');
    expect(await kind('project', 'restore', path('busy.tar.gz'), '--as', 'calm')).toMatchObject({ code: 0, err: '' });
    // A label that is the id, as by default, is not kept.
    expect((await provisioning.get('calm')).label).toBe('calm');
    const calm = await asAdministrator(projectOf('calm'));
    expect(await ok(calm.get('/city/unit?limit=0'))).toEqual({ count: 2, items: [] });
    await expectNoDrift(calm);
  });

  it('is given up without a file if the disk cannot be written, or the project is gone', async () => {
    expect(await kind('project', 'backup', source.id, path('nowhere/x.tar.gz'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^error: .*x\.tar\.gz cannot be written: ENOENT/) as string,
    });
    expect((await kind('project', 'backup', source.id, path('first.tar.gz/x'))).err).toContain('ENOTDIR');
    expect(await kind('project', 'backup', 'nobody', path('x.tar.gz'))).toMatchObject({
      code: 1,
      err: "error: No project 'nobody'\n",
    });
    expect(existsSync(path('x.tar.gz'))).toBe(false);
    expect((await kind('project', 'backup', source.id)).code).toBe(2);
    const read = vi.spyOn(ProjectExportService.prototype, 'export');
    expect(await kind('project', 'backup', source.id, folder)).toEqual({
      code: 1,
      out: '',
      err: `error: ${folder} is a folder: name a file in it\n`,
    });
    expect((await kind('project', 'backup', source.id, '')).err).toMatch(/^error: the name of the file is empty/);
    expect(read).not.toHaveBeenCalled();
    read.mockRestore();
    expect(existsSync(`${folder}.part`)).toBe(false);
  });
});

describe('a restore is refused in a line, before anything is written,', () => {
  const bytes = readFileSync(first);
  async function refused(file: string, ...more: string[]): Promise<string> {
    const answer = await kind('project', 'restore', file, '--as', 'refused', ...more);
    expect(answer).toMatchObject({ code: 1, out: '' });
    expect(answer.err.trim().split('\n')).toHaveLength(1);
    expect(await traces('refused')).toEqual([]);
    return answer.err;
  }

  it.each<[string, number, RegExp]>([
    ['nothing', 0, /is no backup of a project/],
    ['some bytes', 8, /is no backup of a project/],
    ['its first words', 300, /was cut off/],
    ['half of it', Math.floor(bytes.length / 2), /was cut off/],
    ['all but its checksum', bytes.length - 92, /was cut off/],
    ['all but a byte', bytes.length - 1, /was cut off/],
  ])('of a file of which only %s is left', async (_, length, text) => {
    writeFileSync(path('cut.tar.gz'), bytes.subarray(0, length));
    expect(await refused(path('cut.tar.gz'))).toMatch(text);
  });

  it('of a file to which something was added', async () => {
    writeFileSync(path('longer.tar.gz'), Buffer.concat([bytes, Buffer.from('x')]));
    expect(await refused(path('longer.tar.gz'))).toMatch(/was cut off, or written over/);
    writeFileSync(path('twice.tar.gz'), Buffer.concat([bytes, bytes]));
    expect(await refused(path('twice.tar.gz'))).toMatch(/was altered/);
  });

  it('of a file with one other byte, wherever it is', async () => {
    const changed = Buffer.from(bytes);
    const ends = Array.from({ length: 100 }, (_, n) => [n, bytes.length - 1 - n]).flat();
    const others = Array.from({ length: 60 }, (_, n) => 100 + Math.floor(((bytes.length - 200) * n) / 60));
    for (const at of [...ends, ...others]) {
      flip(changed, at);
      writeFileSync(path('altered.tar.gz'), changed);
      await expect(
        ArchiveReader.open(new TarSource(path('altered.tar.gz')), () => undefined),
        `byte ${at}`,
      ).rejects.toThrow(/altered|cut off|no backup|newer/);
      flip(changed, at);
    }
    flip(changed, Math.floor(bytes.length / 2));
    writeFileSync(path('altered.tar.gz'), changed);
    expect(await refused(path('altered.tar.gz'))).toMatch(
      /^error: .*altered\.tar\.gz: it was altered after it was written\n$/,
    );
  });

  const forged = async (change: (parts: Map<string, string>) => Parts, header: object = {}) => {
    await writeBackup(path('forged.tar.gz'), { ...headerOf(first), ...header }, change(await partsOf(first)));
    return refused(path('forged.tar.gz'));
  };
  it('of a newer format or release', async () => {
    expect(await forged((parts) => parts, { version: 2, release: '9.0.0' })).toMatch(
      /written by release 9\.0\.0, which is newer than this one \(.*\): use that/,
    );
    expect(await forged((parts) => parts, { built_in: 1000 })).toMatch(/which is newer/);
    expect(await forged((parts) => withManifest(parts, (each) => ({ ...each, built_in: 1000 })))).toMatch(
      /which is newer/,
    );
  });

  it('of other contents than its manifest has', async () => {
    const without = (parts: Map<string, string>) => (parts.delete('links/plays/000001.ndjson'), parts);
    expect(await forged(without)).toMatch(/links\/plays\.ndjson was cut off: it has 0 bytes of \d+/);
    expect(
      await forged((parts) =>
        parts.set(
          'kinds/team/000001.ndjson',
          (parts.get('kinds/team/000001.ndjson') ?? '').replace('"xmin":7', '"xmin":8'),
        ),
      ),
    ).toMatch(/kinds\/team\.ndjson was altered/);
    expect(await forged((parts) => (parts.delete('manifest.json'), parts))).toMatch(/it was altered/);
    expect(await forged((parts) => parts.set('manifest.json', '{}'))).toMatch(/not the manifest/);
    expect(await forged((parts) => withManifest(parts, ({ backup: _, ...each }) => each))).toMatch(/it is no backup/);
    const strange: object[] = [
      { files: undefined },
      { files: [null] },
      { project: undefined },
      { backup: { model_version: null } },
      { exported_at: '2026-01-01\u001b[2J' },
    ];
    for (const change of strange) {
      const manifest = (parts: Map<string, string>) => withManifest(parts, (each) => ({ ...each, ...change }));
      expect(await forged(manifest)).toMatch(/not the manifest/);
    }
    const strangeOfProject: object[] = [
      { settings: { units: 'many' } },
      { settings: { units: -5 } },
      { settings: { imageSizes: 'thumb:0x0:cover' } },
      { settings: { imageSizes: 5 } },
      { settings: { originals: 'nobody' } },
      { access_default: 'ajar' },
    ];
    for (const change of strangeOfProject) {
      const project = (parts: Map<string, string>) =>
        withManifest(parts, (each) => ({ ...each, project: { ...(each.project as object), ...change } }));
      expect(await forged(project)).toMatch(/not the manifest/);
    }
  });

  it('of a header or manifest with other texts than a backup has, which would be shown or stored', async () => {
    for (const [field, value] of Object.entries({ release: '9\u001b[2J', project: 'a\u001b[2J', built_in: '20' })) {
      expect(await forged((parts) => parts, { [field]: value })).toContain(
        `forged.tar.gz: its header was altered: '${field}' is not what a backup has there\n`,
      );
    }
    const changed = (path: string, value: unknown) => (parts: Map<string, string>) =>
      withManifest(parts, (each) => {
        const [first = '', second] = path.split('.');
        return { ...each, [first]: second ? { ...(each[first] as object), [second]: value } : value };
      });
    for (const [field, value] of [
      ['release', 'a\u001b[2J'],
      ['passwords', 'yes'],
      ['project.id', 'a\u001b[2J'],
      ['project.label', 'a\u0000'],
      ['backup.model_version', 'x'],
    ] as const) {
      expect(await forged(changed(field, value))).toContain(`: '${field}' is not what an export has there\n`);
    }
  });

  it.each<[string, string, object, RegExp]>([
    ['kind', 'team', { access: { read: [] } }, /'team'\): access\.read: must be one of anyone, /],
    ['kind', 'team', { access: [] }, /'team'\): access: must be an object of operations, got array/],
    ['kind', 'team', { access: { read: 'eq(' } }, /'team'\): access\.read: /],
    ['kind', 'team', { label: [] }, /'team'\): label: must be a string, got array/],
    ['kind', 'team', { active: 'x' }, /'team'\): active: must be /],
    ['kind', 'player', { unique: ['title'] }, /'player'\): unique\[0\]: must be a list of parameter ids/],
    ['kind', 'player', { indexes: {} }, /'player'\): indexes: must be a list of lists of parameter ids, got object/],
    ['kind', 'player', { parameters: [['title']] }, /'player'\): parameters\[0\]: must be a string/],
    [
      'kind',
      'player',
      { unique: [['nothing']] },
      /kind\.ndjson: 'player': unique: 'nothing' is no parameter of the kind/,
    ],
    ['kind', 'team', { id: 'a"b' }, /kind\.ndjson, line \d+: id: must be a lower-case letter/],
    ['group', 'sports', { kind_list: 'team' }, /'sports'\): kind_list: must be an array, got string/],
    ['link', 'plays', { access: { create: 1 } }, /'plays'\): access/],
    ['integer', 'xmin', { read_access: [] }, /'xmin'\): read_access: must be one of anyone, /],
    ['integer', 'xmin', { kind_id: 'whole' }, /'xmin'\): kind_id: must be 'integer'/],
    ['integer', 'xmin', { min_value: 'a' }, /'xmin'\): min_value: must be a whole number/],
    ['integer', 'rank', { default_integer: [] }, /'rank'\): default_integer: must be a whole number/],
    ['string', 'code', { values: 'a' }, /'code'\): values: must be a list of at least one value/],
    ['string', 'code', { pattern: '(' }, /'code'\): pattern: is no regular expression/],
  ])('of a definition that is not as one is stored: %s %s %j', async (file, id, change, text) => {
    const name = `definitions/${file}/000001.ndjson`;
    const altered = (line: string) => {
      const record = JSON.parse(line) as { id: string };
      return record.id === id ? JSON.stringify({ ...record, ...change }) : line;
    };
    const refusal = await forged((parts) => {
      const lines = (parts.get(name) ?? '').trimEnd().split('\n').map(altered);
      return withManifest(parts.set(name, `${lines.join('\n')}\n`), (each) => each);
    });
    expect(refusal).toMatch(text);
    expect(refusal).toContain(`forged.tar.gz: definitions/${file}.ndjson`);
  });

  it('of a file that is named twice, or that has more lines than any', async () => {
    const twice = (parts: Map<string, string>) =>
      withManifest(parts, (each) => ({ ...each, files: [...(each.files as object[]), (each.files as object[])[0]] }));
    expect(await forged(twice)).toMatch(/names a file twice: definitions\/kind\.ndjson/);
    const bomb = (parts: Map<string, string>) => parts.set('kinds/team/000001.ndjson', '\n'.repeat(1_000_001));
    expect(await forged(bomb)).toMatch(/gz: it was altered/);
  });

  it.each<[string, TarHeader]>([
    ['a size that is none', { name: 'a', pax: { size: 'abc' } }],
    ['a negative size', { name: 'a', pax: { size: '-5' } }],
    ['a link', { name: 'kinds/team/000001.ndjson', type: 'symlink', linkname: '/etc/passwd' }],
    ['a device', { name: 'kinds/team/000001.ndjson', type: 'character-device' }],
  ])('of %s in its archive, at once', { timeout: 20_000 }, async (_, stranger) => {
    await writeBackup(path('forged.tar.gz'), headerOf(first), await partsOf(first), stranger);
    expect(await refused(path('forged.tar.gz'))).toMatch(/gz: it was altered/);
  });

  it('of hostile names', async () => {
    const stranger = (file: string) =>
      forged((parts) => {
        const names = new Map(
          [...parts].map(([name, text]) => [name.replace('kinds/place/', file.replace('.ndjson', '/')), text]),
        );
        names.set('manifest.json', (parts.get('manifest.json') ?? '').replace('kinds/place.ndjson', file));
        return withManifest(names, (each) => each);
      });
    expect(await stranger('kinds/../../etc/passwd.ndjson')).toMatch(/names a file that no export has/);
    expect(await stranger('kinds/kind.ndjson')).toMatch(/belongs to no kind/);
    expect(await stranger('kinds/_model.ndjson')).toMatch(/names a file that no export has/);
  });

  it('of files that are no backups', async () => {
    writeFileSync(path('books.csv'), 'a,b\n1,2\n');
    expect(await refused(path('books.csv'))).toMatch(
      /books\.csv: it is no backup of a project, which `project backup` makes/,
    );
    expect(await refused(path('nothing'))).toBe(`error: there is no file ${path('nothing')}\n`);
    mkdirSync(path('folder'), { recursive: true });
    expect(await refused(path('folder'))).toBe(`error: ${path('folder')} is no file\n`);
  });

  it('into a project that exists, or one that cannot', async () => {
    const text = `error: a project '${source.id}' exists already: restore the backup beside it with --as <id>, or delete that project first\n`;
    expect(await kind('project', 'restore', first)).toEqual({ code: 1, out: '', err: text });
    expect((await kind('project', 'restore', first, '--as', 'No Project')).err).toContain(
      "'No Project': a project id is",
    );
    expect((await kind('project', 'restore')).code).toBe(2);
  });
});

describe('a restore that does not reach its end', () => {
  const bars = () => undefined;

  it('leaves nothing if the file changes while it is stored', async () => {
    const file = path('changing.tar.gz');
    cpSync(first, file);
    const reader = await ArchiveReader.open(new TarSource(file), bars);
    const bytes = readFileSync(file);
    flip(bytes, bytes.length - 500);
    writeFileSync(file, bytes);
    const restore = service.service.app.get(ProjectImportService).restore('changed', reader, bars);
    await expect(restore).rejects.toThrow(/was altered|cut off/);
    await reader.close();
    expect(await traces('changed')).toEqual([]);
  });

  it('leaves nothing if it is killed, and can be done again', async () => {
    const side = await sideConnection(connection);
    const release = await side.holding(
      projectOf('killed'),
      `SELECT pg_advisory_xact_lock(hashtextextended('project_killed', 7))`,
    );
    const env = { ...process.env, ...settingsOf(urlOf(connection)) };
    const child = spawn(process.execPath, [compiled('cli/main.js'), 'project', 'restore', first, '--as', 'killed'], {
      env,
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    // The project is made, and its definitions wait for the lock.
    const backend = await side.blocked();
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    await release();
    await vi.waitUntil(
      async () => (await side.rows('SELECT FROM pg_stat_activity WHERE pid = $1', [backend])).length === 0,
      { timeout: 20_000 },
    );
    expect(await traces('killed')).toEqual([]);
    expect(await kind('project', 'restore', first, '--as', 'killed')).toMatchObject({ code: 0 });
    expect(await traces('killed')).toHaveLength(2);
  }, 60_000);
});

describe('a backup of an older release', () => {
  it('gets what this one has more', async () => {
    const without = (text: string | undefined, name: string) =>
      (text ?? '').replaceAll(new RegExp(`,"${name}":(?:\\[[^\\]]*\\]|[^,}]*)`, 'g'), '');
    const parts = await partsOf(first);
    const kinds = 'definitions/kind/000001.ndjson';
    parts.set(
      kinds,
      without(parts.get(kinds), 'public')
        .split('\n')
        .filter((line) => !/"id":"(?:api_key|passkey|identity_provider|identity|file)"/.test(line))
        .join('\n'),
    );
    const files = ['api_key', 'passkey', 'identity_provider', 'identity', 'file'].map((id) => `kinds/${id}.ndjson`);
    for (const file of files) parts.delete(file.replace('.', '/000001.'));
    expect(parts.get(kinds)).not.toContain('"public":');
    const older = withManifest(parts, (each) => ({
      ...each,
      built_in: 0,
      files: (each['files'] as { path: string }[]).filter(({ path: name }) => !files.includes(name)),
    }));
    await writeBackup(path('older.tar.gz'), { ...headerOf(first), built_in: 0 }, older);
    expect(await kind('project', 'restore', path('older.tar.gz'), '--as', 'older')).toMatchObject({ code: 0, err: '' });
    const project = await asAdministrator(projectOf('older'));
    expect(await ok(project.get('/kind/unit/team'))).toMatchObject({ public: false });
    await makeKey(project);
    await ok(project.post('/file/unit', { name: 'a.txt', content: '' }));
    await expectNoDrift(project);
  });
});

describe('backup --all', () => {
  const contentsOfFiles = async (backup: string) => [...(await partsOf(backup)).keys()].filter(isContent);

  it('writes every project, and the registry at the end', async () => {
    await query(projectOf('busy'), `UPDATE kind.project SET status = 'deleting' WHERE id = 'busy'`);
    const { code, out, err } = await kind('backup', '--all', path('all'), '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const view = JSON.parse(out) as { projects: { project: string }[]; without: string[] };
    const ids = (await provisioning.list()).map(({ id }) => id);
    expect(view.without).toEqual(['busy']);
    expect(view.projects.map(({ project }) => project)).toEqual(ids.filter((id) => id !== 'busy'));
    const registry = JSON.parse(readFileSync(path('all/registry.json'), 'utf8')) as {
      projects: { id: string; file: string | null }[];
    };
    expect(registry.projects.map(({ id }) => id)).toEqual(ids);
    expect(registry.projects.find(({ id }) => id === source.id)).toMatchObject({
      label: 'The "whole"',
      status: 'active',
      settings: { otp: true, units: 5000 },
      access_default: 'closed',
      file: `${source.id}.tar.gz`,
    });
    const files = registry.projects.flatMap(({ file }) => file ?? []);
    expect(readdirSync(path('all')).sort()).toEqual([...files, 'registry.json'].sort());
    expect(await contentsOfFiles(path('all/filed.tar.gz'))).toHaveLength(3);
    const [one, other] = [await contentsOf(first), await contentsOf(path(`all/${source.id}.tar.gz`))];
    expect(other.get('kinds/thing.ndjson')).toBe(one.get('kinds/thing.ndjson'));
  });

  it('goes on without a project that is deleted meanwhile', async () => {
    const one = (await provisioning.list()).filter(({ id }) => id === source.id);
    const deleted = one.map((row) => ({ ...row, id: 'deleted-meanwhile' }));
    const before = vi.spyOn(Provisioning.prototype, 'list').mockResolvedValueOnce([...one, ...deleted]);
    const { code, out, err } = await kind('backup', '--all', path('meanwhile'), '--json');
    before.mockRestore();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ projects: [{ project: source.id }], without: ['deleted-meanwhile'] });
    expect(readdirSync(path('meanwhile')).sort()).toEqual([`${source.id}.tar.gz`, 'registry.json'].sort());
  });

  it('says which project could not be backed up, and is not complete then', async () => {
    await query(projectOf('calm'), 'UPDATE $schema."_model" SET "built_in" = 0');
    const { code, out, err } = await kind('backup', '--all', path('some'), '--without-files');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^error: 1 of \d+ projects could not be backed up, so there is no registry\.json; .*: calm: .*older version/,
    );
    expect(readdirSync(path('some')).filter((name) => !name.endsWith('.tar.gz'))).toEqual([]);
    expect(existsSync(path('some/calm.tar.gz'))).toBe(false);
    expect(await contentsOfFiles(path('some/filed.tar.gz'))).toEqual([]);
  });

  it('needs a folder that is new or empty', async () => {
    expect(await kind('backup', '--all', path('all'))).toEqual({
      code: 1,
      out: '',
      err: `error: the folder ${path('all')} is not empty\n`,
    });
    expect((await kind('backup')).code).toBe(2);
  });
});

describe('project restore --all', () => {
  const audit = path('audit.log');
  const audited = { ...config, auditLog: { file: audit } };
  const restoreAll = (folder: string) => run(audited, ['project', 'restore', '--all', folder]);
  /** A folder with backups of two small projects. */
  const folderOfTwo = path('two');
  const at = { one: '2026-01-02T03:04:05.678901Z', two: '2026-02-02T03:04:05.678901Z' };
  const registered = (projects: object[]) => ({ format: 'kind-registry', version: 1, release: '0.1.0', projects });
  const both = [
    ...Object.entries(at).map(([id, inserted_at]) => ({ id, inserted_at, file: `${id}.tar.gz` })),
    { id: 'away', inserted_at: at.one, file: null },
  ];
  const writeRegistry = (value: object, folder = folderOfTwo) =>
    writeFileSync(join(folder, 'registry.json'), JSON.stringify(value));

  beforeAll(async () => {
    mkdirSync(folderOfTwo);
    for (const [id, insertedAt] of Object.entries(at)) {
      await provisioning.create({ id, insertedAt });
      await kind('project', 'backup', id, join(folderOfTwo, `${id}.tar.gz`));
      await kind('project', 'delete', id, '--yes');
    }
    writeRegistry(registered(both));
  });

  it('tells all that is wrong before anything is restored', async () => {
    const wrong = path('wrong');
    cpSync(folderOfTwo, wrong, { recursive: true });
    cpSync(join(wrong, 'one.tar.gz'), join(wrong, 'other.tar.gz'));
    const bytes = readFileSync(join(wrong, 'two.tar.gz'));
    flip(bytes, bytes.length - 500);
    writeFileSync(join(wrong, 'two.tar.gz'), bytes);
    const more = ['other', 'lost', source.id].map((id) => ({ id, inserted_at: at.one, file: `${id}.tar.gz` }));
    writeRegistry(registered([...both, ...more]), wrong);
    const { code, out, err } = await restoreAll(wrong);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: nothing was restored, as 4 of 5 projects cannot be: /);
    expect(err).toMatch(/two\.tar\.gz: it was altered/);
    expect(err).toMatch(/other\.tar\.gz: it is a backup of the project 'one'/);
    expect(err).toMatch(/there is no file \S+lost\.tar\.gz/);
    expect(err).toContain(`a project '${source.id}' exists already`);
    expect(await traces('one')).toEqual([]);
  });

  it('restores all that are not there, and goes on where it ended', async () => {
    expect(await kind('project', 'restore', join(folderOfTwo, 'one.tar.gz'))).toMatchObject({ code: 0 });
    expect(await restoreAll(folderOfTwo)).toEqual({
      code: 0,
      err: '',
      out: `two: 0 kinds, 0 units and 0 links\none: is there already\naway: was being deleted, so there is no backup of it\n1 project from ${folderOfTwo}\nNothing runs by itself in it yet: project set <id> background=on\n`,
    });
    expect(await traces('two')).toHaveLength(2);
    expect((await restoreAll(folderOfTwo)).out).toMatch(/^one: is there already\ntwo: is there already\n/);
    // Also the file of a project that is there has to be whole.
    const damaged = join(path('damaged'));
    cpSync(folderOfTwo, damaged, { recursive: true });
    appendFileSync(join(damaged, 'one.tar.gz'), 'x');
    expect((await restoreAll(damaged)).err).toMatch(
      /nothing was restored.*one\.tar\.gz: it was cut off, or written over/,
    );
    const lines = readFileSync(audit, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        ...{ action: 'project.created', project: 'two', by: { command: true } },
        restored: { project: 'two', backed_up_at: expect.stringMatching(/^\d{4}-.*Z$/) as string },
      },
    ]);
  });

  it.each([
    [
      'a project of a name with control characters',
      registered([{ id: 'a\u001b[2J', inserted_at: at.one, file: null }]),
      /is not as `backup --all` wrote it/,
    ],
    ['no registry', undefined, /^error: there is no \S+registry\.json, which `backup --all` writes last: /],
    ['another text', {}, /registry\.json is not as `backup --all` wrote it/],
    ['names of other files', registered([{ ...both[0], file: '../one.tar.gz' }]), /is not as `backup --all` wrote it/],
    ['a newer one', { ...registered(both), version: 2, release: '9.0.0' }, /by release 9\.0\.0, which is newer/],
  ])('refuses a folder with %s', async (_, registry, text) => {
    const folderOf = mkdtempSync(join(folder, 'registry-'));
    if (registry) writeRegistry(registry, folderOf);
    expect(await restoreAll(folderOf)).toEqual({ code: 1, out: '', err: expect.stringMatching(text) as string });
  });

  it.each([[[]], [['a.tar.gz', '--all', 'b']], [['--all', 'b', '--as', 'c']]])('wrong usage: %j', async (args) => {
    expect((await kind('project', 'restore', ...args)).code).toBe(2);
  });
});
