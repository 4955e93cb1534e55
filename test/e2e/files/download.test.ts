/** Contents are downloaded whole or in parts, by those who may read their files, and never as pages of the service. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { upload } from '../../support/files.js';
import { scenarios, type Scenario } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';
import { PNG } from '../../unit/file/images.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
const digits = await createdId(upload(project, 'digits.txt', '0123456789'));
const empty = await createdId(upload(project, 'empty.txt', ''));
const own = await createdId(upload(ann, 'ann.txt', 'ann'));
const path = `/file/unit/${digits}/content`;
const { headers: known } = await project.get(path);
const [etag = '', modified = ''] = [known.get('etag') ?? '', known.get('last-modified') ?? ''];

describe('a part', () => {
  const ranged = (range: string, more: Record<string, string> = {}) =>
    project.get(path, { headers: { range, ...more } });

  it.each([
    ['bytes=0-0', '0', '0-0'],
    ['bytes=3-5', '345', '3-5'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=7-99', '789', '7-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=-99', '0123456789', '0-9'],
  ])('of %s is 206', async (range, text, part) => {
    const reply = await ranged(range);
    expect([reply.status, reply.text, reply.headers.get('content-range'), reply.headers.get('content-length')]).toEqual(
      [206, text, `bytes ${part}/10`, String(text.length)],
    );
    expect(reply.headers.get('etag')).toBe(etag);
  });

  it.each(['bytes=9-3', 'bytes=0-1,3-4', 'bytes=a-b', 'items=0-1', 'bytes=-'])('of %s is everything', async (range) => {
    const reply = await ranged(range);
    expect([reply.status, reply.text]).toEqual([200, '0123456789']);
  });

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('of %s is refused', async (range) => {
    const reply = await ranged(range);
    expect(refusalOf(reply)).toEqual({ status: 416, messages: ['file.range'] });
    expect(reply.headers.get('content-range')).toBe('bytes */10');
  });

  it('is one of the content that If-Range names, or everything', async () => {
    for (const validator of [etag, modified])
      expect((await ranged('bytes=0-1', { 'if-range': validator })).status).toBe(206);
    for (const validator of ['"other"', `W/${etag}`, 'Mon, 01 Jan 2024 00:00:00 GMT']) {
      expect((await ranged('bytes=0-1', { 'if-range': validator })).status).toBe(200);
    }
  });

  it('of an empty content is none', async () => {
    const reply = await project.get(`/file/unit/${empty}/content`, { headers: { range: 'bytes=0-' } });
    expect(refusalOf(reply)).toEqual({ status: 416, messages: ['file.range'] });
    expect((await project.get(`/file/unit/${empty}/content`)).text).toBe('');
  });
});

describe('a content', () => {
  it('that is known is not sent again', async () => {
    const reply = await project.get(path, { headers: { 'if-none-match': etag } });
    expect([reply.status, reply.text, reply.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await project.get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('has the same headers for HEAD, without its bytes', async () => {
    const reply = await project.call('HEAD', path);
    expect([reply.status, reply.text, reply.headers.get('content-length')]).toEqual([200, '', '10']);
    expect(reply.headers.get('etag')).toBe(etag);
    expect(reply.headers.get('accept-ranges')).toBe('bytes');
    const part = await project.call('HEAD', path, undefined, { headers: { range: 'bytes=0-1' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([200, null]);
  });

  it('of any bytes comes back as it went', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 * 300 }, (_, at) => at % 256));
    const id = await createdId(upload(project, 'a.bin', bytes, { 'content-type': 'application/octet-stream' }));
    const reply = await project.get(`/file/unit/${id}/content`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(reply.bytes.equals(bytes)).toBe(true);
    expect(reply.headers.get('content-encoding')).toBeNull();
  });

  it.each([
    ['a.png', PNG, 'application/octet-stream', 'image/png', 'inline'],
    ['a.txt', 'a', 'text/plain', 'text/plain; charset=utf-8', 'inline'],
    ['a.html', '<script>alert(1)</script>', 'text/html', 'text/html', 'attachment'],
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'image/svg+xml', 'attachment'],
    ['a.bin', Buffer.from([0, 1, 2]), 'application/octet-stream', 'application/octet-stream', 'attachment'],
  ])('%s is no page of the service', async (name, content, claimed, type, shown) => {
    const id = await createdId(upload(project, name, content, { 'content-type': claimed }));
    const { headers } = await project.get(`/file/unit/${id}/content`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': type,
      'content-disposition': `${shown}; filename=${name}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
    });
    const saved = await project.get(`/file/unit/${id}/content?download=true`);
    expect(saved.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
  });

  it('of a name with any characters says it in a way that all clients read', async () => {
    const id = await createdId(upload(project, '"grüße" 100%;.txt'));
    const { headers } = await project.get(`/file/unit/${id}/content`);
    expect(headers.get('content-disposition')).toMatch(/^inline; filename="[\x20-\x7e]+"; filename\*=UTF-8''[!-~]+$/);
  });
});

describe('who may read a file', () => {
  const rows: readonly Scenario<'admin' | 'ann' | 'nobody'>[] = [
    { name: 'its owner', as: 'ann', request: `GET /file/unit/${own}/content`, expect: { status: 200 } },
    { name: 'an administrator', request: `GET /file/unit/${own}/content`, expect: { status: 200 } },
    ...(['ann', 'nobody'] as const).flatMap((as): Scenario<'admin' | 'ann' | 'nobody'>[] => [
      { name: `${as}, of others`, as, request: `GET ${path}`, expect: { status: 404, code: 'unit.unknown' } },
      {
        name: `${as}, of none`,
        as,
        request: `GET /file/unit/none/content`,
        expect: { status: 404, code: 'unit.unknown' },
      },
    ]),
    {
      name: 'a query that it does not have',
      request: `GET ${path}?size=1x1x1&download=x`,
      expect: { status: 400 },
    },
    { name: 'download', request: `GET ${path}?download=x`, expect: { status: 400, code: 'query.bad_value' } },
  ];
  scenarios({ admin: project, ann, nobody: anonymous(project) }, rows);

  it('is anyone where the kind says so', async () => {
    const of = await service.project();
    const id = await createdId(upload(of, 'a.txt', 'public'));
    await ok(of.put('/kind/unit/file', { access: { read: 'anyone' } }));
    const reply = await anonymous(of).get(`/file/unit/${id}/content`);
    expect([reply.text, reply.headers.get('cache-control')]).toEqual(['public', 'public, max-age=300']);
    expect((await of.get(`/file/unit/${id}/content`)).headers.get('cache-control')).toBe('private, max-age=300');
  });
});

type Asked = readonly [
  method: string,
  path: (id: string) => string,
  body?: string | object | undefined,
  headers?: Readonly<Record<string, string>>,
];

describe('a file that the caller may not read', () => {
  const none = '00000000-0000-4000-8000-000000000000';
  const address = (id: string, search = '') => `/project/${project.id}/file/${id}/a.txt${search}`;
  const upload = { 'tus-resumable': '1.0.0' };

  it('is answered as one that is not there, whatever is asked', async () => {
    const reference = { kind_id: 'unit', reference_kind: 'file', accept: ['image/png'], max_bytes: 3 };
    const parameters = [
      { ...reference, id: 'cover' },
      { ...reference, id: 'page', owned: true },
    ];
    await ok(project.post('/kind/unit', { id: 'article', parameters }));
    const requests: readonly Asked[] = [
      ...[{}, { range: 'bytes=0-1' }, { range: 'bytes=99-' }, { 'if-none-match': etag }].flatMap(
        (headers): readonly Asked[] => [
          ['GET', (id) => `/file/unit/${id}/content`, undefined, headers],
          ['HEAD', (id) => `/file/unit/${id}/content`, undefined, headers],
          ['GET', (id) => address(id), undefined, headers],
        ],
      ),
      ['GET', (id) => `/file/unit/${id}`],
      ['GET', (id) => `/file/unit/${id}/content?size=thumb`],
      ['GET', (id) => `/file/unit/${id}/content?size=nothing`],
      ['GET', (id) => address(id, '?expires=1&signature=o')],
      ['GET', (id) => address(id, `?expires=${2 ** 31}&signature=o.00000000.${'a'.repeat(43)}`)],
      ['GET', (id) => `/file/unit?filter=eq(id,${id})`],
      ['PUT', (id) => `/file/unit/${id}/content`, 'a', { 'content-type': 'text/plain' }],
      ['PUT', (id) => `/file/unit/${id}/content`, 'a', { 'content-type': 'text/plain', 'if-match': etag }],
      ['PUT', (id) => `/file/unit/${id}`, { name: 'b' }],
      ['PUT', (id) => `/file/unit/${id}`, { content: 'YQ==' }],
      ['POST', (id) => `/file/unit/${id}/url`, {}],
      ['DELETE', (id) => `/file/unit/${id}`],
      ['HEAD', (id) => `/file/upload/${id}`, undefined, upload],
      ['POST', () => '/article/unit', { cover: 'ID' }],
      ['POST', () => '/article/unit', { page: 'ID' }],
      ['POST', () => '/article/unit?dry_run=true', { page: 'ID' }],
    ];
    for (const [method, at, body, headers] of requests) {
      const answers = [digits, none].map(async (id) => {
        const sent = typeof body === 'object' ? JSON.stringify(body).replace('ID', id) : body;
        const reply = await ann.call(method, at(id), sent, { ...(headers && { headers }) });
        const told = ['etag', 'content-length', 'content-range', 'last-modified', 'content-type', 'cache-control'];
        return [reply.status, reply.text.replaceAll(id, 'ID'), ...told.map((name) => reply.headers.get(name))];
      });
      const [hidden, missing] = await Promise.all(answers);
      expect(hidden, `${method} ${at('ID')}`).toEqual(missing);
    }
  });
});
