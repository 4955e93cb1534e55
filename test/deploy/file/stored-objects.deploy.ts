/** What becomes of objects: who removes them and when, with a project or a member too, and which store a service takes. */
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { ConfigError } from '../../../src/config/config.js';
import { WorkClaims } from '../../../src/database/registry/work-claims.js';
import { ContentCheck } from '../../../src/file/content-check.js';
import { ObjectCollector } from '../../../src/file/object-collector.js';
import { COLLECTION, FILE_STORE, newKey, Objects, sizeKey } from '../../../src/file/objects.js';
import { asContent, unavailable, type FileStore } from '../../../src/file/store/file-store.js';
import { keepObjectsStatement } from '../../../src/sql/file/files.sql.js';
import { ContentImport } from '../../../src/transfer/project/archived-contents.js';
import { atEnd } from '../../support/at-end.js';
import { collected } from '../../support/collected.js';
import { withMembers } from '../../support/callers.js';
import { commandsOn, runCommand } from '../../support/command-line.js';
import { createdId, ok, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { FakeS3 } from '../../support/s3.js';
import { sharedService, startTestService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const { app, database } = service.service;
const store = app.get<FileStore>(FILE_STORE);
let project: TestProject;
beforeEach(async () => {
  project = await service.project();
});

const CONTENT = { name: 'a.txt', content: Buffer.from('content').toString('base64') };
const upload = (of = project): Promise<string> => createdId(of.post('/file/unit', CONTENT));
const objectsOf = ({ id }: TestProject) => collected(store.list(`${id}/`));

/** Lets a service do what is due, as if the time had come. */
async function collect(): Promise<void> {
  await query(project, `UPDATE $schema."_unused_object" SET goes_at = now() - interval '1 second'`);
  await new WorkClaims(database, COLLECTION.type).wake(COLLECTION.name, [project.id]);
  await app.get(ObjectCollector).collect();
}

describe('an object that no file has', () => {
  it('stays for a day, and then is removed, also where nothing runs by itself', async () => {
    const file = await upload();
    await upload();
    await app.get(Provisioning).set(project.id, { settings: { background: false } });
    await ok(project.delete(`/file/unit/${file}`));
    await app.get(ObjectCollector).collect();
    expect(await objectsOf(project)).toHaveLength(2);
    expect(
      await query(project, `SELECT id FROM $schema."_unused_object" WHERE goes_at > now() + interval '23 hours'`),
    ).toHaveLength(1);
    await collect();
    expect(await objectsOf(project)).toHaveLength(1);
    expect(await query(project, 'SELECT id FROM $schema."_unused_object"')).toEqual([]);
  });

  it('stays as long as a backup reads objects', async () => {
    const file = await upload();
    await ok(project.delete(`/file/unit/${file}`));
    await database.run(keepObjectsStatement(`project_${project.id}`, 60));
    await collect();
    expect(await objectsOf(project)).toHaveLength(1);
    await query(project, 'UPDATE $schema."_files" SET kept_until = now()');
    await collect();
    expect(await objectsOf(project)).toEqual([]);
  });
});

/** Where the content of a file is. */
async function objectOf(file: string): Promise<string> {
  const [row] = await query<{ object: string }>(project, `SELECT object FROM $schema.file WHERE id = '${file}'`);
  return row?.object ?? '';
}

const storeByte = (key: string): Promise<void> => store.put(key, asContent(Buffer.from('x')));

interface Checked {
  readonly missing: { readonly count: number; readonly files: readonly { readonly id: string }[] };
  readonly without_file: { readonly count: number };
}

describe('file check', () => {
  it('names contents that are missing, objects of no file and files that nothing refers to; the objects go after a day', async () => {
    await ok(
      project.post('/kind/unit', { id: 'paper', parameters: [{ id: 'f', kind_id: 'unit', reference_kind: 'file' }] }),
    );
    const [whole, lost, short] = [await upload(), await upload(), await upload()];
    for (const f of [whole, lost]) await ok(project.post('/paper/unit', { f }));
    const picture = await objectOf(whole);
    await storeByte(sizeKey(picture, 'thumb.webp'));
    await ok(project.delete(`/file/unit/${await upload()}`));
    const metadata = `filename ${Buffer.from('a.txt').toString('base64')}`;
    const begun = { 'tus-resumable': '1.0.0', 'upload-length': '9', 'upload-metadata': metadata };
    const part = { ...begun, 'content-type': 'application/offset+octet-stream' };
    await project.call('POST', '/file/upload', 'begun', { headers: part });
    const clean = `'${project.id}' has 3 files of 21b.\n\nNothing refers to 1 file, which may be meant so: ${short}\n`;
    expect(await runCommand('file', 'check', project.id)).toEqual({ code: 0, out: clean, err: '' });

    const cut = await objectOf(short);
    await store.delete([await objectOf(lost), cut]);
    await storeByte(cut);
    const [stray, sized] = [newKey(project.id), newKey(project.id)].sort() as [string, string];
    for (const key of [stray, sizeKey(sized, 'thumb.webp'), sizeKey(sized, 'small.webp')]) await storeByte(key);
    const { code, out, err } = await runCommand('file', 'check', project.id);
    expect([code, err]).toEqual([1, 'error: 2 contents are missing, 2 objects are of no file\n']);
    expect(out).toContain('2 contents are missing:\n');
    expect(out).toContain(`${lost}  a.txt  is not in the store\n`);
    expect(out).toContain(`${short}  a.txt  1 of 7 bytes are in the store\n`);
    expect(out).toContain(
      `2 objects of no file stay (--repair lets them be removed after 24 hours):\n${stray}\n${sized}\n`,
    );
    expect(await objectsOf(project)).toHaveLength(8);

    const repaired = await runCommand('file', 'check', project.id, '--repair', '--json');
    expect([repaired.code, repaired.err]).toEqual([1, 'error: 2 contents are missing\n']);
    expect(JSON.parse(repaired.out)).toMatchObject({
      ...{ project: project.id, files: 3, bytes: 21, unreferenced: { count: 1, ids: [short] } },
      missing: { count: 2 },
      without_file: { count: 2, repaired: true, objects: [stray, sized] },
    });
    await app.get(ObjectCollector).collect();
    expect(await objectsOf(project)).toHaveLength(8);
    const again = JSON.parse((await runCommand('file', 'check', project.id, '--json')).out) as Checked;
    expect(again.without_file.count).toBe(0);
    await query(project, 'DELETE FROM $schema."_upload"');
    await collect();
    expect((await objectsOf(project)).map(({ key }) => key)).toEqual(
      [picture, sizeKey(picture, 'thumb.webp'), cut].sort(),
    );
  });

  it('reads a page of files at a time, and says nothing of what is there when it looks again', async () => {
    await upload();
    await query(
      project,
      `INSERT INTO $schema.file SELECT (jsonb_populate_record(f, jsonb_build_object(
         'id', gen_random_uuid(), 'object', overlay(object PLACING lpad(to_hex(n), 6, '0') FROM length(object) - 5)
       ))).* FROM $schema.file AS f, generate_series(1, 2100) AS n`,
    );
    expect(JSON.parse((await runCommand('file', 'check', project.id, '--json')).out)).toMatchObject({
      ...{ files: 2101, bytes: 2101 * 7, missing: { count: 2100 } },
    });
    // A list of another moment, as while the project is used.
    const listed = { key: `${project.id}/00/1`, bytes: 1, storedAt: new Date() };
    const late = {
      head: (key: string) => store.head(key),
      list: async function* (prefix: string) {
        if (prefix === `${project.id}/`) yield listed;
      },
    } as unknown as FileStore;
    const options = { repair: false, onFiles: () => undefined };
    const of = { id: project.id, schema: `project_${project.id}`, schemaId: null };
    const report = await new ContentCheck(database, app.get(Objects), late).run(of, options);
    expect([report.missing.count, report.unowned.count]).toEqual([2100, 0]);
    const disordered = { list: () => Readable.from([listed, { ...listed, key: `${project.id}/00/0` }]) };
    await expect(
      new ContentCheck(database, app.get(Objects), disordered as unknown as FileStore).run(of, options),
    ).rejects.toThrow('the store does not list its objects in the order of their keys');
  });

  it('tells why it does not look', async () => {
    expect((await runCommand('file', 'check', 'nobody')).err).toBe(`error: No project 'nobody'\n`);
  });
});

describe('a project that is deleted', () => {
  it('takes its objects along, and nothing of others', async () => {
    const other = await service.project(`${project.id}2`);
    await upload();
    await upload(other);
    await app.get(Provisioning).delete(project.id);
    expect(await objectsOf(project)).toEqual([]);
    expect(await objectsOf(other)).toHaveLength(1);
    const again = await service.project(project.id);
    expect(await ok(again.get('/file/unit'))).toMatchObject({ items: [] });
    // What the later one stores is removed in its time too.
    await upload(again);
    const work = `SELECT 1 FROM kind.work WHERE project = '${again.id}' AND type = '${COLLECTION.type}'`;
    expect(await query(again, work)).toHaveLength(1);
  });
});

describe('a restore that is cut off', () => {
  it('leaves objects that are removed, and none that are removed when it is done again', async () => {
    await upload();
    await upload();
    const folder = await mkdtemp(join(tmpdir(), 'kind-restore-'));
    atEnd(() => rm(folder, { recursive: true }));
    const [file, id] = [join(folder, 'a.tar.gz'), `${project.id}_again`];
    expect((await runCommand('project', 'backup', project.id, file)).code).toBe(0);
    const restore = () => runCommand('project', 'restore', file, '--as', id);
    const objects = async () => (await collected(store.list(`${id}/`))).length;
    const left = `FROM kind.work WHERE name = 'restore ${id}'`;
    const collectNow = async () => {
      await query(project, `UPDATE kind.work SET due_at = now() WHERE name = 'restore ${id}'`);
      await app.get(ObjectCollector).collect();
    };
    // As if it was killed after it had stored all.
    const undo = vi.spyOn(ContentImport.prototype, 'undo').mockResolvedValue();
    vi.spyOn(ContentImport.prototype, 'store').mockImplementationOnce(async function (this: ContentImport, ...args) {
      await this.store(...args);
      // A service looks meanwhile.
      await collectNow();
      throw new Error('killed');
    });
    expect((await restore()).code).toBe(1);
    undo.mockRestore();
    expect(await objects()).toBe(2);
    await collectNow();
    expect([await objects(), await query(project, `SELECT 1 ${left}`)]).toEqual([0, []]);

    expect((await restore()).code).toBe(0);
    await collectNow();
    expect([await objects(), await query(project, `SELECT 1 ${left}`)]).toEqual([2, []]);
  });
});

describe('files of members that are deleted', () => {
  it.each(['member', 'kind'])('have no owner any more, when the %s goes', async (gone) => {
    await withMembers(project);
    const person = { username: 'ada', email: 'ada@example.com' };
    const [ada, bob] = [
      await createdId(project.post('/person/unit', person)),
      await createdId(project.post('/kind_admin/unit', { username: 'bob', email: 'bob@example.com' })),
    ];
    await ok(project.put('/kind/unit/file', { changes: 'history' }));
    const [of, others] = [await upload(), await upload()];
    await ok(project.put(`/file/unit/${of}`, { owner: ada }));
    await ok(project.put(`/file/unit/${others}`, { owner: bob }));
    await ok(project.delete(gone === 'member' ? `/person/unit/${ada}` : '/kind/unit/person?cascade=true'));
    expect((await ok(project.get(`/file/unit/${of}`))).owner).toBeNull();
    expect((await ok(project.get(`/file/unit/${others}`))).owner).toBe(bob);
    const { items } = (await ok(project.get(`/file/unit/${of}/history`))) as { items: readonly unknown[] };
    expect(items[0]).toMatchObject({ operation: 'update', changes: { owner: [ada, null] } });
  });
});

describe('a store that does not answer', () => {
  it('leaves connections to other projects', async () => {
    const slow = await startTestService({ databasePool: 5 });
    const [of, other] = [await slow.project(), await slow.project()];
    await upload(of);
    const files = slow.service.app.get<FileStore>(FILE_STORE);
    let answer: (() => void) | undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const removals = vi.spyOn(files, 'delete').mockImplementation(() => answered);
    const headers = { 'content-type': 'text/plain', 'content-digest': `sha-256=:${'A'.repeat(43)}=:` };
    const refused = Array.from({ length: 8 }, () => of.call('POST', '/file/unit?name=a', 'a', { headers }));
    await vi.waitFor(() => expect(removals).toHaveBeenCalled());
    await vi.waitFor(async () => expect(await query(of, 'SELECT id FROM $schema."_unused_object"')).toHaveLength(8));
    for (let turn = 0; turn < 5; turn += 1) expect((await other.get('/kind/unit')).status).toBe(200);
    // An upload that it does not take waits for it once.
    const stores = vi.spyOn(files, 'put').mockRejectedValueOnce(unavailable(new Error('it hangs')));
    expect((await other.post('/file/unit', CONTENT)).status).toBe(503);
    expect(await query(other, 'SELECT id FROM $schema."_unused_object"')).toHaveLength(1);
    stores.mockRestore();
    removals.mockRestore();
    answer?.();
    expect(new Set((await Promise.all(refused)).map(({ status }) => status))).toEqual(new Set([400]));
  });
});

describe('a service', () => {
  it('starts with the store of its database alone, and serves without files while that does not answer', async () => {
    const connection = await ownDatabase();
    const root = join(dirname(inject('initialised')), randomBytes(6).toString('hex'));
    const [own, another] = ['own', 'another'].map((name) => ({ folder: join(root, name) })) as [
      never,
      { folder: string },
    ];
    const first = await startServiceOn(connection, { files: own });
    // Nothing is stored yet, so that no store is the wrong one.
    const second = await startServiceOn(connection, { files: another });
    const [writer, reader] = [await first.signIn('boot'), await second.signIn('boot')];
    await upload(writer);
    await expect(startServiceOn(connection, { files: another })).rejects.toThrow(
      new ConfigError(
        'FILES_URL: the folder or bucket has no kind-files.json, so that it is not the one with the contents of this database',
      ),
    );
    expect(await reader.post('/file/unit', CONTENT)).toMatchObject({ status: 503 });
    expect(await reader.get('/kind/unit')).toMatchObject({ status: 200 });
    const nobody = {
      ...{ origin: 'http://127.0.0.1:9', bucket: 'bucket', prefix: '', region: 'a', pathStyle: true },
      ...{ key: 'key', secret: 'secret' },
    };
    const away = await startServiceOn(connection, { files: nobody });
    const { status, body } = await (await away.signIn('boot')).post('/file/unit', CONTENT);
    expect([status, body.messages[0]?.code]).toEqual([503, 'file.unavailable']);
    const check = await commandsOn(connection, nobody)('file', 'check', 'boot');
    expect(check).toMatchObject({ code: 1, out: '' });
    expect(check.err).toMatch(
      /^error: Where the contents of files are kept does not answer: connect ECONNREFUSED .*\n$/,
    );
    await rm(root, { recursive: true });
  });

  it('takes a copy of its store, of which `file check` says what it lacks', async () => {
    const connection = await ownDatabase();
    const root = join(dirname(inject('initialised')), randomBytes(6).toString('hex'));
    const [own, copy] = [{ folder: join(root, 'own') }, { folder: join(root, 'copy') }];
    const first = await startServiceOn(connection, { files: own });
    const writer = await first.signIn('boot');
    const [one, other] = [await upload(writer), await upload(writer)];
    const keys = (await collected(first.service.app.get<FileStore>(FILE_STORE).list(''))).map(({ key }) => key);
    expect(keys).toHaveLength(3);
    const [kept = '', left = ''] = keys;

    await cp(join(own.folder, kept), join(copy.folder, kept), { recursive: true });
    const withoutMark = 'error: FILES_URL: the folder or bucket has no kind-files.json, so that it is not the one with';
    expect((await commandsOn(connection, copy)('file', 'check', 'boot')).err).toContain(withoutMark);
    await cp(join(own.folder, 'kind-files.json'), join(copy.folder, 'kind-files.json'));
    const { code, out } = await commandsOn(connection, copy)('file', 'check', 'boot', '--json');
    const { missing } = JSON.parse(out) as Checked;
    expect([code, missing.count]).toEqual([1, 1]);
    expect([one, other]).toContain(missing.files[0]?.id);

    await cp(join(own.folder, left), join(copy.folder, left));
    expect((await commandsOn(connection, copy)('file', 'check', 'boot')).code).toBe(0);
    const { s3, address } = await FakeS3.start({ prefix: 'files/' });
    for (const key of keys) {
      s3.objects.set(`files/${key}`, { body: await readFile(join(own.folder, key)), at: new Date() });
    }
    await rm(root, { recursive: true });
    expect((await commandsOn(connection, address)('file', 'check', 'boot')).code).toBe(0);
    const reader = await (await startServiceOn(connection, { files: address })).signIn('boot');
    expect((await reader.get(`/file/unit/${one}/content`)).text).toBe('content');
  });
});
