/**
 * Answers that are sent before the body of the request has arrived: clients that end the connection with the request and
 * read only after they have sent everything receive all of them.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OpenRequests } from '../../../src/http/server/open-requests.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { defineKinds } from '../../support/callers.js';
import { startTestService } from '../../support/service.js';
import { sendBytes } from '../../support/wire.js';

const service = await startTestService({ bodyLimit: 20_000, bodyLimitUnits: 50_000 });
const project = await service.project();
await defineKinds(project, { id: 'note', label: 'Note', parameters: [{ id: 'text', kind_id: 'text' }] });

const MEGABYTE = 1024 * 1024;
/** More than the operating system holds: with one megabyte, no answer would be lost if the service did not read on. */
const UPLOADED = 4 * MEGABYTE;
/** Not more: the service reads all of them on at a limited rate. */
const AT_ONCE = 10;
const { hostname, port } = new URL(service.service.url);
const bearer = `authorization: Bearer ${project.token ?? ''}`;
const SENT = Buffer.alloc(64 * 1024, ' ');

interface Upload {
  readonly path: string;
  readonly headers?: readonly string[];
  readonly chunked?: boolean;
  readonly bytes?: number;
}

function headOf({ path, headers = [], chunked = false, bytes = UPLOADED }: Upload): string {
  const framing = chunked ? 'transfer-encoding: chunked' : `content-length: ${bytes}`;
  const own = [`kind-project-key: ${project.id}`, 'content-type: application/json', framing, ...headers];
  return [
    `POST ${path.startsWith('/api') ? path : `/api/lib${path}`} HTTP/1.1`,
    'host: x',
    'connection: close',
    ...own,
    '',
    '',
  ].join('\r\n');
}

/** Sends a whole request, then reads: the status of the answer, or how the connection broke. */
async function upload(given: Upload): Promise<string> {
  const { chunked = false, bytes = UPLOADED } = given;
  const socket = connect(Number(port), hostname);
  const ended = new Promise<string>((resolve) => {
    let text = '';
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('readable', () => {
      // Nothing is taken from the connection before all is sent.
      if (!socket.writableFinished) return;
      const part = socket.read() as Buffer | null;
      if (part) text += part.toString();
    });
    socket.on('end', () => resolve(/^HTTP\/1\.1 (\d+) [^]*"messages":\[/.exec(text)?.[1] ?? `cut off: ${text}`));
  });
  await once(socket, 'connect');
  socket.write(headOf(given));
  const part = chunked
    ? Buffer.concat([Buffer.from(`${SENT.length.toString(16)}\r\n`), SENT, Buffer.from('\r\n')])
    : SENT;
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += SENT.length) {
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), ended]);
  }
  socket.end(chunked ? '0\r\n\r\n' : '', () => socket.emit('readable'));
  return ended.finally(() => socket.destroy());
}

describe('ten at once get', () => {
  it.each<[number, string, Upload]>([
    [413, 'a body that is announced as too large', { path: '/note/unit', headers: [bearer] }],
    [413, 'one that turns out to be', { path: '/note/unit', headers: [bearer], chunked: true }],
    [413, 'a sign-in that is too large', { path: '/auth/signin' }],
    [401, 'no token', { path: '/note/unit' }],
    [401, 'a bad token', { path: '/note/unit', headers: ['authorization: Bearer x'], chunked: true }],
    [403, 'no right', { path: '/kind_system_user/unit', headers: [bearer] }],
    [404, 'no such kind', { path: '/nothing/unit', headers: [bearer] }],
    [404, 'no such route', { path: '/a/b/c/d', headers: [bearer], chunked: true }],
    [415, 'an unknown encoding', { path: '/note/unit', headers: [bearer, 'content-encoding: rot13'] }],
    [400, 'bytes that are no request', { path: '/note/unit', headers: ['bad header'] }],
  ])('%i for %s', async (status, _, given) => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => upload(given)));
    expect(answers).toEqual(answers.map(() => String(status)));
  });
});

it('ten concurrent requests get 429 for too many attempts', async () => {
  const wrong = '/auth/reset_password/wrong';
  const open = project.as(undefined);
  while ((await open.post(wrong, { new_password: 'correct horse 2' })).status === 401);
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => upload({ path: wrong })));
  expect(answers).toEqual(answers.map(() => '429'));
});

it('a kept connection continues with the next request', async () => {
  const bytes = 4 * MEGABYTE;
  const head = headOf({ path: '/note/unit', bytes }).replace('connection: close\r\n', '');
  const next = 'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
  const text = await sendBytes(service.service, `${head}${' '.repeat(bytes)}${next}`);
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['401', '200']);
});

it('reading on is limited', async () => {
  const socket = connect(Number(port), hostname);
  const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()));
  await once(socket, 'connect');
  socket.write(headOf({ path: '/nothing/unit', bytes: 1024 * MEGABYTE }));
  let sent = 0;
  while (!socket.destroyed && sent < 512 * MEGABYTE) {
    sent += SENT.length;
    if (!socket.write(SENT)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  }
  expect(sent).toBeGreaterThan(LIMITS.lingerBytes);
  expect(sent).toBeLessThan(LIMITS.lingerBytes + 64 * MEGABYTE);
});

// The last one: the service answers nothing else afterwards.
it('ten concurrent requests get 503 of a stopping service', async () => {
  service.service.app.get(OpenRequests).enter('refusing');
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => upload({ path: '/note/unit', headers: [bearer] })),
  );
  expect(answers).toEqual(answers.map(() => '503'));
});
