/** Paths, methods and headers: unknown and malformed ones, and the headers of every answer. */
import { describe, expect, it } from 'vitest';
import { Readiness } from '../../../src/metrics/readiness.js';
import { BUILT_IN_KINDS } from '../../../src/model/built-in/built-in.js';
import { ERRORS } from '../../../src/shared/error-codes.js';
import { anonymous, defineKinds } from '../../support/callers.js';
import { expectWellFormed, play, scenarios, wireRequest, type Scenario } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';
import { send, sendBytes } from '../../support/wire.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, {
  id: 'note',
  label: 'Note',
  parameters: [{ id: 'title', kind_id: 'string', is_primary: true }],
});
await project.post('/note/unit', { title: 'a' });
const unknown = { status: 404, code: 'route.unknown' } as const;
const withoutProject = { 'kind-project-key': undefined, authorization: undefined };

describe('unknown routes', () => {
  const paths = [
    '/kind',
    '/note',
    '/note/units',
    '/note/unit/a/b',
    '/note/unit/a/struct/b',
    '/note/struct/b',
    '/note/function',
    '/kind/unit/note/nope/x',
    '/Kind/Unit/x/y',
    '/a/b/c/d/e/f/g/h/i/j',
  ];
  scenarios({ admin: project }, [
    ...paths.map((path) => ({ name: `GET ${path}`, request: `GET ${path}`, expect: unknown })),
    ...[
      '^/',
      '^/api',
      '^/api/',
      '^/api/lib',
      '^/api/lib/',
      '^/favicon.ico',
      '^/api/v1/note',
      '^/health',
      '^/health/nope',
      '^//api/lib/note/unit',
      '^/API/LIB/x/y/z/a',
    ].map((path) => ({
      name: `GET ${path.slice(1)}, outside of the projects`,
      request: `GET ${path}`,
      headers: withoutProject,
      // Beneath the service's path the project is asked for first.
      expect: /^\^\/api\/lib\/|LIB/.test(path) ? ({ status: [400, 404] } as const) : unknown,
    })),
    {
      name: 'POST outside of the projects',
      request: 'POST ^/nowhere',
      body: '{',
      headers: withoutProject,
      expect: unknown,
    },
  ]);
});

describe('one path has one spelling', () => {
  scenarios({ admin: project }, [
    ...[
      '/note/UNIT',
      '/note/Unit/a',
      '/NOTE/unit/a/struct/',
      '/group/parameter/KIND',
      '/note/unit/',
      '/note/unit/a/',
      '/note/struct/',
      '/kind/struct/',
      '/group/parameter/kind/',
      '/auth/signin/',
      '/note/%75nit',
      '/note/uni%74/a',
      '/%67roup/parameter/kind',
      '/group/parameter%2Fkind',
      '/note%2Funit',
      '//note/unit',
      '/note//unit',
      '/note/unit//a',
      '/note/unit/a//struct',
      '^/API/LIB/note/unit',
      '^/api//lib/note/unit',
      '^//api/lib/note/unit',
      '^/%61pi/lib/note/unit',
    ].map((path) => ({ name: `GET ${path}`, request: `GET ${path}`, expect: unknown })),
    ...['/NOTE/unit', '/Note/struct', '/%00/unit'].map((path) => ({
      name: `GET ${path}`,
      request: `GET ${path}`,
      expect: { status: 404, code: 'kind.unknown' } as const,
    })),
    // Ids are percent-decoded once.
    { name: 'an encoded kind', request: 'GET /not%65/unit/a', expect: { status: 200, content: { id: 'a' } } },
    { name: 'a kind encoded twice', request: 'GET /not%2565/unit/a', expect: { status: 404, code: 'kind.unknown' } },
    { name: 'an encoded group', request: 'GET /group/p%61rameter/kind', expect: { status: 200 } },
    { name: 'an encoded unit', request: 'GET /note/unit/%61', expect: { status: 200, content: { id: 'a' } } },
    { name: 'of health', request: 'GET ^/health/LIVE', headers: withoutProject, expect: unknown },
    { name: 'of metrics', request: 'GET ^/metrics/', headers: withoutProject, expect: unknown },
  ]);
});

describe('methods that a path does not accept', () => {
  const refused = (allow: string) => ({ status: 405, code: 'route.method', headers: { allow } }) as const;
  const rows: readonly [path: string, allow: string, methods: readonly string[]][] = [
    [
      '/note/unit/a',
      'GET, HEAD, PUT, DELETE, OPTIONS',
      ['PATCH', 'POST', 'TRACE', 'REPORT', 'SEARCH', 'PROPFIND', 'COPY', 'LOCK'],
    ],
    ['/note/unit/b', 'GET, HEAD, PUT, DELETE, OPTIONS', ['POST']],
    ['/note/unit', 'GET, HEAD, POST, PUT, DELETE, OPTIONS', ['PATCH']],
    ['/nothing/unit', 'GET, HEAD, POST, PUT, DELETE, OPTIONS', ['PATCH']],
    ['/note/struct', 'GET, HEAD, OPTIONS', ['POST']],
    ['/group/parameter/kind', 'GET, HEAD, OPTIONS', ['POST', 'DELETE']],
    ['/note/unit/a/link/child', 'GET, HEAD, OPTIONS', ['POST', 'PUT']],
    ['/note/unit/a/link/link/note/unit/b', 'POST, PUT, DELETE, OPTIONS', ['GET', 'HEAD']],
    ['/note/function/x', 'GET, HEAD, POST, OPTIONS', ['PUT', 'DELETE']],
    ['/auth/signin', 'POST, OPTIONS', ['GET', 'HEAD', 'PUT']],
    ['/auth/verify', 'GET, HEAD, POST, OPTIONS', ['DELETE']],
    ['/doc/openapi.json', 'GET, HEAD, OPTIONS', ['POST']],
  ];
  scenarios({ admin: project, nobody: anonymous(project) }, [
    ...rows.flatMap(([path, allow, methods]) =>
      methods.map((method) => ({
        name: `${method} ${path}`,
        request: `${method} ${path}`,
        expect: method === 'HEAD' ? { status: 405, headers: { allow } } : refused(allow),
      })),
    ),
    {
      name: 'DELETE ^/health/live',
      request: 'DELETE ^/health/live',
      headers: withoutProject,
      expect: refused('GET, HEAD, OPTIONS'),
    },
    ...(
      [
        ['DELETE /project/a/provider/b', 'GET, HEAD, OPTIONS'],
        ['POST /project/a/provider/b', 'GET, HEAD, OPTIONS'],
        ['PUT /project/a/provider/b/callback', 'GET, HEAD, POST, OPTIONS'],
        ['POST /project/a/file/b', 'GET, HEAD, OPTIONS'],
        ['DELETE /project/a/file/b/c.txt', 'GET, HEAD, OPTIONS'],
      ] as const
    ).map(([request, allow]) => ({
      name: `${request}, without a header`,
      request,
      headers: withoutProject,
      expect: refused(allow),
    })),
    {
      name: 'below a provider there is nothing else',
      request: 'GET /project/a/provider/b/c',
      headers: withoutProject,
      expect: { status: 404, code: 'route.unknown' },
    },
    // Of the path alone: whether there is such a kind, and what it lets a stranger do, has no part in it.
    { name: 'a stranger, of a kind', request: 'PATCH /note/unit', as: 'nobody', expect: { status: 405 } },
    { name: 'a stranger, of no kind', request: 'PATCH /nothing/unit', as: 'nobody', expect: { status: 405 } },
    {
      name: 'the project is asked for first',
      request: 'PATCH /note/unit',
      headers: withoutProject,
      expect: { status: 400, code: 'project.missing' },
    },
    {
      name: 'then the token',
      request: 'PATCH /note/unit',
      headers: { authorization: 'Bearer x' },
      expect: { status: 401, code: 'token.invalid' },
    },
    { name: 'no body is read', request: 'PATCH /note/unit/a', body: '{', expect: { status: 405 } },
  ]);
});

describe('OPTIONS', () => {
  scenarios({ admin: project }, [
    ...(
      [
        ['/note/unit/a', 'GET, HEAD, PUT, DELETE, OPTIONS'],
        ['/nothing/unit', 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
        ['/auth/signin', 'POST, OPTIONS'],
        ['/group/any/unit', 'GET, HEAD, OPTIONS'],
        ['^/health/live', 'GET, HEAD, OPTIONS'],
      ] as const
    ).map(([path, allow]) => ({
      name: `answers the methods of ${path}, without a project`,
      request: `OPTIONS ${path}`,
      headers: withoutProject,
      expect: { status: 204, headers: { allow }, statements: 0 },
    })),
    ...['/note', '/note/UNIT', '/note/unit/', '^/nowhere', '^/api/lib'].map((path) => ({
      name: `is 404 where there is no path: ${path}`,
      request: `OPTIONS ${path}`,
      headers: withoutProject,
      expect: { ...unknown, headers: { allow: null } },
    })),
    {
      name: 'is 400 for a malformed path',
      request: 'OPTIONS /note/unit/%zz',
      headers: withoutProject,
      expect: { status: 400, code: 'path.malformed' },
    },
  ]);
});

describe('paths of built-in kinds', () => {
  const always = ['kind.not_allowed_here', 'link.unknown', 'function.unknown', 'route.method', 'route.unknown'];
  const rests = [
    ...['unit', 'unit/x', 'aggregate', 'by/label/x', 'struct', 'unit/x/struct', 'unit/x/access', 'export', 'import'],
    ...['function/f', 'unit/x/function/f', 'unit/note/link/path', 'unit/note/link/child', 'unit/note/link/link/child'],
    ...['unit/note/link/link/note/unit/a', 'unit/pad/link/group/kind/unit/note'],
    'unit/note/link/parameter/string/unit/title',
  ];
  const methods = ['GET', 'POST', 'PUT', 'DELETE'];

  it.each(BUILT_IN_KINDS.filter(({ traits }) => !traits.sealed && !traits.extensible).map(({ id }) => id))(
    'OPTIONS lists what %s can answer, and the rest is refused',
    async (kind) => {
      await project.post('/group/unit', { id: 'pad', label: 'Pad' });
      for (const rest of rests) {
        const path = `/${kind}/${rest}`;
        const options = await project.call('OPTIONS', path);
        const allow = options.headers.get('allow');
        const listed = methods.filter((method) => allow?.split(', ').includes(method));
        const answered: string[] = [];
        for (const method of methods) {
          const { status, body, headers } = await project.call(method, path, method === 'GET' ? undefined : {});
          const code = body?.messages[0]?.code;
          // By filter or import: refused for everybody, and told apart from the other refusals.
          const isClosed = rest === 'import' || (rest === 'unit' && method === 'PUT');
          if (code === 'kind.one_by_one' || (code === 'access.denied' && isClosed)) continue;
          if (code === undefined || !always.includes(code)) answered.push(method);
          else expect([method, path, status, headers.get('allow')]).toEqual([method, path, allow ? 405 : 404, allow]);
        }
        expect([path, listed]).toEqual([path, answered]);
      }
    },
  );

  it('of a batch are refused alike', async () => {
    const reply = await project.post('/batch', {
      operations: [{ method: 'PUT', path: '/kind/unit?filter=all()', body: {} }],
    });
    expect([reply.status, reply.body.messages[0]]).toEqual([405, expect.objectContaining({ code: 'route.method' })]);
  });
});

describe('addresses', () => {
  scenarios({ admin: project, nobody: anonymous(project) }, [
    ...['%', '%zz', '%e0%a4%a', '%ff', '%c0%80', '%ed%a0%80', 'a%'].flatMap((bad): Scenario<'admin' | 'nobody'>[] => [
      {
        name: `with ${bad} as a unit are malformed`,
        request: `GET /note/unit/${bad}`,
        expect: { status: 400, code: 'path.malformed' },
      },
      {
        name: `with ${bad} as a kind are malformed`,
        request: `GET /${bad}/unit`,
        expect: { status: 400, code: 'path.malformed' },
      },
      {
        name: `with ${bad} in a delete are malformed`,
        request: `DELETE /note/unit/${bad}`,
        expect: { status: 400, code: 'path.malformed' },
      },
    ]),
    {
      name: 'with a malformed query are read as well as can be',
      request: 'GET /note/unit?filter=eq(title,%)',
      expect: { status: 200, content: { count: 0 } },
    },
    { name: 'with a bare question mark', request: 'GET /note/unit?', expect: { status: 200 } },
    { name: 'with empty parts of a query', request: 'GET /note/unit?&&', expect: { status: 200 } },
    { name: 'with a NUL as a unit', request: 'GET /note/unit/%00', expect: { status: 404, code: 'unit.unknown' } },
    {
      name: 'with a NUL in a query',
      request: 'GET /note/unit?include=%00',
      expect: { status: 400, code: 'parameter.unknown' },
    },
    {
      name: 'with a unit of thousands of characters',
      request: `GET /note/unit/${'x'.repeat(7000)}`,
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'with a kind of thousands of characters',
      request: `GET /${'x'.repeat(7000)}/unit`,
      expect: { status: 404, code: 'kind.unknown' },
    },
    {
      name: 'with a query parameter that is not there',
      request: 'GET /note/unit?limt=1',
      expect: { status: 400, code: 'query.unknown', text: "did you mean 'limit'?", parameter: 'limt' },
    },
    {
      name: 'with a query parameter in brackets',
      request: 'GET /note/unit?limit[a]=1',
      expect: { status: 400, code: 'query.unknown' },
    },
    {
      name: 'with a single one given twice',
      request: 'GET /note/unit?limit=1&limit=1',
      expect: { status: 400, code: 'query.bad_value' },
    },
    { name: 'with a path of dots', request: 'GET /note/unit/..', expect: { status: 404 } },
    {
      name: 'with an encoded path of dots',
      request: 'GET /note/unit/%2e%2e',
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'that climb',
      request: 'GET ^/api/lib/../../etc/passwd',
      headers: withoutProject,
      expect: { status: [400, 404], notBody: /root:/ },
    },
  ]);

  it('of 8 KiB of filter fit, percent-encoded', async () => {
    const filter = `eq(title,${'é'.repeat(4091)})`;
    expect(Buffer.byteLength(filter)).toBeLessThanOrEqual(8192);
    await play(project, {
      name: '',
      request: `GET /note/unit?filter=${encodeURIComponent(filter)}`,
      expect: { status: 200, content: { count: 0 } },
    });
  });
});

describe('bytes that are not a request', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['no such version', 'GET / HTTP/9.9\r\n\r\n'],
    ['a bad header', 'GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('get 400 in the envelope: %s', async (_, bytes) => {
    const answer = await sendBytes(service.service, bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toMatch(/^x-request-id: \S+$/im);
    expect(JSON.parse(body)).toMatchObject({ content: null, messages: [{ code: 'request.malformed' }] });
  });
});

describe('every answer', () => {
  it('has a request id of its own', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await project.get('/note/unit')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(20);
  });

  it.each(['abc', 'A-1_2.3', 'x'.repeat(64), '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'])(
    'echoes a harmless id: %s',
    async (id) => {
      for (const path of ['/note/unit', '/nothing/unit', '/a/b/c/d']) {
        expect((await project.get(path, { headers: { 'x-request-id': id } })).headers.get('x-request-id')).toBe(id);
      }
    },
  );

  it.each(['', 'x'.repeat(65), 'a b', '<script>', 'é', 'a"b', '${jndi:ldap://x}', 'a,b'])(
    'does not echo another: %s',
    async (id) => {
      const reply = await send(service.service, {
        path: '/health/live',
        headers: { 'x-request-id': Buffer.from(id).toString('latin1') },
      });
      expectWellFormed(reply);
      expect(reply.headers.get('x-request-id')).not.toBe(id);
    },
  );

  it.each<[string, number, Record<string, string>?]>([
    ['GET /note/unit', 200],
    ['GET /note/unit/a', 200],
    ['GET /note/unit/a', 304, { 'if-none-match': '*' }],
    ['OPTIONS /note/unit/a', 204],
    ['GET /doc/swaggerui', 200],
    ['GET /nothing/unit', 404],
    ['GET ^/health/live', 200],
    ['GET ^/metrics', 200],
    ['GET ^/nowhere', 404],
    ['POST /note/unit', 400],
  ])(
    'has the headers of every answer, and none that names the server: %s, %i',
    async (request, status, headers = {}) => {
      const reply = await send(service.service, wireRequest(project, { request, headers }));
      expect(reply.status).toBe(status);
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('x-powered-by')).toBeNull();
      expect(reply.headers.get('server')).toBeNull();
    },
  );

  it('has Vary for caches', async () => {
    const names = async (path: string) => {
      const { headers } = await project.get(path);
      return (headers.get('vary') ?? '').toLowerCase().split(/\s*,\s*/);
    };
    for (const path of ['/note/unit', '/note/unit/a', '/note/struct', '/kind/unit']) {
      expect(await names(path)).toEqual(expect.arrayContaining(['authorization', 'kind-project-key']));
    }
  });

  it('of a sign-in is not to be stored', async () => {
    const good = await project.post('/auth/signin', { username: 'admin', password: 'correct horse 1' });
    const bad = await project.post('/auth/signin', { username: 'admin', password: 'wrong' });
    expect([good.status, bad.status]).toEqual([200, 401]);
    for (const reply of [good, bad]) expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  it('of an error is not to be stored', async () => {
    for (const path of ['/note/unit/b', '/nothing/unit', '/note/unit?limit=x']) {
      expect((await project.get(path)).headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('HEAD', () => {
  it.each(['/note/unit', '/note/unit/a', '/note/struct', '/nothing/unit', '/note/unit/b', '/note/unit?limit=x'])(
    'answers the head of a GET and no body: %s',
    async (path) => {
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => send(service.service, wireRequest(project, { request: `${method} ${path}` }))),
      );
      expect(head?.status).toBe(get?.status);
      expect(head?.text).toBe('');
      for (const name of ['content-type', 'content-length', 'etag', 'vary'])
        expect(head?.headers.get(name), name).toBe(get?.headers.get(name));
    },
  );

  it('heeds If-None-Match as GET does', async () => {
    const etag = (await project.get('/note/unit/a')).headers.get('etag') ?? '';
    const reply = await send(
      service.service,
      wireRequest(project, { request: 'HEAD /note/unit/a', headers: { 'if-none-match': etag } }),
    );
    expect(reply.status).toBe(304);
  });

  it('needs what GET needs', async () => {
    const reply = await send(service.service, wireRequest(anonymous(project), { request: 'HEAD /note/unit' }));
    expect(reply.status).toBe(401);
  });
});

describe('health', () => {
  scenarios({ admin: project }, [
    {
      name: 'live needs no project',
      request: 'GET ^/health/live',
      headers: withoutProject,
      expect: { status: 200, content: { status: 'ok' } },
    },
    {
      name: 'ready needs no project',
      request: 'GET ^/health/ready',
      headers: withoutProject,
      expect: { status: 200, content: { status: 'ok' } },
    },
    {
      name: 'live minds no bad token',
      request: 'GET ^/health/live',
      headers: { authorization: 'Bearer x', 'kind-project-key': 'nowhere' },
      expect: { status: 200 },
    },
    {
      name: 'live asks the database nothing',
      request: 'GET ^/health/live',
      headers: withoutProject,
      expect: { status: 200, statements: 0 },
    },
    {
      name: 'ready asks it one thing',
      request: 'GET ^/health/ready',
      headers: withoutProject,
      expect: { status: 200, statements: 1 },
    },
  ]);

  it('ready queries the database once for concurrent requests', async () => {
    const readiness = service.service.app.get(Readiness);
    const statements = await project.statements(() => Promise.all(Array.from({ length: 50 }, () => readiness.check())));
    expect(statements).toBe(1);
  });

  it('metrics are Prometheus text and name no tenant', async () => {
    const reply = await send(service.service, { path: '/metrics' });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(reply.text).toMatch(/^kind_http_requests_total\{method="GET",status="200"\} \d+$/m);
    expect(reply.text).not.toContain(project.id);
  });
});

describe('the catalogue of errors', () => {
  it('has only documented statuses', () => {
    const statuses = new Set<number>(Object.values(ERRORS).map(({ status }) => status));
    expect(
      [...statuses].filter(
        (status) =>
          ![400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 416, 422, 423, 429, 431, 500, 503, 504].includes(status),
      ),
    ).toEqual([]);
  });
});
