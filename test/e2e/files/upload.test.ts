/** Files are uploaded, downloaded, replaced and deleted, and nothing of them is kept that was refused. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();

const HEADERS = (of: TestProject, type?: string) => ({
  'kind-project-key': of.id,
  ...(of.token !== undefined && { authorization: `Bearer ${of.token}` }),
  ...(type !== undefined && { 'content-type': type }),
});
const call = (of: TestProject, method: string, path: string, body?: string | Uint8Array, type?: string) =>
  fetch(`${service.service.url}/api/lib${path}`, {
    method,
    headers: HEADERS(of, type),
    ...(body !== undefined && { body }),
  });

describe('an upload', () => {
  it('is a unit with what was found in its content', async () => {
    const text = 'grüße\n';
    const reply = await call(project, 'POST', '/file/unit?name=a.txt', text, 'text/plain');
    const { content: made } = (await reply.json()) as { content: Record<string, unknown> };
    expect(reply.status).toBe(200);
    expect(made).toMatchObject({
      name: 'a.txt',
      media_type: 'text/plain',
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      width: null,
    });
    expect(made).not.toHaveProperty('object');
    const content = await call(project, 'GET', `/file/unit/${String(made['id'])}/content`);
    expect(content.status).toBe(200);
    expect(await content.text()).toBe(text);
    expect(Object.fromEntries(content.headers)).toMatchObject({ 'content-type': 'text/plain; charset=utf-8' });
    expect(await query(project, 'SELECT * FROM $schema."_unused_object"')).toEqual([]);
    expect(await query(project, 'SELECT bytes::int FROM $schema."_files"')).toEqual([
      { bytes: Buffer.byteLength(text) },
    ]);
    await ok(project.delete(`/file/unit/${String(made['id'])}`));
    expect(await query(project, 'SELECT bytes::int FROM $schema."_files"')).toEqual([{ bytes: 0 }]);
    expect(await query(project, 'SELECT id FROM $schema."_unused_object"')).toHaveLength(1);
  });

  it('in JSON, alone and in a batch, is taken by transactions that began before it was stored', async () => {
    const made = (await ok(project.post('/file/unit', { name: 'a', content: 'aGk=' }))) as { id: string };
    await ok(project.put(`/file/unit/${made.id}`, { content: 'aG8=' }));
    const operations = [
      { method: 'PUT', path: `/file/unit/${made.id}`, body: { content: 'aHU=' } },
      { method: 'POST', path: '/file/unit', body: { name: 'b', content: '' } },
    ];
    await ok(project.post('/batch', { operations }));
    const raw = await project.post('/batch', { operations: [{ method: 'POST', path: '/file/unit?name=c', body: {} }] });
    expect(refusalOf(raw)).toEqual({ status: 400, messages: ['batch.not_here'] });
    expect(await (await call(project, 'GET', `/file/unit/${made.id}/content`)).text()).toBe('hu');
    // Two contents were replaced, and what is stored is listed no longer.
    const listed = await query(
      project,
      'SELECT FROM $schema."_unused_object" AS u, $schema."file" AS f WHERE f."object" = u."id"',
    );
    expect(listed).toEqual([]);
    expect(await query(project, 'SELECT sum("bytes")::int AS bytes FROM $schema."file"')).toEqual(
      await query(project, 'SELECT "bytes"::int FROM $schema."_files"'),
    );
  });
});
