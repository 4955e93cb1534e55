/** Files are uploaded, replaced and deleted, and nothing is kept of what is refused. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { StorageSizes } from '../../../src/catalog/project/storage-sizes.js';
import { FileBehavior } from '../../../src/file/file.behavior.js';
import { NewContents } from '../../../src/file/new-contents.js';
import { FILE_STORE, Objects } from '../../../src/file/objects.js';
import type { FileStore } from '../../../src/file/store/file-store.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, query, refusalOf } from '../../support/definitions.js';
import { runCommand } from '../../support/command-line.js';
import { BOUNDARY, FORM_TYPE, formOf, stored, upload, type Part } from '../../support/files.js';
import { changeLimit, lowerLimit } from '../../support/limits.js';
import { sharedService, startTestService, type TestProject } from '../../support/service.js';
import { PNG } from '../../unit/file/images.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
await defineKinds(project, {
  id: 'article',
  parameters: [
    { id: 'title', kind_id: 'string' },
    { id: 'cover', kind_id: 'unit', reference_kind: 'file' },
  ],
});
await ok(
  project.put('/kind/unit/file', {
    parameters: [...(await listed()), { id: 'alt', kind_id: 'string', max_length: 20 }],
  }),
);

async function listed(): Promise<string[]> {
  return ((await ok(project.get('/kind/unit/file'))) as { parameters: string[] }).parameters;
}

/** What a client says that has not looked at the content. */
const UNKNOWN = { 'content-type': 'application/octet-stream' };

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes);
const digestOf = (bytes: string | Buffer): string => `sha-256=:${sha256(bytes).digest('base64')}:`;

/** Expects a refusal after which the project has what it had before. */
async function expectNothingKept(
  of: TestProject,
  call: () => ReturnType<TestProject['call']>,
  status: number,
  message: string,
) {
  const before = await stored(of);
  const reply = await call();
  expect(refusalOf(reply)).toEqual({ status, messages: [message] });
  await vi.waitFor(async () => expect(await stored(of)).toEqual(before));
}

describe('a file whose content is the body', () => {
  it('has what was found in the content', async () => {
    const text = 'grüße\n';
    const made = (await ok(upload(project, 'a.txt', text))) as Record<string, unknown>;
    expect(made).toMatchObject({
      name: 'a.txt',
      media_type: 'text/plain',
      bytes: Buffer.byteLength(text),
      sha256: sha256(text).digest('hex'),
      width: null,
      height: null,
    });
    expect(made).not.toHaveProperty('object');
    expect(made).not.toHaveProperty('content');
    const picture = await ok(upload(project, 'a.png', PNG, UNKNOWN));
    expect(picture).toMatchObject({ media_type: 'image/png', bytes: PNG.length, width: 3, height: 2 });
    expect(await ok(upload(project, 'empty', '', UNKNOWN))).toMatchObject({
      media_type: 'application/octet-stream',
      bytes: 0,
    });
  });

  it('has the values of the query, among which its name wins', async () => {
    const asked = (values: object) => `/file/unit?name=a.txt&values=${encodeURIComponent(JSON.stringify(values))}`;
    expect(await ok(project.post(asked({ alt: 'x' }), 'a'))).toMatchObject({ name: 'a.txt', alt: 'x' });
    expect(await ok(project.post(asked({ name: 'b.txt' }), 'a'))).toMatchObject({ name: 'b.txt' });
    const named = `/file/unit?values=${encodeURIComponent('{"name":"c.txt"}')}`;
    expect(await ok(project.post(named, 'a'))).toMatchObject({ name: 'c.txt' });
  });

  it('is of the member that makes it', async () => {
    const { content: me } = (await ann.get('/auth/me')).body as { content: { id: string } };
    expect(await ok(upload(ann, 'a'))).toMatchObject({ owner: me.id });
    const reply = await ann.call('POST', `/file/unit?name=a&values=${encodeURIComponent('{"owner":null}')}`, 'a');
    expect(refusalOf(reply).status).toBe(400);
    const given = `/file/unit?name=a&values=${encodeURIComponent(JSON.stringify({ owner: me.id }))}`;
    expect(await ok(project.post(given, 'a'))).toMatchObject({ owner: me.id });
    const nobody = `/file/unit?name=a&values=${encodeURIComponent('{"owner":"me"}')}`;
    expect(refusalOf(await project.post(nobody, 'a'))).toEqual({
      status: 400,
      messages: ['parameter.bad_value owner'],
    });
  });

  it.each([
    ['a path', 'C:\\images\\a.jpg', 'a.jpg'],
    ['another path', '../../etc/passwd', 'passwd'],
    ['control characters', 'a\r\n\u0007b\u202e.txt', 'ab.txt'],
    ['NFD', 'u\u0308.txt', 'ü.txt'],
  ])('has a name without %s', async (_, name, kept) => {
    expect(await ok(upload(project, name))).toMatchObject({ name: kept });
  });

  it.each([
    ['no name', '/file/unit?values={}', 'parameter.required name'],
    ['an empty name', '/file/unit?name=', 'parameter.bad_value name'],
    ['the name of a folder', '/file/unit?name=a/..', 'parameter.bad_value name'],
    ['a long name', `/file/unit?name=${'a'.repeat(256)}`, 'parameter.too_long name'],
    ['two names', '/file/unit?name=a&name=b', 'query.bad_value name'],
    ['a name that is no text', '/file/unit?name=a&values={"name":1}', 'parameter.bad_type name'],
    ['values that are no object', '/file/unit?name=a&values=[]', 'query.bad_value values'],
    ['values with the content', '/file/unit?name=a&values={"content":"YQ=="}', 'query.bad_value values'],
    ['a parameter that it does not have', '/file/unit?name=a&values={"x":1}', 'parameter.unknown x'],
    ['a value that is too long', `/file/unit?name=a&values={"alt":"${'x'.repeat(21)}"}`, 'parameter.too_long alt'],
    ['what is found in the content', '/file/unit?name=a&values={"bytes":7}', 'parameter.read_only bytes'],
    ['a query of lists', '/file/unit?name=a&limit=1', 'query.unknown limit'],
  ])('is refused with %s', (_, path, message) =>
    expectNothingKept(
      project,
      () => project.post(path, 'a', { headers: { 'content-type': 'text/plain' } }),
      400,
      message,
    ),
  );

  it.each<[string, Record<string, string>, string | Buffer, number, string]>([
    ['of another type', { 'content-type': 'image/jpeg' }, PNG, 400, 'file.type_mismatch'],
    ['with a wrong digest', { 'content-digest': digestOf('b') }, 'a', 400, 'file.digest'],
    ['with a malformed digest', { 'content-digest': 'sha-256=:YQ==:' }, 'a', 400, 'file.digest'],
    ['in an encoding', { 'content-encoding': 'gzip' }, 'a', 415, 'body.not_json'],
  ])('is refused %s', (_, headers, content, status, code) =>
    expectNothingKept(project, () => upload(project, 'a', content, headers), status, code),
  );

  it('is stored with a good digest', async () => {
    expect(await ok(upload(project, 'a', 'a', { 'content-digest': digestOf('a') }))).toMatchObject({ bytes: 1 });
  });

  it('is not kept of a dry run', async () => {
    const before = await stored(project);
    const reply = await project.post('/file/unit?name=a&dry_run=true', 'a');
    expect([reply.status, reply.headers.get('kind-dry-run')]).toEqual([200, 'true']);
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
  });

  it('is made once for an idempotency key', async () => {
    const headers = { 'idempotency-key': 'upload', 'content-type': 'text/plain' };
    const first = await upload(project, 'a', 'once', headers);
    const before = await stored(project);
    const second = await upload(project, 'a', 'once', headers);
    expect([second.headers.get('idempotency-replayed'), second.text]).toEqual(['true', first.text]);
    for (const [name, content] of [
      ['a', 'twice'],
      ['b', 'once'],
    ] as const) {
      expect(refusalOf(await upload(project, name, content, headers)).messages).toEqual(['idempotency.mismatch']);
    }
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
    const bad = { ...headers, 'idempotency-key': 'a b', expect: '100-continue', 'content-length': '1000' };
    const refused = await project.call('POST', '/file/unit?name=a', undefined, { headers: bad });
    expect(refusalOf(refused)).toEqual({ status: 400, messages: ['idempotency.bad_key idempotency-key'] });
  });
});

describe('a form', () => {
  const FILE: Part = { field: 'file', value: 'content', filename: 'a.txt', type: 'text/plain' };
  const send = (parts: readonly Part[], path = '/file/unit', end?: string) =>
    project.post(path, formOf(parts, end), { headers: FORM_TYPE });

  it('is a file with its values', async () => {
    const values = { field: 'values', value: '{"alt":"x"}' };
    expect(await ok(send([values, FILE]))).toMatchObject({
      name: 'a.txt',
      alt: 'x',
      bytes: 7,
      media_type: 'text/plain',
    });
    expect(await ok(send([{ ...FILE, filename: 'grüße/ü.md', type: 'text/markdown' }]))).toMatchObject({
      name: 'ü.md',
    });
    const named = { field: 'values', value: '{"name":"b.txt"}' };
    expect(await ok(send([named, FILE], '/file/unit?name=c.txt'))).toMatchObject({ name: 'b.txt' });
    expect(await ok(send([FILE], '/file/unit?name=c.txt'))).toMatchObject({ name: 'c.txt' });
  });

  it('is the same for an idempotency key with another boundary', async () => {
    const [text, other] = [formOf([FILE]), formOf([{ ...FILE, value: 'other' }])];
    const sendForm = (form: string, boundary: string) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'idempotency-key': 'form' };
      return project.post('/file/unit', form.replaceAll(BOUNDARY, boundary), { headers });
    };
    const first = await ok(sendForm(text, 'one'));
    expect(await ok(sendForm(text, 'two'))).toEqual(first);
    expect(refusalOf(await sendForm(other, 'one')).messages).toEqual(['idempotency.mismatch']);
  });

  it('has a digest of all of it', async () => {
    const form = formOf([FILE]);
    const headers = (of: string) => ({ ...FORM_TYPE, 'content-digest': digestOf(of) });
    await ok(project.post('/file/unit', form, { headers: headers(form) }));
    const wrong = () => project.post('/file/unit', form, { headers: headers(FILE.value) });
    await expectNothingKept(project, wrong, 400, 'file.digest');
  });

  it.each<[string, readonly Part[], string?, string?]>([
    ['without a file', [{ field: 'values', value: '{}' }]],
    ['without an end', [FILE], '', ''],
    ['with two files', [FILE, FILE]],
    ['with values after the file', [FILE, { field: 'values', value: '{}' }]],
    ['with values twice', [{ field: 'values', value: '{}' }, { field: 'values', value: '{}' }, FILE]],
    ['with another field', [{ field: 'alt', value: 'x' }, FILE]],
    ['with a file in another field', [{ ...FILE, field: 'picture' }]],
    ['with values that are no object', [{ field: 'values', value: '[]' }, FILE], 'query.bad_value values'],
    ['with too many values', [{ field: 'values', value: `{"alt":"${'x'.repeat(LIMITS.formValues)}"}` }, FILE]],
    ['of another type', [{ ...FILE, value: `GIF89a${'\0'.repeat(100)}`, type: 'image/png' }], 'file.type_mismatch'],
  ])('%s is refused', (_, parts, message, end) =>
    expectNothingKept(
      project,
      () => send(parts, '/file/unit', end),
      400,
      message === undefined || message === '' ? 'body.malformed' : message,
    ),
  );

  it.each(['multipart/form-data', 'multipart/form-data; a=b'])('without a boundary is refused: %s', (type) => {
    const headers = { 'content-type': type };
    return expectNothingKept(
      project,
      () => project.post('/file/unit', formOf([FILE]), { headers }),
      400,
      'body.malformed',
    );
  });
});

describe('a file in JSON', () => {
  const file = (name: string, text = name) => ({ name, content: base64(text) });

  it('has its content in base64, alone and in a list', async () => {
    expect(await ok(project.post('/file/unit', { ...file('a.txt'), alt: 'x' }))).toMatchObject({ bytes: 5, alt: 'x' });
    const { items } = (await ok(project.post('/file/unit', [file('b', 'bb'), file('c', 'ccc')]))) as {
      items: { bytes: number }[];
    };
    expect(items.map(({ bytes }) => bytes)).toEqual([2, 3]);
    const reply = await project.post('/file/unit', [file('b'), { ...file('..'), owner: 'me' }]);
    expect((reply.body as { messages: object[] }).messages).toMatchObject([
      { parameter: 'owner', index: 1 },
      { parameter: 'name', index: 1 },
    ]);
  });

  it('has a digest of the whole body', async () => {
    const body = JSON.stringify(file('a'));
    const send = (digest: string, more = {}) =>
      project.call('POST', '/file/unit', body, {
        headers: { 'content-type': 'application/json', 'content-digest': digest, ...more },
      });
    expect(await ok(send(digestOf(body)))).toMatchObject({ bytes: 1 });
    const refused = { status: 400, messages: ['file.digest'] };
    expect(refusalOf(await send(digestOf('a')))).toEqual(refused);
    // It is of what is sent, here as of bodies that have no files, and of imports.
    const csv = 'title\nA\n';
    for (const [path, text, type] of [
      ['/article/unit', '{"title":"A"}', 'application/json'],
      ['/article/import', csv, 'text/csv'],
    ] as const) {
      const [packed, headers] = [gzipSync(text), { 'content-type': type }];
      const sendTo = (bytes: string | Buffer, of: string | Buffer, more = {}) =>
        project.call('POST', path, bytes, { headers: { ...headers, 'content-digest': digestOf(of), ...more } });
      const gzip = { 'content-encoding': 'gzip' };
      expect(await Promise.all([sendTo(text, text), sendTo(packed, packed, gzip)].map(ok))).toHaveLength(2);
      expect(refusalOf(await sendTo(text, 'a'))).toEqual(refused);
      expect(refusalOf(await sendTo(packed, text, gzip))).toEqual(refused);
    }
  });

  it('is what a body without a name is, if its type says so', async () => {
    const send = (headers: Record<string, string>) =>
      project.call('POST', '/file/unit', Buffer.from('{}'), { headers });
    for (const type of ['', 'text/plain']) {
      expect(refusalOf(await send({ 'content-type': type }))).toEqual({
        status: 400,
        messages: ['parameter.required name'],
      });
    }
    expect(refusalOf(await send({ 'content-type': 'application/json;charset=latin1' })).status).toBe(415);
  });

  it('is made with the unit that refers to it', async () => {
    const { cover } = (await ok(project.post('/article/unit', { title: 'A', cover: file('a.txt') }))) as {
      cover: string;
    };
    expect((await project.get(`/file/unit/${cover}/content`)).text).toBe('a.txt');
    const before = await stored(project);
    const reply = await project.post('/article/unit', { title: 1, cover: file('a.txt') });
    expect(reply.status).toBe(400);
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
  });

  it('of a batch may have a name that an earlier operation answers', async () => {
    const operations = [
      { method: 'POST', path: '/file/unit', body: file('a.csv'), as: 'first' },
      { method: 'POST', path: '/file/unit', body: { ...file('b'), name: { $from: 'first.name' } } },
    ];
    const { items } = (await ok(project.post('/batch', { operations }))) as { items: { content: object }[] };
    expect(items[1]?.content).toMatchObject({ name: 'a.csv', media_type: 'text/csv' });
  });

  it('is made by a batch, or nothing of it is', async () => {
    const create = (name: string) => ({ method: 'POST', path: '/file/unit', body: file(name) });
    await ok(project.post('/batch', { operations: [create('a'), create('b')] }));
    const raw = { method: 'POST', path: '/file/unit?name=c', body: {} };
    expect(refusalOf(await project.post('/batch', { operations: [raw] }))).toEqual({
      status: 400,
      messages: ['batch.not_here'],
    });
    const bad = { method: 'POST', path: '/article/unit', body: { title: 1 } };
    const before = await stored(project);
    expect((await project.post('/batch', { operations: [create('c'), bad] })).status).toBe(400);
    expect((await project.post('/batch?dry_run=true', { operations: [create('c')] })).status).toBe(200);
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
  });

  it('is made with as many others as a transaction may have', async () => {
    lowerLimit('filesInTransaction', 2);
    const before = await stored(project);
    const articles = ['a', 'b', 'c'].map((name) => ({ cover: file(name) }));
    const files = articles.map(({ cover }) => cover);
    const refused = (...messages: string[]) => ({ status: 400, messages });
    expect(refusalOf(await project.post('/article/unit', articles))).toEqual(refused('body.too_many cover'));
    expect(refusalOf(await project.post('/file/unit', files))).toEqual(refused('body.too_many'));
    // The last one is stored within the transaction, as the file that gets it is made there.
    const [first, second, { content }] = files as [object, object, { content: string }];
    const operations = [
      { method: 'POST', path: '/file/unit', body: first, as: 'first' },
      { method: 'POST', path: '/article/unit', body: { cover: second } },
      { method: 'PUT', path: '/file/unit/{first.id}', body: { content } },
    ];
    expect(refusalOf(await project.post('/batch', { operations }))).toEqual(refused('body.too_many'));
    await vi.waitFor(async () => expect(await stored(project)).toEqual(before));
    await ok(project.post('/batch', { operations: operations.slice(0, 2) }));
    await ok(project.post('/article/unit', articles.slice(1)));
    await ok(project.post('/file/unit', files.slice(1)));
  });

  it('is made once for an idempotency key', async () => {
    const create = () => project.post('/file/unit', file('once'), { headers: { 'idempotency-key': 'once' } });
    const [first, second] = [await create(), await create()];
    expect([second.headers.get('idempotency-replayed'), second.text]).toEqual(['true', first.text]);
  });

  it.each<[string, unknown, number, string]>([
    ['without a content', { name: 'a' }, 400, 'parameter.required content'],
    ['without a name', { content: '' }, 400, 'parameter.required name'],
    ['that is no base64', { name: 'a', content: 'a' }, 400, 'parameter.bad_value content'],
    ['that is too large', file('a', 'x'.repeat(LIMITS.fileInJson + 1)), 413, 'body.too_large content'],
  ])('%s is refused', (_, body, status, message) =>
    expectNothingKept(project, () => project.post('/file/unit', body), status, message),
  );

  it('takes as much as it may', async () => {
    const { bytes } = await ok(project.post('/file/unit', file('a', 'x'.repeat(LIMITS.fileInJson))));
    expect(bytes).toBe(LIMITS.fileInJson);
  });

  it('is neither imported nor upserted', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const line = JSON.stringify(file('a'));
    await expectNothingKept(project, () => project.post('/file/import', line, { headers }), 400, 'file.not_here');
    const path = '/file/unit?on_conflict=update&by=id';
    await expectNothingKept(project, () => project.post(path, file('a')), 400, 'file.not_here');
  });
});

/** No key is listed that a file has, and the bytes of all files are counted. */
async function expectConsistent(of: TestProject): Promise<void> {
  const text = `SELECT (SELECT count(*)::int FROM $schema."_unused_object" JOIN $schema.file ON object = "_unused_object".id) AS listed,
    (SELECT coalesce(sum(bytes), 0)::int FROM $schema.file) AS bytes, bytes::int AS counted FROM $schema."_files"`;
  await vi.waitFor(async () => {
    const [found] = await query<{ listed: number; bytes: number; counted: number }>(of, text);
    expect(found).toEqual({ listed: 0, bytes: found?.counted, counted: found?.counted });
  });
}

it('all that was made is counted and listed as it should be', () => expectConsistent(project));

describe('a replacement', () => {
  const replace = (of: TestProject, id: string, content: string | Buffer, headers: Record<string, string> = {}) =>
    of.call('PUT', `/file/unit/${id}/content`, content, { headers: { 'content-type': 'text/plain', ...headers } });

  it('is a new content of the same file', async () => {
    const of = await service.project();
    const id = await createdId(upload(of, 'a.txt', 'old'));
    const before = (await of.get(`/file/unit/${id}/content`)).headers.get('etag') ?? '';
    const reply = await replace(of, id, 'longer', { 'if-match': before });
    expect(reply.body.content).toMatchObject({ id, name: 'a.txt', bytes: 6, sha256: sha256('longer').digest('hex') });
    const after = await of.get(`/file/unit/${id}/content`);
    expect([after.text, after.headers.get('etag')]).toEqual(['longer', reply.headers.get('etag')]);
    expect(reply.headers.get('etag')).not.toBe(before);
    // The old one stays for those who read it.
    expect(await stored(of)).toEqual({ files: 1, bytes: 6, objects: 2, unused: 1 });
    expect(await query(of, 'SELECT 1 FROM $schema."_unused_object" WHERE goes_at > now()')).toHaveLength(1);
    await ok(of.delete(`/file/unit/${id}`));
    expect(await stored(of)).toEqual({ files: 0, bytes: 0, objects: 2, unused: 2 });
  });

  it('is tried by a dry run, and done once for an idempotency key, whatever has happened since', async () => {
    const of = await service.project();
    const id = await createdId(upload(of, 'a.txt', 'old'));
    const etag = (await of.get(`/file/unit/${id}/content`)).headers.get('etag') ?? '';
    const content = { headers: { 'content-type': 'text/plain', 'if-match': etag } };
    const before = await stored(of);
    const tried = await of.call('PUT', `/file/unit/${id}/content?dry_run=true`, 'new!', content);
    expect([tried.headers.get('kind-dry-run'), tried.body.content]).toMatchObject(['true', { id, bytes: 4 }]);
    await vi.waitFor(async () => expect(await stored(of)).toEqual(before));
    expect((await of.get(`/file/unit/${id}/content`)).text).toBe('old');

    const keyed = (text: string) => replace(of, id, text, { 'if-match': etag, 'idempotency-key': 'replace' });
    const first = await keyed('new');
    expect(first.body.content).toMatchObject({ bytes: 3 });
    const again = async (): Promise<unknown> => {
      const { text, headers } = await keyed('new');
      return [headers.get('idempotency-replayed'), headers.get('etag'), text];
    };
    const same = ['true', first.headers.get('etag'), first.text];
    expect(await again()).toEqual(same);
    expect(refusalOf(await keyed('other')).messages).toEqual(['idempotency.mismatch']);
    await ok(replace(of, id, 'newest'));
    expect(await again()).toEqual(same);
    await ok(of.delete(`/file/unit/${id}`));
    expect(await again()).toEqual(same);
    expect(refusalOf(await replace(of, id, 'new', { 'idempotency-key': 'another' })).messages).toEqual([
      'unit.unknown',
    ]);
    await vi.waitFor(async () => expect(await stored(of)).toMatchObject({ files: 0, bytes: 0, objects: 3, unused: 3 }));
  });

  it('by a form or in JSON changes what these say', async () => {
    const id = await createdId(upload(project, 'a.txt', 'old'));
    const form = formOf([
      { field: 'values', value: '{"alt":"y"}' },
      { field: 'file', value: 'new', filename: 'b.txt' },
    ]);
    expect(await ok(replace(project, id, form, FORM_TYPE))).toMatchObject({ name: 'a.txt', alt: 'y', bytes: 3 });
    expect(await ok(project.put(`/file/unit/${id}`, { content: base64('json') }))).toMatchObject({
      media_type: 'text/plain',
      bytes: 4,
    });
    expect(await ok(project.put(`/file/unit/${id}`, { name: 'c.txt' }))).toMatchObject({ name: 'c.txt', bytes: 4 });
    expect((await project.get(`/file/unit/${id}/content`)).text).toBe('json');
  });

  it('is not undone: an earlier content does not come back', async () => {
    const of = await service.project();
    await ok(of.put('/kind/unit/file', { changes: 'history' }));
    const id = await createdId(upload(of, 'a.txt', 'one'));
    await ok(of.put(`/file/unit/${id}`, { name: 'b.txt' }));
    const { items } = (await ok(of.get(`/file/unit/${id}/history`))) as { items: { version: number }[] };
    const revert = (version?: number, parameters?: string[]) =>
      of.post(`/file/unit/${id}/revert`, { version, ...(parameters && { parameters }) });
    const [named, first] = items.map(({ version }) => version);
    await ok(revert(first));
    await ok(replace(of, id, 'two'));
    const gone = { status: 409, messages: ['file.content_gone'] };
    expect(refusalOf(await revert(named))).toEqual(gone);
    expect(refusalOf(await revert(named, ['name', 'sha256']))).toEqual(gone);
    expect(await ok(revert(named, ['name']))).toMatchObject({ unit: { name: 'b.txt', bytes: 3 }, left_out: [] });
    await ok(of.delete(`/file/unit/${id}`));
    expect(refusalOf(await revert(named))).toEqual(gone);
  });

  it('of several files by a filter gives each its own', async () => {
    const of = await service.project();
    const [a, b] = [await createdId(upload(of, 'a', 'a')), await createdId(upload(of, 'b', 'b'))];
    await ok(of.put('/file/unit?filter=all()', { name: 'x/c', content: base64('new') }));
    await vi.waitFor(async () => expect(await stored(of)).toMatchObject({ files: 2, bytes: 6, objects: 4, unused: 2 }));
    await ok(of.delete(`/file/unit/${a}`));
    expect(await ok(of.get(`/file/unit/${b}`))).toMatchObject({ name: 'c', bytes: 3 });
    expect((await of.get(`/file/unit/${b}/content`)).text).toBe('new');
  });

  it('is refused where the content is another by now, of two at once one', async () => {
    const of = await service.project();
    const id = await createdId(upload(of, 'a.txt', 'old'));
    const etag = (await of.get(`/file/unit/${id}/content`)).headers.get('etag') ?? '';
    const both = await Promise.all(['one', 'two'].map((text) => replace(of, id, text, { 'if-match': etag })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    await vi.waitFor(async () => expect(await stored(of)).toEqual({ files: 1, bytes: 3, objects: 2, unused: 1 }));
    await expectNothingKept(of, () => replace(of, id, 'three', { 'if-match': etag }), 412, 'unit.changed');
    expect(['one', 'two']).toContain((await of.get(`/file/unit/${id}/content`)).text);
  });

  it('is refused to others, and of what is not there', async () => {
    const id = await createdId(upload(project, 'a.txt'));
    const none = '00000000-0000-4000-8000-000000000000';
    await expectNothingKept(project, () => replace(ann, id, 'b'), 404, 'unit.unknown');
    await expectNothingKept(project, () => replace(anonymous(project), id, 'b'), 401, 'token.missing');
    await expectNothingKept(project, () => replace(project, none, 'b'), 404, 'unit.unknown');
  });
});

describe('limits of uploads', () => {
  it('hold for what is announced, and for what comes', async () => {
    const small = await startTestService({ fileLimit: 100 });
    const of = await small.project();
    const chunked = { 'transfer-encoding': 'chunked' };
    expect(await ok(upload(of, 'a', 'x'.repeat(100), chunked))).toMatchObject({ bytes: 100 });
    for (const headers of [{}, chunked]) {
      await expectNothingKept(of, () => upload(of, 'a', 'x'.repeat(101), headers), 413, 'body.too_large');
    }
    const form = (length: number) => formOf([{ field: 'file', value: 'x'.repeat(length), filename: 'a' }]);
    expect(await ok(of.post('/file/unit', form(100), { headers: FORM_TYPE }))).toMatchObject({ bytes: 100 });
    const large = () => of.post('/file/unit', form(101), { headers: FORM_TYPE });
    await expectNothingKept(of, large, 413, 'body.too_large');
  });

  it('are less for those without a token', async () => {
    lowerLimit('fileAnonymous', 10);
    const of = await service.project();
    await ok(of.put('/kind/unit/file', { access: { create: 'anyone' } }));
    expect((await upload(anonymous(of), 'a', 'x'.repeat(10))).status).toBe(200);
    await expectNothingKept(of, () => upload(anonymous(of), 'a', 'x'.repeat(11)), 413, 'body.too_large');
    await ok(upload(of, 'a', 'x'.repeat(11)));
  });

  it('are judged after the rights, and before the body is read', async () => {
    const headers = { 'content-length': String(2 ** 40), expect: '100-continue' };
    const announced = (of: TestProject, path: string) => of.call('POST', path, undefined, { headers });
    expect(refusalOf(await announced(anonymous(project), '/file/unit?name=a')).status).toBe(401);
    expect(refusalOf(await announced(project, '/file/unit?name=..')).messages).toEqual(['parameter.bad_value name']);
    expect(refusalOf(await announced(project, '/file/unit?name=a')).status).toBe(413);
  });
});

describe('the storage of a project', () => {
  it('holds exactly as many files as fit, also at once', async () => {
    changeLimit('uploadsPerProject', 50);
    const of = await (await startTestService()).project();
    const tables = 1_000_000;
    vi.spyOn(of.service.app.get(StorageSizes), 'lastKnown').mockReturnValue(tables);
    await of.service.app.get(Provisioning).set(of.id, { settings: { storage: tables + 20 * 10 } });
    const send = (at: number) =>
      upload(of, `a${at}`, 'x'.repeat(10), { 'content-type': 'text/plain', 'idempotency-key': `a${at}` });
    const replies = await Promise.all(Array.from({ length: 50 }, (_, at) => send(at)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    const last = replies.findLastIndex(({ status }) => status === 200);
    expect((await send(last)).text).toBe(replies[last]?.text);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map((each) => refusalOf(each).messages.join()))).toEqual(new Set(['project.full']));
    await vi.waitFor(async () => expect(await stored(of)).toEqual({ files: 20, bytes: 200, objects: 20, unused: 0 }));
    // Other units are judged with them; of files what they would have.
    await ok(of.post('/kind/unit', { id: 'thing' }));
    const file = replies.find(({ status }) => status === 200)?.body.content.id as string;
    expect(refusalOf(await of.post('/thing/unit', {})).messages).toEqual(['project.full']);
    const replaced = { headers: { 'content-type': 'text/plain' } };
    await ok(of.call('PUT', `/file/unit/${file}/content`, 'y'.repeat(9), replaced));
    await ok(of.post('/thing/unit', {}));
    await ok(of.call('PUT', `/file/unit/${file}/content`, 'y'.repeat(10), replaced));
    expect(refusalOf(await of.post('/thing/unit', {})).messages).toEqual(['project.full']);
    await ok(of.delete(`/file/unit/${file}`));
    await ok(of.post('/thing/unit', {}));

    const { out } = await runCommand('project', 'show', of.id, '--json');
    expect(JSON.parse(out)).toMatchObject({ files: 19, contents: '190b' });
    const metrics = await (await fetch(`${of.service.url}/metrics`)).text();
    expect(metrics).toContain('kind_file_contents_total 22\n');
    expect(metrics).toContain('kind_file_bytes_total 219\n');
    expect(metrics).toContain('kind_queue_running{queue="pictures"} 0\n');
  });
});

describe('contents that files have left', () => {
  it('take as much as the storage again: then no content comes in, and all can be deleted', async () => {
    const of = await service.project();
    const { app } = of.service;
    vi.spyOn(app.get(StorageSizes), 'lastKnown').mockReturnValue(0);
    await app.get(Provisioning).set(of.id, { settings: { storage: 100 } });
    const file = await createdId(upload(of, 'a', 'x'.repeat(40)));
    const replace = (content: string, by = of) =>
      by.call('PUT', `/file/unit/${file}/content`, content, { headers: { 'content-type': 'text/plain' } });
    const left = async () => (await query(of, 'SELECT left_bytes::int AS left FROM $schema."_files"'))[0];
    const show = async () => JSON.parse((await runCommand('project', 'show', of.id, '--json')).out) as object;
    // At once, so that none is judged by what it was before another one.
    const replies = await Promise.all(Array.from({ length: 8 }, () => replace('y'.repeat(40))));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
    const { messages } = replies.find(({ status }) => status !== 200)?.body ?? {};
    expect(messages).toEqual([
      {
        code: 'project.full',
        text: expect.stringMatching(
          /^Contents of replaced and deleted files, which stay for 24 hours, fill the project: 120b of at most 100b, of which the first go at 20.*Z\. Wait until then, or raise its storage$/,
        ) as string,
      },
    ]);
    expect(await show()).toMatchObject({ contents: '40b', left_contents: '80b' });
    const text = 'Contents of replaced and deleted files, which stay for 24 hours, fill the project';
    await ok(of.put('/kind/unit/file', { access: { read: 'member', update: 'member' } }));
    expect((await replace('y', await asMember(of))).body.messages[0]?.text).toBe(text);
    const json = { content: Buffer.from('z').toString('base64') };
    expect(refusalOf(await of.put(`/file/unit/${file}`, json)).messages).toEqual(['project.full']);
    // What leaves nothing is taken, until the deletion of all.
    const others = [await createdId(upload(of, 'b', 'x'.repeat(30))), await createdId(upload(of, 'c', 'x'.repeat(30)))];
    for (const id of [file, ...others]) await ok(of.delete(`/file/unit/${id}`));
    expect(await left()).toEqual({ left: 180 });
    expect(refusalOf(await upload(of, 'a')).messages).toEqual(['project.full']);
    expect(refusalOf(await of.post('/file/unit', { name: 'a', ...json })).messages).toEqual(['project.full']);
    await ok(of.post('/kind/unit', { id: 'thing' }));
    await ok(of.post('/thing/unit', {}));

    await query(of, `UPDATE $schema."_unused_object" SET goes_at = now() - interval '1 second' WHERE bytes = 40`);
    await app.get(Objects).removeDue({ id: of.id, schema: `project_${of.id}` });
    expect(await left()).toEqual({ left: 60 });
    await ok(upload(of, 'a'));
  });

  it('are those of uploads too that failed and could not be removed', async () => {
    const of = await service.project();
    const { app } = of.service;
    await ok(of.put('/kind/unit/file', { parameters: [{ id: 'alt', kind_id: 'string', unique: true }] }));
    const values = encodeURIComponent(JSON.stringify({ alt: 'a' }));
    const again = () => of.call('POST', `/file/unit?name=a&values=${values}`, 'content');
    await ok(again());
    const removals = vi.spyOn(app.get<FileStore>(FILE_STORE), 'delete').mockRejectedValue(new Error('not removed'));
    expect((await again()).status).toBe(409);
    const left = 'SELECT left_bytes::int AS left FROM $schema."_files"';
    await vi.waitFor(async () => expect(await query(of, left)).toEqual([{ left: 7 }]));
    removals.mockRestore();
    await query(of, `UPDATE $schema."_unused_object" SET goes_at = now()`);
    await app.get(Objects).removeDue({ id: of.id, schema: `project_${of.id}` });
    expect(await query(of, left)).toEqual([{ left: 0 }]);
  });
});

describe('places of uploads', () => {
  /** Uploads that wait for the rest of their body. */
  async function waiting(of: TestProject, count: number): Promise<() => Promise<(number | undefined)[]>> {
    const { hostname, port } = new URL(of.service.url);
    const headers = {
      'kind-project-key': of.id,
      'content-type': 'text/plain',
      ...(of.token !== undefined && { authorization: `Bearer ${of.token}` }),
    };
    const requests = Array.from({ length: count }, () => {
      const request = http.request({ hostname, port, method: 'POST', path: '/api/lib/file/unit?name=a', headers });
      request.write('a');
      return request;
    });
    const statuses = requests.map((request) =>
      once(request, 'response').then(([reply]) => (reply as http.IncomingMessage).resume().statusCode),
    );
    await vi.waitFor(async () => expect((await stored(of)).unused).toBe(count));
    return () => {
      for (const request of requests) request.end();
      return Promise.all(statuses);
    };
  }

  it('of a project are eight, of which two for those without a token; others have theirs', async () => {
    const [of, other] = [await service.project(), await service.project()];
    await ok(of.put('/kind/unit/file', { access: { create: 'anyone' } }));
    const busy = { status: 503, messages: ['server.busy'] };
    const endTwo = await waiting(anonymous(of), 2);
    expect(refusalOf(await upload(anonymous(of), 'a'))).toEqual(busy);
    await ok(upload(of, 'a'));
    expect(await endTwo()).toEqual([200, 200]);
    const endAll = await waiting(of, LIMITS.uploadsPerProject);
    const reply = await upload(of, 'a');
    expect(refusalOf(reply)).toEqual(busy);
    expect(reply.headers.get('retry-after')).toBeTruthy();
    await ok(upload(other, 'a'));
    expect(new Set(await endAll())).toEqual(new Set([200]));
    await ok(upload(of, 'a'));
  });

  it('are given back by clients that go, and nothing is kept of what they sent', async () => {
    const of = await service.project();
    const { hostname, port } = new URL(of.service.url);
    const headers = { 'kind-project-key': of.id, authorization: `Bearer ${of.token ?? ''}`, 'content-length': 10 };
    const request = http.request({ hostname, port, method: 'POST', path: '/api/lib/file/unit?name=a', headers });
    request.on('error', () => undefined).write('a');
    await vi.waitFor(async () => expect((await stored(of)).unused).toBe(1));
    request.destroy();
    await vi.waitFor(async () => expect(await stored(of)).toEqual({ files: 0, bytes: 0, objects: 0, unused: 0 }));
  });

  it('are of no use to those whose session was ended before all of it was here', async () => {
    const of = await service.project();
    const member = await asMember(of);
    const { content: me } = (await member.get('/auth/me')).body as { content: { id: string } };
    const send = await waiting(member, 1);
    await ok(of.delete(`/person/unit/${me.id}`));
    expect(await send()).toEqual([401]);
    await vi.waitFor(async () => expect(await stored(of)).toEqual({ files: 0, bytes: 0, objects: 0, unused: 0 }));
  });

  it('make no file whose content is removed meanwhile, as its client has gone', async () => {
    const of = await service.project();
    const { app } = of.service;
    const [contents, behavior] = [app.get(NewContents), app.get(FileBehavior)];
    const complete = behavior.complete.bind(behavior);
    vi.spyOn(behavior, 'complete').mockImplementationOnce((draft, write) => {
      const completed = complete(draft, write);
      const content = behavior.contentOf(completed, write.kind);
      if (content) void contents.end(write.session.project, content);
      return completed;
    });
    expect(refusalOf(await upload(of, 'a')).messages).toEqual(['body.malformed']);
    await vi.waitFor(async () => expect(await stored(of)).toEqual({ files: 0, bytes: 0, objects: 0, unused: 0 }));
  });
});
