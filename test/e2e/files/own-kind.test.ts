/** A project that had a kind `file` before there were files keeps it. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import { headerOf, partsOf, withManifest, writeBackup } from '../../support/backup-files.js';
import { runCommand } from '../../support/command-line.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { exchange } from '../../support/exchange.js';
import { withOwnFileKind } from '../../support/files.js';
import { temporaryFolder } from '../../support/mailbox.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();

const olderProject = async () => withOwnFileKind(await service.project());

/** Not held to the document of no project, whose kind `file` is another. */
function call(of: TestProject, method: string, path: string, body?: unknown, type = 'application/json') {
  return exchange(of.service.url, {
    method,
    path: `/api/lib${path}`,
    headers: { 'kind-project-key': of.id, authorization: `Bearer ${of.token ?? ''}`, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

it('its units are made, read, edited, imported and upserted as before, and have no contents', async () => {
  const project = await olderProject();
  const id = await createdId(call(project, 'POST', '/file/unit', { title: 'a' }));
  const unit = `/file/unit/${id}`;
  expect(await ok(call(project, 'PUT', unit, { title: 'b' }))).toMatchObject({ id, title: 'b' });
  const upsert = '/file/unit?on_conflict=update&by=title';
  expect(await ok(call(project, 'POST', upsert, { title: 'b' }))).toMatchObject({ id });
  await ok(call(project, 'POST', '/file/import', 'title\nc\n', 'text/csv'));
  await ok(project.post('/batch', { operations: [{ method: 'POST', path: '/file/unit', body: {} }] }));
  expect(await ok(call(project, 'GET', '/file/unit'))).toMatchObject({ count: 3 });
  for (const reply of [
    await call(project, 'POST', '/file/unit?name=a.txt', 'a', 'text/plain'),
    await call(project, 'GET', `${unit}/content`),
    await call(project, 'PUT', `${unit}/content`, 'a', 'text/plain'),
  ]) {
    expect(refusalOf(reply)).toMatchObject({ messages: ['kind.not_allowed_here'] });
  }
  await ok(call(project, 'DELETE', unit));
  const err = `error: the project '${project.id}' has a kind 'file' of its own, and no files until that is renamed\n`;
  expect(await runCommand('file', 'revoke-urls', project.id)).toEqual({ code: 1, out: '', err });
});

it('is named by the upgrade of its project, and where the project is shown', async () => {
  const project = await olderProject();
  const own = "the kind 'file' of its own, until whose renaming the project has no files";
  const { out } = await runCommand('project', 'migrate', project.id);
  expect(out).toContain(`${project.id}: left alone: `);
  expect(out).toContain(own);
  const shown = JSON.parse((await runCommand('project', 'show', project.id, '--json')).out) as object;
  expect(shown).toMatchObject({ files: "none, until its own kind 'file' is renamed", kinds: ['file'] });
});

it('its backups and exports, also those of older releases, come back with it', async () => {
  const project = await olderProject();
  const id = await createdId(call(project, 'POST', '/file/unit', { title: 'a' }));
  const folder = temporaryFolder();
  const [backup, older, exported] = ['backup', 'older', 'exported'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const run = async (...argv: string[]) => expect(await runCommand(...argv)).toMatchObject({ code: 0, err: '' });
  await run('project', 'backup', project.id, backup);
  const parts = withManifest(await partsOf(backup), (manifest) => ({ ...manifest, built_in: 0 }));
  await writeBackup(older, { ...headerOf(backup), built_in: 0 }, parts);
  await run('export', project.id, exported);
  const [first, second] = [`${project.id}-1`, `${project.id}-2`];
  await run('project', 'restore', backup, '--as', first);
  await run('project', 'restore', older, '--as', second);
  const { id: third } = await service.project();
  await run('import', third, exported);
  for (const each of [first, second, third]) {
    const copy = await service.signIn(each);
    expect(await ok(call(copy, 'GET', '/file/unit'))).toMatchObject({ count: 1, items: [{ id, title: 'a' }] });
    expect(refusalOf(await call(copy, 'GET', `/file/unit/${id}/content`)).messages).toEqual(['kind.not_allowed_here']);
  }
});

it('the API document describes it as any kind of the project', async () => {
  const project = await olderProject();
  const { paths, tags } = (await project.get('/doc/openapi.json')).body as unknown as OpenApiDocument;
  expect(paths['/api/lib/file/unit']?.post?.tags).toEqual(['file']);
  expect(paths['/api/lib/file/unit']?.post?.requestBody?.content).not.toHaveProperty('multipart/form-data');
  expect(Object.keys(paths)).not.toContain('/api/lib/file/unit/{unit_id}/content');
  expect(tags.map(({ name }) => name)).not.toContain('Files');
});
