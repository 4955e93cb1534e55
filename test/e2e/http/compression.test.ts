/** Large answers are compressed for clients that accept it; small ones, and those that may hold secrets, are not. */
import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { sharedService, startTestService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, { id: 'note', parameters: [{ id: 'body', kind_id: 'text' }] });
await ok(
  project.post(
    '/note/unit',
    Array.from({ length: 300 }, (_, n) => ({ body: `Größe ${n} 🐈 `.repeat(20) })),
  ),
);
const long = await createdId(project.post('/note/unit', { body: 'long '.repeat(1000) }));
const short = await createdId(project.post('/note/unit', { body: 'short' }));

interface RawReply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

const OWN = { 'kind-project-key': project.id, authorization: `Bearer ${project.token ?? ''}` };

function send(
  method: string,
  path: string,
  headers: http.OutgoingHttpHeaders,
  url = service.service.url,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/api/lib${path}`, { method, headers: { ...OWN, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) });
      });
    });
    request.on('error', reject).end();
  });
}

const LIST = '/note/unit?limit=1000';

it.each<[path: string, accepted: string | undefined, coding: string | undefined]>([
  [LIST, 'gzip, deflate, br, zstd', 'br'],
  [LIST, 'gzip', 'gzip'],
  [LIST, 'br;q=0, gzip', 'gzip'],
  [LIST, 'br;q=0.5, gzip', 'gzip'],
  [LIST, '*', 'br'],
  [LIST, 'gzip;q=0, br;q=0', undefined],
  [LIST, 'identity, gzip;q=0.5', undefined],
  [LIST, 'deflate', undefined],
  [LIST, undefined, undefined],
  [`/note/unit/${long}`, 'br', 'br'],
  [`/note/unit/${short}`, 'br', undefined],
])('GET %s with accept-encoding %s is encoded with %s', async (path, accepted, coding) => {
  const plain = await send('GET', path, {});
  const { status, headers, bytes } = await send(
    'GET',
    path,
    accepted === undefined ? {} : { 'accept-encoding': accepted },
  );
  const text = coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
  expect(status).toBe(200);
  expect(text.equals(plain.bytes)).toBe(true);
  expect(headers['content-encoding']).toBe(coding);
  expect(headers['content-length']).toBe(String(bytes.length));
  // One version of a unit has one ETag, so that it can be sent as If-Match.
  expect(headers.etag).toBe(plain.headers.etag);
  const isSmall = path.endsWith(short);
  expect(headers.vary).toBe(`Authorization, kind-project-key${isSmall ? '' : ', Accept-Encoding'}`);
  if (coding) expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
});

it('HEAD has the headers of GET, and a unit that is known is 304', async () => {
  const accepts = { 'accept-encoding': 'gzip' };
  const got = await send('GET', `/note/unit/${long}`, accepts);
  const head = await send('HEAD', `/note/unit/${long}`, accepts);
  const names = ['content-encoding', 'content-length', 'etag', 'vary'] as const;
  expect(names.map((name) => head.headers[name])).toEqual(names.map((name) => got.headers[name]));
  expect(head.bytes.length).toBe(0);
  const known = await send('GET', `/note/unit/${long}`, { ...accepts, 'if-none-match': got.headers.etag });
  expect([known.status, known.headers['content-encoding']]).toEqual([304, undefined]);
});

it('what must not be changed, and what may hold a secret, is sent as it is', async () => {
  const unchanged = await send('GET', LIST, { 'accept-encoding': 'gzip', 'cache-control': 'no-transform' });
  expect(unchanged.headers['content-encoding']).toBeUndefined();
  for (let n = 0; n < 8; n += 1) await service.signIn(project.id);
  const sessions = await send('GET', '/auth/session', { 'accept-encoding': 'gzip' });
  expect([sessions.status, sessions.bytes.length > 1024]).toEqual([200, true]);
  expect(sessions.headers['content-encoding']).toBeUndefined();
});

it('at most two answers are compressed at once, and all are right', async () => {
  const plain = await send('GET', LIST, {});
  const replies = await Promise.all(Array.from({ length: 12 }, () => send('GET', LIST, { 'accept-encoding': 'gzip' })));
  for (const { headers, bytes } of replies) {
    const text = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    expect(text.equals(plain.bytes)).toBe(true);
  }
});

it('nothing is compressed with COMPRESSION=off', async () => {
  const other = await startTestService({ compression: false });
  const { status, headers } = await send('GET', LIST, { 'accept-encoding': 'gzip' }, other.service.url);
  expect([status, headers['content-encoding']]).toEqual([200, undefined]);
  expect(headers.vary).toBe('Authorization, kind-project-key');
});
