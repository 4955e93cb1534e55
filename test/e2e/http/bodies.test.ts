/** Bodies as bytes: which ones are parsed as JSON, and which are refused with which status. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { expectWellFormed, scenarios } from '../../support/scenario.js';
import { startTestService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const service = await startTestService({ bodyLimit: 20_000, bodyLimitUnits: 50_000 });
const project = await service.project();
await defineKinds(project, {
  id: 'note',
  label: 'Note',
  parameters: [
    { id: 'text', kind_id: 'text' },
    { id: 'data', kind_id: 'json' },
  ],
});
const id = await createdId(project.post('/note/unit', { text: 'a' }));
const text = '{"text":"é🙂"}';
const deep = (levels: number) => `{"data":${'['.repeat(levels)}${']'.repeat(levels)}}`;

describe('a body', () => {
  const post = (name: string, body: string | Buffer, expected: object, headers: Record<string, string> = {}) => ({
    name,
    request: 'POST /note/unit',
    body,
    headers,
    expect: expected as never,
  });
  const stored = { status: 200, content: { text: 'é🙂' } };
  const malformed = { status: 400, code: 'body.malformed' };
  const notJson = { status: 415, code: 'body.not_json' };
  const notObject = { status: 400, code: 'body.not_object' };
  scenarios({ admin: project }, [
    post('of JSON is read', text, stored),
    post('may begin with a byte order mark', Buffer.from(`\ufeff${text}`), stored),
    post('may have white space around it', `\r\n\t ${text} \n`, stored),
    post('may say that it is UTF-8', text, stored, { 'content-type': 'application/json; charset=utf-8' }),
    post('may say so in quotes and capitals', text, stored, { 'content-type': 'Application/JSON;charset="UTF-8"' }),
    post('may be of a type that is JSON', text, stored, { 'content-type': 'application/merge-patch+json' }),
    post('may be compressed with gzip', gzipSync(text), stored, { 'content-encoding': 'gzip' }),
    post('may be compressed with deflate', deflateSync(text), stored, { 'content-encoding': 'deflate' }),
    post('may be compressed with brotli', brotliCompressSync(text), stored, { 'content-encoding': 'br' }),
    post(
      'has its limit after decompression',
      gzipSync(`{"text":"${'x'.repeat(60_000)}"}`),
      { status: 413, code: 'body.too_large' },
      { 'content-encoding': 'gzip' },
    ),
    post('that is not what its encoding says is 400', text, malformed, { 'content-encoding': 'gzip' }),
    post('cut off in its compression is 400', gzipSync(text).subarray(0, 15), malformed, {
      'content-encoding': 'gzip',
    }),
    post('in an unknown encoding is 415', text, notJson, { 'content-encoding': 'rot13' }),
    post('of text is 415', text, notJson, { 'content-type': 'text/plain' }),
    post('of a form is 415', 'text=a', notJson, { 'content-type': 'application/x-www-form-urlencoded' }),
    post('of another kind of JSON text is 415', text, notJson, { 'content-type': 'application/jsonp' }),
    post('of an empty type is 415', text, notJson, { 'content-type': '' }),
    post('in Latin-1 is 415', Buffer.from(text, 'latin1'), notJson, {
      'content-type': 'application/json; charset=iso-8859-1',
    }),
    post('in UTF-16 is 415', Buffer.from(text, 'utf16le'), notJson, {
      'content-type': 'application/json; charset=utf-16',
    }),
    post(
      'that is no UTF-8 is 400',
      Buffer.from([...Buffer.from('{"text":"'), 0xff, 0xfe, ...Buffer.from('"}')]),
      malformed,
    ),
    post(
      'with half a character is 400',
      Buffer.from([...Buffer.from('{"text":"'), 0xe2, 0x82, ...Buffer.from('"}')]),
      malformed,
    ),
    post(
      'with an overlong character is 400',
      Buffer.from([...Buffer.from('{"text":"'), 0xc0, 0x80, ...Buffer.from('"}')]),
      malformed,
    ),
    post('with half a surrogate pair is 400', '{"text":"\\ud83d"}', {
      status: 400,
      code: 'parameter.bad_value',
      parameter: 'text',
    }),
    post('with a NUL is 400', '{"text":"a\\u0000b"}', { status: 400, code: 'parameter.bad_value', parameter: 'text' }),
    post('with a NUL in a JSON value is 400', '{"data":{"a":["\\u0000"]}}', {
      status: 400,
      code: 'parameter.bad_value',
      parameter: 'data',
    }),
    post('with a NUL in a JSON key is 400', '{"data":{"\\u0000":1}}', {
      status: 400,
      code: 'parameter.bad_value',
      parameter: 'data',
    }),
    post('with a NUL in a key is 400', '{"te\\u0000xt":1}', { status: 400, code: 'parameter.unknown' }),
    post('that ends early is 400', '{"text":', malformed),
    post('with something behind is 400', '{}{}', malformed),
    post('with single quotes is 400', "{'text':'a'}", malformed),
    post('with a comment is 400', '{/* */}', malformed),
    post('with a trailing comma is 400', '{"text":"a",}', malformed),
    post('with NaN is 400', '{"data":NaN}', malformed),
    post('with a number too large is 400', '{"data":1e400}', {
      status: 400,
      code: 'parameter.bad_value',
      parameter: 'data',
    }),
    post('of white space is 400', '  ', malformed),
    post('that is empty is 400', '', notObject),
    post('that is null is 400', 'null', notObject),
    post('that is a string is 400', '"text"', notObject),
    post('that is a number is 400', '1', notObject),
    post('that is a list of something else is 400', '[{},1]', notObject),
    post('nested a hundred levels is stored', deep(100), { status: 200 }),
    post('nested deeper is 400', deep(101), { status: 400, code: 'parameter.bad_value', parameter: 'data' }),
    post('nested ten thousand levels is 400', deep(10_000), { status: 400, code: 'parameter.bad_value' }),
    post('nested in an unknown key is 400', `{"nope":${'['.repeat(9000)}${']'.repeat(9000)}}`, {
      status: 400,
      code: 'parameter.unknown',
    }),
    {
      name: 'of an edit is no list',
      request: `PUT /note/unit/${id}`,
      body: '[]',
      expect: { status: 400, code: 'body.not_object' },
    },
    {
      name: 'of an edit cannot be absent',
      request: `PUT /note/unit/${id}`,
      expect: { status: 400, code: 'body.not_object' },
    },
    {
      name: 'of a definition is no list',
      request: 'POST /kind/unit',
      body: '[{"id":"a"}]',
      expect: { status: 400, code: 'body.not_object' },
    },
    {
      name: 'of a sign-in is an object',
      request: 'POST /auth/signin',
      body: '[]',
      expect: { status: 400, code: 'body.not_object' },
    },
    {
      name: 'of a sign-in is JSON',
      request: 'POST /auth/signin',
      body: '{',
      expect: { status: 400, code: 'body.malformed' },
    },
    { name: 'of a get is of no interest', request: `GET /note/unit/${id}`, body: '{', expect: { status: 200 } },
    {
      name: 'of a delete is of no interest',
      request: 'DELETE /note/unit/0190163d-8694-739b-aea5-966c26f8ad91',
      body: '{',
      expect: { status: 404, code: 'unit.unknown' },
    },
  ]);

  it('rejected as too large does not affect the service or its connections', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(500_000) });
    const replies = await Promise.all(Array.from({ length: 10 }, () => project.post('/note/unit', large)));
    for (const reply of replies) {
      expectWellFormed(reply);
      expect(reply.status).toBe(413);
    }
    expect((await project.get(`/note/unit/${id}`)).status).toBe(200);
  });

  it('that the client never finishes does not affect others', async () => {
    const { hostname, port } = new URL(service.service.url);
    const { connect } = await import('node:net');
    const socket = connect(Number(port), hostname);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(
      `POST /api/lib/note/unit HTTP/1.1\r\nhost: x\r\nkind-project-key: ${project.id}\r\nauthorization: Bearer ${project.token ?? ''}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"text"`,
    );
    expect((await project.get(`/note/unit/${id}`)).status).toBe(200);
    socket.destroy();
    expect((await project.get(`/note/unit/${id}`)).status).toBe(200);
  });

  it('with faults is echoed only in small parts', async () => {
    const reply = await send(service.service, {
      method: 'POST',
      path: '/api/lib/note/unit',
      headers: {
        'kind-project-key': project.id,
        authorization: `Bearer ${project.token ?? ''}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ['k'.repeat(20_000)]: 1 }),
    });
    expect(reply.status).toBe(400);
    expect(reply.text.length).toBeLessThan(1000);
  });
});

describe('a body that is not needed', () => {
  const other = '/note/unit/0190163d-8694-739b-aea5-966c26f8ad91';
  const link = `/note/unit/${id}/link/link${other}`;
  const cases = ['/auth/verify', '/auth/signout', `${link.replace(other, `/note/unit/${id}`)}`];

  it.each(cases)('must be JSON anyway: POST %s', async (path) => {
    const mine = path === '/auth/signout' ? await service.signIn(project.id) : project;
    for (const [body, type, code] of [
      ['{"a":', 'application/json', 'body.malformed'],
      ['a=b', 'application/x-www-form-urlencoded', 'body.not_json'],
    ] as const) {
      const reply = await mine.post(path, body, { headers: { 'content-type': type } });
      expect(reply.body.messages).toMatchObject([{ code }]);
    }
    // Nothing was done, and JSON of any sort is passed over.
    expect((await mine.post(path, '[1]')).status).toBe(200);
  });

  it('is checked last', async () => {
    const refused = async (caller: typeof project, path: string) => (await caller.post(path, '{')).body.messages;
    for (const path of ['/auth/verify', '/auth/signout', link]) {
      expect(await refused(project.as(undefined), path)).toMatchObject([{ code: 'token.missing' }]);
    }
    expect(await refused(project, link)).toMatchObject([{ code: 'unit.unknown' }]);
  });

  it('of a link between definitions is checked too', async () => {
    const path = '/kind/unit/note/link/parameter/text/unit/text';
    expect((await project.post(path, '{')).body.messages).toMatchObject([{ code: 'body.malformed' }]);
    expect((await project.post(path)).status).toBe(200);
  });
});

it('a body is parsed once', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  // The helpers of other tests read bodies themselves.
  const write = (method: string, path: string) =>
    fetch(`${service.service.url}/api/lib${path}`, {
      method,
      headers: {
        'kind-project-key': project.id,
        authorization: `Bearer ${project.token ?? ''}`,
        'content-type': 'application/json',
      },
      body: '{"text":"only once"}',
    });
  expect((await write('POST', '/note/unit')).status).toBe(200);
  expect((await write('PUT', `/note/unit/${id}`)).status).toBe(200);
  const parsed = parse.mock.calls.filter(([given]) => given === '{"text":"only once"}');
  parse.mockRestore();
  expect(parsed).toHaveLength(2);
});
