/** What becomes of objects: who removes them and when, with a project or a member too, and which store a service takes. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { ConfigError } from '../../../src/config/config.js';
import { WorkClaims } from '../../../src/database/registry/work-claims.js';
import { ObjectCollector } from '../../../src/file/object-collector.js';
import { COLLECTION, FILE_STORE } from '../../../src/file/objects.js';
import type { FileStore } from '../../../src/file/store/file-store.js';
import { keepObjectsStatement } from '../../../src/sql/file/object.sql.js';
import { collected } from '../../support/collected.js';
import { withMembers } from '../../support/callers.js';
import { createdId, ok, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { sharedService, type TestProject } from '../../support/service.js';

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
    await rm(root, { recursive: true });
  });
});
