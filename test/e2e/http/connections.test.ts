/** Unusual connections and request heads: incomplete, pipelined and malformed ones. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { defineKinds } from '../../support/callers.js';
import { sharedService } from '../../support/service.js';
import { sendBytes } from '../../support/wire.js';

const started = await sharedService();
const { service } = started;
const project = await started.project();
await defineKinds(project, { id: 'note', label: 'Note', parameters: [{ id: 'title', kind_id: 'string' }] });

const OWN = `host: x\r\nkind-project-key: ${project.id}\r\nauthorization: Bearer ${project.token ?? ''}\r\n`;
const CLOSE = 'connection: close\r\n';

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: { content: unknown; messages: { code: string; text: string }[] } | undefined;
}

/** The answers that come back before the connection ends, in their order. */
async function answersTo(bytes: string): Promise<Answer[]> {
  const text = await sendBytes(service, bytes);
  return text
    .split(/(?=HTTP\/1\.1 \d)/)
    .filter((part) => part !== '')
    .map((part) => {
      const [head = '', body = ''] = part.split('\r\n\r\n');
      return {
        status: Number(head.slice(9, 12)),
        head,
        body: body === '' ? undefined : (JSON.parse(body) as Answer['body']),
      };
    });
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${OWN}${headers}\r\n`;
const create = (title: string, headers = '') => {
  const body = JSON.stringify({ title });
  return `POST /api/lib/note/unit HTTP/1.1\r\n${OWN}content-type: application/json\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
};
const codes = (answers: Answer[]) => answers.map(({ status, body }) => [status, body?.messages[0]?.code]);
const countOf = async (title: string) =>
  (await project.get(`/note/unit?filter=eq(title,${title})`)).body.content.count as number;

describe('header fields', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `x${at}: 1\r\n`).join('');

  it(`${LIMITS.headerFields} are taken, wherever the token is among them`, async () => {
    const path = 'GET /api/lib/note/unit HTTP/1.1\r\n';
    const answers = await answersTo(`${path}${fields(LIMITS.headerFields - 4)}${OWN}${CLOSE}\r\n`);
    expect(answers).toMatchObject([{ status: 200 }]);
  });

  it('more are 431, wherever the token is', async () => {
    for (const [before, after] of [
      [LIMITS.headerFields, 0],
      [0, LIMITS.headerFields],
    ] as const) {
      const bytes = `GET /api/lib/note/unit HTTP/1.1\r\n${fields(before)}${OWN}${fields(after)}${CLOSE}\r\n`;
      expect(codes(await answersTo(bytes))).toEqual([[431, 'request.head_too_large']]);
    }
  });

  it.each([
    ['fields', `GET / HTTP/1.1\r\n${'x: yyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(4000)}\r\n`],
    ['an address', `GET /${'x'.repeat(200_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['one field', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`],
  ])('of too many bytes are 431: %s', async (_, bytes) => {
    expect(codes(await answersTo(bytes))).toEqual([[431, 'request.head_too_large']]);
  });

  it.each([
    ['authorization', 'authorization: Bearer other\r\n'],
    ['kind-project-key', 'Kind-Project-Key: other\r\n'],
    ['host', 'host: y\r\n'],
    ['content-type', 'content-type: text/plain\r\nContent-Type: application/json\r\n'],
  ])('that a request has once are 400 where it has two: %s', async (parameter, more) => {
    const answers = await answersTo(get('/api/lib/note/unit', `${more}${CLOSE}`));
    expect(answers).toMatchObject([
      { status: 400, body: { content: null, messages: [{ code: 'request.malformed', parameter }] } },
    ]);
  });

  it('of other names may occur twice', async () => {
    const tags = 'if-none-match: "a"\r\nif-none-match: "b"\r\naccept: */*\r\naccept: text/html\r\n';
    expect(await answersTo(get('/api/lib/note/unit', `${tags}${CLOSE}`))).toMatchObject([{ status: 200 }]);
  });

  it('a request without Host is 400 in the envelope, except for HTTP/1.0', async () => {
    expect(codes(await answersTo(`GET /health/live HTTP/1.1\r\n${CLOSE}\r\n`))).toEqual([[400, 'request.malformed']]);
    expect(await answersTo('GET /health/live HTTP/1.0\r\n\r\n')).toMatchObject([{ status: 200 }]);
  });
});

describe('a connection without a complete request head', () => {
  const server = service.app.getHttpServer();
  const { headersTimeout } = server;
  afterEach(() => void (server.headersTimeout = headersTimeout));

  it('is closed after 15 seconds', () => expect(headersTimeout).toBe(15_000));

  it('of an import may be sent as long as the import may take', () => {
    expect(server.requestTimeout).toBeGreaterThan(LIMITS.transferSeconds * 1000);
  });

  it.each([
    ['nothing', '', /^$/],
    ['half a head', 'GET /health/live HTTP/1.1\r\nhos', /^HTTP\/1\.1 400 [^]*"request\.malformed"/],
    ['half a head after a whole request', `${get('/health/live')}GET /health`, /^HTTP\/1\.1 200 [^]*HTTP\/1\.1 400 /],
  ])('is closed: %s', async (_, bytes, expected) => {
    server.headersTimeout = 100;
    expect(await sendBytes(service, bytes)).toMatch(expected);
  });

  it('has the full time for each request', async () => {
    server.headersTimeout = 1500;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    for (let round = 0; round < 4; round += 1) {
      socket.write(get('/health/live'));
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    socket.destroy();
  });
});

describe('Expect: 100-continue', () => {
  /** What comes back for the head alone, until it ends or asks for the body, and then for that. */
  async function ask(path: string, length: number, headers: string = OWN): Promise<string> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const type = 'content-type: application/json\r\nexpect: 100-continue\r\n';
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}${type}content-length: ${length}\r\n\r\n`);
    const text = String((await once(socket, 'data'))[0]);
    if (!text.startsWith('HTTP/1.1 100')) {
      await once(socket, 'end');
      socket.destroy();
      return text;
    }
    expect(text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{"title":"continued"}'.padEnd(length));
    const answer = String((await once(socket, 'data'))[0]);
    socket.destroy();
    return answer;
  }

  it('asks for a body that is wanted', async () => {
    const answer = await ask('/api/lib/note/unit', 100);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).not.toMatch(/^connection: close/im);
    expect(await countOf('continued')).toBe(1);
  });

  it.each([
    [413, '/api/lib/note/unit', 100_000_000, OWN],
    [401, '/api/lib/note/unit', 100, `host: x\r\nkind-project-key: ${project.id}\r\n`],
    [404, '/api/lib/nothing/unit', 100, OWN],
    [404, '/nowhere', 100, OWN],
  ])('answers %i without it, and ends the connection: %s', async (status, path, length, headers) => {
    const answer = await ask(path, length, headers);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/^connection: close/im);
  });

  it('of something else is passed over', async () => {
    expect(await answersTo(get('/health/live', `expect: the-unexpected\r\n${CLOSE}`))).toMatchObject([{ status: 200 }]);
  });
});

describe('several requests at once on one connection', () => {
  it('are answered in order, whatever their duration', async () => {
    const bytes = [
      create('first'),
      get('/health/live'),
      get('/nowhere'),
      get('/api/lib/note/unit?limit=0', CLOSE),
    ].join('');
    expect((await answersTo(bytes)).map(({ status }) => status)).toEqual([200, 200, 404, 200]);
  });

  it.each([
    ['that closes the connection', CLOSE],
    ['that keeps it', ''],
  ])('a request %s is answered, whatever follows it', async (name, headers) => {
    const title = name.replaceAll(' ', '_');
    const answers = await answersTo(`${create(title, headers)}and what is no request`);
    expect(answers[0]).toMatchObject({ status: 200, body: { content: { title } } });
    expect(answers).toHaveLength(1);
    expect(await countOf(title)).toBe(1);
  });

  it('a request after one that closes the connection is not executed', async () => {
    const answers = await answersTo(create('last', CLOSE) + create('beyond'));
    expect(answers).toMatchObject([{ status: 200, body: { content: { title: 'last' } } }]);
    expect(await countOf('beyond')).toBe(0);
  });

  it('a body of bad chunks is 400, in its turn', async () => {
    const bad = `POST /api/lib/note/unit HTTP/1.1\r\n${OWN}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`;
    expect((await answersTo(bad)).map(({ status }) => status)).toEqual([400]);
  });

  it.each(['xchunked', 'gzip, chunked'])(
    'a body in the coding %s is 400, and nothing after it is executed',
    async (coding) => {
      const head = `POST /api/lib/note/unit HTTP/1.1\r\n${OWN}content-type: application/json\r\ntransfer-encoding: ${coding}\r\n\r\n`;
      const answers = await answersTo(`${head}2\r\n{}\r\n0\r\n\r\n${create('after-unknown', CLOSE)}`);
      expect(answers.map(({ status }) => status)).toEqual([400]);
      expect(answers[0]?.head).toMatch(/^connection: close$/im);
      expect(await countOf('after-unknown')).toBe(0);
    },
  );
});

describe('odd requests', () => {
  it.each([
    ['a target with scheme and host', get('http://x/api/lib/note/unit?limit=0', CLOSE), 200],
    ['a target of a host alone', get('http://x', CLOSE), 404],
    ['a target that is no address', get('*', CLOSE), 404],
    ['a CONNECT', `CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n`, 400],
    ['an upgrade to WebSocket', get('/api/lib/note/unit', `upgrade: websocket\r\nconnection: upgrade, close\r\n`), 200],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    [
      'chunks that are not the last coding',
      `POST /api/lib/note/unit HTTP/1.1\r\n${OWN}transfer-encoding: chunked, gzip\r\n\r\n`,
      400,
    ],
    [
      'a coding beside chunks',
      `POST /api/lib/note/unit HTTP/1.1\r\n${OWN}${CLOSE}content-type: application/json\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      400,
    ],
    ['a length with a sign', `POST /api/lib/note/unit HTTP/1.1\r\n${OWN}content-length: +2\r\n\r\n{}`, 400],
    ['a length that is a list', `POST /api/lib/note/unit HTTP/1.1\r\n${OWN}content-length: 2, 2\r\n\r\n{}`, 400],
    ['a space before a colon', `GET /api/lib/note/unit HTTP/1.1\r\n${OWN}x : y\r\n\r\n`, 400],
    ['a folded field', `GET /api/lib/note/unit HTTP/1.1\r\n${OWN}x: y\r\n z\r\n\r\n`, 400],
    ['bare line feeds', `GET /api/lib/note/unit HTTP/1.1\nhost: x\n\n`, 400],
    ['a NUL in a field', `GET /api/lib/note/unit HTTP/1.1\r\n${OWN}x: a\0b\r\n\r\n`, 400],
    ['a method in small letters', `get /api/lib/note/unit HTTP/1.1\r\n${OWN}\r\n`, 400],
  ])('%s', async (_, bytes, status) => {
    const answers = await answersTo(bytes);
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    if (status !== 200) expect(answers[0]?.body).toMatchObject({ content: null });
  });
});
