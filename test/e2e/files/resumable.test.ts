/** Uploads that go on where they were broken off, with the client of tus. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { Upload } from 'tus-js-client';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OpenApiDocument, OpenApiOperation } from '../../../src/doc/openapi/openapi.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { StorageSizes } from '../../../src/catalog/project/storage-sizes.js';
import { asMember } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const address = `${service.service.url}/api/lib/file/upload`;
const TUS = 'application/offset+octet-stream';

const headersOf = (of: TestProject) => ({
  'kind-project-key': of.id,
  ...(of.token !== undefined && { authorization: `Bearer ${of.token}` }),
});
const call = (method: string, path: string, headers: Record<string, string> = {}, body?: Uint8Array, as = project) =>
  fetch(`${address}${path}`, {
    method,
    headers: { ...headersOf(as), 'tus-resumable': '1.0.0', ...headers },
    ...(body && { body }),
  });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const NAMED = { 'upload-metadata': `filename ${base64('a.bin')}` };
const begin = async (length: number, headers: Record<string, string> = {}, as = project): Promise<string> => {
  const reply = await call('POST', '', { 'upload-length': String(length), ...NAMED, ...headers }, undefined, as);
  expect([reply.status, await reply.text()]).toEqual([201, '']);
  return (reply.headers.get('location') ?? '').slice('/api/lib/file/upload'.length);
};
const append = (path: string, offset: number, body: Uint8Array | undefined, as = project) =>
  call('PATCH', path, { 'upload-offset': String(offset), 'content-type': TUS }, body, as);
const offsetOf = async (path: string): Promise<number> => {
  const reply = await call('HEAD', path);
  expect(reply.status).toBe(200);
  return Number(reply.headers.get('upload-offset'));
};
const code = async (reply: Response): Promise<string> => {
  const { messages } = (await reply.json()) as { messages: [{ code: string }] };
  return `${reply.status} ${messages[0].code}`;
};
const contentOf = async (id: string, as = project): Promise<Buffer> => {
  const reply = await fetch(`${service.service.url}/api/lib/file/unit/${id}/content`, { headers: headersOf(as) });
  return Buffer.from(await reply.arrayBuffer());
};
const objects = () => query(project, 'SELECT id FROM $schema."_unused_object"');

/** Sends the beginning of a part. @returns what breaks the connection off */
async function beginPart(
  path: string,
  offset: number,
  body: Uint8Array,
  length: number,
): Promise<() => Promise<unknown>> {
  const headers = { ...headersOf(project), 'tus-resumable': '1.0.0', 'content-type': TUS };
  const sent = request(`${address}${path}`, {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': offset, 'content-length': length, expect: '100-continue' },
  });
  const closed = new Promise((resolve) => sent.once('close', resolve));
  sent.once('error', () => undefined);
  await new Promise((resolve) => sent.once('continue', resolve));
  await new Promise((resolve) => sent.write(body, resolve));
  return () => {
    sent.destroy();
    return closed;
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the client of tus', () => {
  const whole = (content: Buffer, options: Partial<ConstructorParameters<typeof Upload>[1]>) =>
    new Promise<Upload>((resolve, reject) => {
      const upload: Upload = new Upload(content, {
        endpoint: address,
        headers: headersOf(project),
        metadata: { filename: 'grüße.bin' },
        onSuccess: () => resolve(upload),
        onError: reject,
        ...options,
      });
      upload.start();
    });

  it.each([
    ['in parts', { chunkSize: 40_000 }],
    ['with the first part at once', { chunkSize: 40_000, uploadDataDuringCreation: true }],
    ['in one request', { uploadDataDuringCreation: true }],
    ['with POST alone', { overridePatchMethod: true }],
  ])('uploads a file %s', async (_, options) => {
    const content = randomBytes(100_000);
    let id = '';
    const onAfterResponse = (__: unknown, reply: { getHeader(name: string): string | undefined }) => {
      id = reply.getHeader('kind-file') ?? id;
    };
    const upload = await whole(content, { ...options, onAfterResponse });
    const unit = await ok(project.get(`/file/unit/${id}`));
    expect(unit).toMatchObject({
      name: 'grüße.bin',
      bytes: 100_000,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    expect((await contentOf(id)).equals(content)).toBe(true);
    expect(await objects()).toEqual([]);
    const head = await fetch(upload.url ?? '', {
      method: 'HEAD',
      headers: { ...headersOf(project), 'tus-resumable': '1.0.0' },
    });
    expect([head.headers.get('upload-offset'), head.headers.get('kind-file')]).toEqual(['100000', id]);
  });

  it('goes on where a connection was broken off', async () => {
    const content = randomBytes(300_000);
    const path = await begin(content.length);
    const cut = await beginPart(path, 0, content.subarray(0, 120_000), content.length);
    await cut();
    expect(await offsetOf(path)).toBeGreaterThan(0);
    let id = '';
    await whole(content, {
      endpoint: null,
      uploadUrl: `${address}${path}`,
      onAfterResponse: (_, reply) => void (id = reply.getHeader('kind-file') ?? id),
    });
    expect((await contentOf(id)).equals(content)).toBe(true);
  });
});

describe('an upload', () => {
  it('says what it takes', async () => {
    const reply = await fetch(address, {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'PATCH' },
    });
    expect(reply.status).toBe(204);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,expiration,termination',
      'tus-max-size': String(100 * 1024 * 1024),
    });
    const other = await fetch(`${address.replace('upload', 'unit')}`, { method: 'OPTIONS' });
    expect(other.headers.get('tus-version')).toBeNull();
    const { paths } = (await project.get('/doc/openapi.json?kinds=file')).body as unknown as OpenApiDocument;
    const answered = (operation: OpenApiOperation | undefined, status: string) =>
      Object.keys((operation?.responses[status] as { headers: object }).headers);
    const {
      post,
      head,
      delete: end,
    } = { ...paths['/api/lib/file/upload'], ...paths['/api/lib/file/upload/{upload_id}'] };
    expect(answered(post, '201')).toEqual(expect.arrayContaining(['Tus-Resumable', 'Location', 'Upload-Offset']));
    expect(answered(head, '200')).toEqual(expect.arrayContaining(['Upload-Length', 'Upload-Metadata', 'kind-file']));
    expect(answered(end, '204')).not.toContain('kind-file');
  });

  it.each([undefined, '0.2.2'])('of the version %s of the protocol is refused', async (version) => {
    const headers = { ...headersOf(project), ...(version !== undefined && { 'tus-resumable': version }) };
    const reply = await fetch(address, { method: 'POST', headers: { ...headers, 'upload-length': '1' } });
    expect([reply.headers.get('tus-version'), reply.headers.get('tus-resumable')]).toEqual(['1.0.0', '1.0.0']);
    expect(await code(reply)).toBe('412 file.tus_version');
  });

  it.each([
    ['without a length', { 'upload-length': '' }, '400 header.bad_value'],
    ['with a length that is none', { 'upload-length': '-1' }, '400 header.bad_value'],
    ['longer than a file', { 'upload-length': String(100 * 1024 * 1024 + 1) }, '413 body.too_large'],
    ['as a part of another one', { 'upload-concat': 'partial' }, '400 header.bad_value'],
    ['with a checksum of tus', { 'upload-checksum': 'sha1 YQ==' }, '400 header.bad_value'],
    ['without a name', { 'upload-metadata': '' }, '400 parameter.required'],
    ['with a name that is none', { 'upload-metadata': `filename ${base64('..')}` }, '400 parameter.bad_value'],
    ['with a name that is no text', { 'upload-metadata': `values ${base64('{"name":1}')}` }, '400 parameter.bad_type'],
    ['with a name twice', { 'upload-metadata': 'filename YQ==,filename YQ==' }, '400 header.bad_value'],
    ['with bad base64', { 'upload-metadata': 'filename Y' }, '400 header.bad_value'],
    ['with a name not in UTF-8', { 'upload-metadata': 'filename /w==' }, '400 header.bad_value'],
    [
      'with values that are none',
      { 'upload-metadata': `filename YQ==,values ${base64('[]')}` },
      '400 header.bad_value',
    ],
    [
      'with the content among its values',
      { 'upload-metadata': `filename YQ==,values ${base64('{"content":"YQ=="}')}` },
      '400 header.bad_value',
    ],
    [
      'with values that the file can not have',
      { 'upload-metadata': `filename YQ==,values ${base64('{"bytes":1}')}` },
      '400 parameter.read_only',
    ],
  ])('%s is refused', async (_, headers, expected) => {
    expect(await code(await call('POST', '', { 'upload-length': '1', ...NAMED, ...headers }))).toBe(expected);
  });

  it('takes a part with a digest as a whole, or nothing of it', async () => {
    lowerLimit('uploadPieceBytes', 2);
    const path = await begin(6);
    const send = (offset: number, text: string, of: string, more = {}) => {
      const digest = createHash('sha256').update(of).digest('base64');
      const headers = { 'upload-offset': String(offset), 'content-type': TUS, 'content-digest': `sha-256=:${digest}:` };
      return call('PATCH', path, { ...headers, ...more }, Buffer.from(text));
    };
    expect(await code(await send(0, 'abc', 'abd'))).toBe('400 file.digest');
    expect(await code(await send(0, '', 'abd'))).toBe('400 file.digest');
    expect(await code(await send(0, 'abc', 'abc', { 'content-encoding': 'gzip' }))).toBe('415 body.not_json');
    expect(await offsetOf(path)).toBe(0);
    expect((await send(0, 'abc', 'abc')).status).toBe(204);
    expect((await send(3, '', '')).headers.get('upload-offset')).toBe('3');
    const last = await send(3, 'def', 'def');
    expect(String(await contentOf(last.headers.get('kind-file') ?? ''))).toBe('abcdef');
  });

  it('has name, type and values of its metadata, which it answers', async () => {
    const values = base64(JSON.stringify({ name: 'b.txt' }));
    const metadata = `filename ${base64('a.txt')},is_secret,filetype ${base64('text/plain')},values ${values}`;
    const path = await begin(3, { 'upload-metadata': metadata });
    const head = await call('HEAD', path);
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'upload-metadata': metadata,
      'upload-length': '3',
      'upload-offset': '0',
      'cache-control': 'no-store',
      'tus-resumable': '1.0.0',
    });
    const done = await append(path, 0, Buffer.from('abc'));
    expect(done.status).toBe(204);
    const unit = await ok(project.get(`/file/unit/${done.headers.get('kind-file')}`));
    expect(unit).toMatchObject({ name: 'b.txt', media_type: 'text/plain' });
  });

  it('of nothing is a file at once', async () => {
    const reply = await call('POST', '', { 'upload-length': '0', ...NAMED });
    expect(reply.status).toBe(201);
    expect(await contentOf(reply.headers.get('kind-file') ?? '')).toHaveLength(0);
  });

  it('takes a part at its offset alone, with no more than is missing', async () => {
    const path = await begin(10);
    expect((await append(path, 0, Buffer.alloc(4))).headers.get('upload-offset')).toBe('4');
    expect(await code(await append(path, 0, Buffer.alloc(4)))).toBe('409 file.wrong_offset');
    expect(await code(await append(path, 4, Buffer.alloc(7)))).toBe('413 body.too_large');
    const json = await call('PATCH', path, { 'upload-offset': '4' }, Buffer.alloc(1));
    expect(await code(json)).toBe('415 body.not_json');
    expect(await offsetOf(path)).toBe(4);
    expect((await append(path, 4, undefined)).headers.get('upload-offset')).toBe('4');
  });

  it('that is done says so again, and is not done twice', async () => {
    const path = await begin(2);
    const [first, second] = [await append(path, 0, Buffer.from('ab')), await append(path, 2, undefined)];
    expect(second.status).toBe(204);
    expect(second.headers.get('kind-file')).toBe(first.headers.get('kind-file'));
  });

  it('whose file was not made asks for the last byte again', async () => {
    const content = Buffer.from('xyz');
    const undone = await begin(3);
    await append(undone, 0, content.subarray(0, 2));
    // As if the service had been killed after the last part.
    const id = undone.slice(1);
    await query(project, `UPDATE $schema."_upload" SET length = 2 WHERE id = '${id}'`);
    expect(await offsetOf(undone)).toBe(1);
    const done = await append(undone, 1, content.subarray(1, 2));
    expect([done.status, done.headers.get('upload-offset')]).toEqual([204, '2']);
    expect(String(await contentOf(done.headers.get('kind-file') ?? ''))).toBe('xy');
  });

  it('whose content is not what it says is refused at its end, and nothing is kept', async () => {
    const path = await begin(4, { 'upload-metadata': `filename YQ==,filetype ${base64('image/png')}` });
    expect(await code(await append(path, 0, Buffer.from('%PDF')))).toBe('400 file.type_mismatch');
    expect((await call('HEAD', path)).status).toBe(404);
    expect(await objects()).toHaveLength(1);
  });

  it('ends with its parts', async () => {
    const path = await begin(10);
    await append(path, 0, Buffer.alloc(4));
    const before = await objects();
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await objects()).length).toBe(before.length - 1);
    expect(await code(await append(path, 4, Buffer.alloc(1)))).toBe('404 file.upload_unknown');
    expect((await call('DELETE', path)).status).toBe(404);
  });

  it('expires', async () => {
    const path = await begin(10);
    const left = Date.parse((await call('HEAD', path)).headers.get('upload-expires') ?? '') - Date.now();
    expect(left / 3_600_000).toBeGreaterThan(23.9);
    await query(project, `UPDATE $schema."_upload" SET expires_at = now() WHERE id = '${path.slice(1)}'`);
    expect(await code(await append(path, 0, Buffer.alloc(1)))).toBe('404 file.upload_unknown');
  });

  it('whose client is gone without a word goes on, with what has come', async () => {
    lowerLimit('uploadHeldSeconds', 1);
    const path = await begin(10);
    const content = Buffer.from('abcdefghij');
    const cut = await beginPart(path, 0, content.subarray(0, 6), 10);
    const offset = await offsetOf(path);
    await cut();
    const done = await append(path, offset, content.subarray(offset));
    expect((await contentOf(done.headers.get('kind-file') ?? '')).equals(content)).toBe(true);
    expect(offset).toBe(6);
  });

  it('is kept piece by piece while a request brings it', async () => {
    lowerLimit('uploadPieceBytes', 4);
    const path = await begin(11);
    const content = Buffer.from('abcdefghijk');
    const cut = await beginPart(path, 0, content.subarray(0, 9), 11);
    const stored = `SELECT stored::int, parts::int FROM $schema."_upload" WHERE id = '${path.slice(1)}'`;
    await vi.waitFor(async () => expect(await query(project, stored)).toEqual([{ stored: 8, parts: 2 }]));
    expect(await offsetOf(path)).toBe(9);
    await cut();
    const done = await append(path, 9, content.subarray(9));
    expect((await contentOf(done.headers.get('kind-file') ?? '')).equals(content)).toBe(true);
  });

  it('has as many parts as it may', async () => {
    lowerLimit('uploadParts', 2);
    lowerLimit('uploadPieceBytes', 2);
    const path = await begin(5);
    expect(await code(await append(path, 0, Buffer.alloc(5)))).toBe('400 file.too_many_parts');
    expect(await offsetOf(path)).toBe(4);
    expect(await code(await append(path, 4, Buffer.alloc(1)))).toBe('400 file.too_many_parts');
  });

  it('counts for the storage of the project', async () => {
    const full = await service.project();
    const { app } = service.service;
    await app.get(Provisioning).set(full.id, { settings: { storage: 20 } });
    // Of the tables, which are measured at any time.
    vi.spyOn(app.get(StorageSizes), 'lastKnown').mockReturnValue(0);
    expect(await code(await call('POST', '', { 'upload-length': '21', ...NAMED }, undefined, full))).toBe(
      '409 project.full',
    );
    const [one, two] = [await begin(15, {}, full), await begin(15, {}, full)];
    await append(one, 0, Buffer.alloc(14), full);
    expect(await code(await append(two, 0, Buffer.alloc(7), full))).toBe('409 project.full');
    expect((await append(two, 0, Buffer.alloc(6), full)).status).toBe(204);
    expect((await call('DELETE', two, {}, undefined, full)).status).toBe(204);
    const done = await append(one, 14, Buffer.alloc(1), full);
    expect(await contentOf(done.headers.get('kind-file') ?? '', full)).toHaveLength(15);
  });

  it('of another request is asked to let it go, and is free when that is gone', async () => {
    lowerLimit('uploadWaitSeconds', 0);
    const path = await begin(10);
    const held = (until: string) =>
      query(
        project,
        `UPDATE $schema."_upload" SET holder = '${randomUUID()}', held_until = now() + interval '${until}' WHERE id = '${path.slice(1)}'`,
      );
    await held('1 minute');
    expect((await call('HEAD', path)).status).toBe(423);
    const [row] = await query(project, `SELECT wanted FROM $schema."_upload" WHERE id = '${path.slice(1)}'`);
    expect(row).toEqual({ wanted: true });
    // It is asked once, however long others wait.
    const version = `SELECT xmin::text FROM $schema."_upload" WHERE id = '${path.slice(1)}'`;
    const before = await query(project, version);
    lowerLimit('uploadWaitSeconds', 0.2);
    expect((await call('HEAD', path)).status).toBe(423);
    expect(await query(project, version)).toEqual(before);
    await held('-1 second');
    expect(await offsetOf(path)).toBe(0);
    expect((await call('HEAD', `/${randomUUID()}`)).status).toBe(404);
  });
});

describe('uploads of members', () => {
  let member: TestProject;
  beforeAll(async () => {
    member = await asMember(project);
  });

  it('need a token', async () => {
    const anonymous = project.as(undefined);
    expect(await code(await call('POST', '', { 'upload-length': '1', ...NAMED }, undefined, anonymous))).toBe(
      '401 token.missing',
    );
  });

  it('are not those of others, and ten at most', async () => {
    const path = await begin(10, {}, member);
    for (const method of ['HEAD', 'DELETE']) expect((await call(method, path)).status).toBe(404);
    expect((await append(path, 0, Buffer.alloc(1))).status).toBe(404);
    const more = await Promise.all(
      Array.from({ length: 12 }, () => call('POST', '', { 'upload-length': '1', ...NAMED }, undefined, member)),
    );
    expect(more.filter(({ status }) => status === 201)).toHaveLength(9);
    const [refused] = more.filter(({ status }) => status !== 201);
    expect(refused && (await code(refused))).toBe('409 file.too_many_uploads');
    const done = await append(path, 0, Buffer.alloc(10), member);
    const unit = await ok(member.get(`/file/unit/${done.headers.get('kind-file')}`));
    expect(unit['owner']).toBeTypeOf('string');
  });
});
