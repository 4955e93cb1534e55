/** CORS: closed by default, open to the configured origins. */
import { describe, expect, it } from 'vitest';
import { sharedService, startTestService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const [closed, listed, open] = await Promise.all([
  sharedService(),
  startTestService({ corsOrigins: ['https://a.example', 'https://b.example'] }),
  startTestService({ corsOrigins: '*' }),
]);
const project = await closed.project();
const key = { 'kind-project-key': project.id };
const authorization = { ...key, authorization: `Bearer ${project.token ?? ''}` };

function preflight(service: typeof closed, origin: string, method = 'PUT') {
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,kind-project-key,content-type,if-match',
  };
  return send(service.service, { method: 'OPTIONS', path: '/api/lib/note/unit/a', headers });
}

describe('a preflight', () => {
  it('without CORS_ORIGINS allows nothing, and needs no project to say so', async () => {
    const reply = await preflight(closed, 'https://a.example');
    expect([204, 404]).toContain(reply.status);
    for (const [name] of reply.headers) expect(name).not.toMatch(/^access-control-/);
  });

  it('of a listed origin is allowed all methods and headers', async () => {
    for (const origin of ['https://a.example', 'https://b.example']) {
      const { status, headers } = await preflight(listed, origin);
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('vary')?.toLowerCase()).toContain('origin');
      expect(headers.get('access-control-allow-methods')?.split(',')).toEqual(
        expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      );
      const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(',');
      expect(allowed).toEqual(
        expect.arrayContaining([
          ...['authorization', 'content-type', 'kind-project-key', 'if-match', 'if-none-match'],
          ...['content-digest', 'range', 'if-range'],
          ...['tus-resumable', 'upload-length', 'upload-offset', 'upload-metadata'],
        ]),
      );
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('x-request-id')).toBeTruthy();
    }
  });

  it.each([
    'https://evil.example',
    'http://a.example',
    'https://a.example.evil.example',
    'https://a.example:444',
    'null',
    'https://A.example.',
    'a.example',
  ])('of another origin is allowed nothing: %s', async (origin) => {
    const { headers } = await preflight(listed, origin);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('of any origin is allowed with *, without credentials', async () => {
    const { status, headers } = await preflight(open, 'https://anyone.example');
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('a request', () => {
  it.each([
    ['an answer', authorization, 200],
    ['a refusal', key, 401],
    ['a refusal without a project', {}, 400],
  ])('of a listed origin may read %s', async (_, headers, status) => {
    const reply = await send(listed.service, {
      path: '/api/lib/kind/unit',
      headers: { origin: 'https://a.example', ...headers },
    });
    expect(reply.status).toBe(status);
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://a.example');
    const exposed = reply.headers.get('access-control-expose-headers')?.toLowerCase().split(',');
    expect(exposed).toEqual(
      expect.arrayContaining(['etag', 'content-range', 'accept-ranges', 'content-disposition', 'location']),
    );
    expect(reply.headers.get('vary')?.toLowerCase()).toContain('origin');
  });

  it.each([
    ['a unit', '/api/lib/kind/unit/kind'],
    ['the document', '/api/lib/doc/openapi.json'],
  ])('of a listed origin gets a 304 of %s that says the same of the origin', async (_, path) => {
    const get = (headers: object) =>
      send(listed.service, {
        path,
        headers: { ...authorization, origin: 'https://a.example', ...headers },
      });
    const first = await get({});
    const second = await get({ 'if-none-match': first.headers.get('etag') ?? '' });
    expect(second.status).toBe(304);
    expect(first.headers.get('vary')?.toLowerCase()).toMatch(/origin.*authorization, kind-project-key/);
    expect(second.headers.get('vary')).toBe(first.headers.get('vary'));
    expect(second.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(second.headers.get('x-request-id')).toBeTruthy();
  });

  it('of a listed origin gets a content of a file that caches keep for that origin alone', async () => {
    const headers = { ...authorization, origin: 'https://a.example' };
    const path = '/api/lib/file/unit';
    const made = await send(listed.service, { method: 'POST', path: `${path}?name=a`, headers, body: 'a' });
    const { id } = (made.body as { content: { id: string } }).content;
    const reply = await send(listed.service, { path: `${path}/${id}/content`, headers });
    expect(reply.headers.get('vary')).toBe('Origin, Authorization');
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://a.example');
  });

  it('of another origin is answered without permission for the browser', async () => {
    const reply = await send(listed.service, {
      path: '/api/lib/kind/unit',
      headers: { ...authorization, origin: 'https://evil.example' },
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    expect(reply.headers.get('vary')?.toLowerCase()).toContain('origin');
  });
});

describe('a preflight for an unknown path', () => {
  it('is 404 and readable by listed origins', async () => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'PUT' };
    const reply = await send(listed.service, { method: 'OPTIONS', path: '/api/lib/note/UNIT/a', headers });
    expect(reply.status).toBe(404);
    expect(reply.headers.get('access-control-allow-origin')).toBe('https://a.example');
  });
});

describe('OPTIONS that is not a preflight', () => {
  it('has an envelope or no body', async () => {
    for (const path of ['/api/lib/note/unit', '/health/live', '/nowhere']) {
      const reply = await send(closed.service, { method: 'OPTIONS', path });
      expect([200, 204, 404], path).toContain(reply.status);
      if (reply.text !== '') expect(reply.body, path).toMatchObject({ content: null, messages: [{}] });
    }
  });
});
