/**
 * The files of the documentation page, and the document: what is served, under which policy, and how it is compressed. A
 * browser uses them in test/browser.
 */
import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Documents } from '../../../src/doc/documents.js';
import { assetFiles } from '../../../src/doc/doc.controller.js';
import { sharedService, type Reply } from '../../support/service.js';

const service = await sharedService();

const PAGE = '/api/lib/doc/swaggerui';

async function fetchPage(
  path = '',
  headers: Record<string, string> = {},
): Promise<Pick<Reply, 'status' | 'headers' | 'text'>> {
  const reply = await fetch(`${service.service.url}${PAGE}${path}`, { headers, redirect: 'manual' });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

const page = await fetchPage();

describe('the documentation page', () => {
  it('needs no project, and allows only its own files', () => {
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const rules = (page.headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(' '));
    const policy = Object.fromEntries(rules.map(([name, ...sources]) => [name, sources.join(' ')]));
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'media-src': "'self'",
      'connect-src': "'self'",
      'frame-ancestors': "'none'",
    });
  });

  it('has no inline script or style, and none from other hosts', () => {
    expect(page.text).not.toMatch(/<script>|<style|\son\w+=|style=|https?:/i);
  });

  it('has all its files', async () => {
    const parts = [...page.text.matchAll(/(?:src|href)="swaggerui([^"]+)"/g)].map(([, path = '']) => path);
    expect(parts.length).toBeGreaterThan(3);
    for (const path of parts) {
      const { status, headers, text } = await fetchPage(path);
      expect([path, status, headers.get('x-content-type-options')]).toEqual([path, 200, 'nosniff']);
      expect(headers.get('content-type')).toMatch(path.endsWith('.css') ? /^text\/css;/ : /^text\/javascript;/);
      expect(text.length).toBeGreaterThan(100);
    }
  });

  it('is kept by its ETag', async () => {
    const again = await fetchPage('', { 'if-none-match': page.headers.get('etag') ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it.each([
    '/package.json',
    '/page.html',
    '/..%2fpage.html',
    '/%2e%2e%2f%2e%2e%2fpackage.json',
    '/constructor',
    '/__proto__',
  ])('has no part %s', async (path) => {
    expect((await fetchPage(path)).status).toBe(404);
  });

  it('is found with a trailing slash too', async () => {
    const { status, headers } = await fetchPage('/');
    expect([status, headers.get('x-content-type-options')]).toEqual([308, 'nosniff']);
    expect(new URL(headers.get('location') ?? '', `${service.service.url}${PAGE}/`).pathname).toBe(PAGE);
  });
});

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync } as const;

/** An answer as its bytes came over the wire. */
async function exchange(path: string, headers: Record<string, string>, method = 'GET') {
  const request = http.request(`${service.service.url}${path}`, { method, headers, agent: false }).end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const bytes = await buffer(response);
  return { status: response.statusCode, headers: response.headers, bytes };
}

it('is compressed once for concurrent requests', async () => {
  const documents = service.service.app.get(Documents);
  const ask = () => documents.generic({ chosen: new Set(['kind']), coding: 'br' });
  const [first, ...others] = await Promise.all([ask(), ask(), ask()]);
  for (const each of [...others, await ask()]) expect(each).toBe(first);
  expect(await assetFiles.get('page.js', 'gzip')).toBe(await assetFiles.get('page.js', 'gzip'));
});

describe('large answers', async () => {
  const project = await service.project();
  const own = { 'kind-project-key': project.id, authorization: `Bearer ${project.token ?? ''}` };

  describe.each<[name: string, path: string, headers: Record<string, string>]>([
    ['the page', PAGE, {}],
    ['its largest part', `${PAGE}/swagger-ui-bundle.js`, {}],
    ['the generic document', '/api/lib/doc/openapi.json', {}],
    ['the document of a project', '/api/lib/doc/openapi.json', own],
    ['the document of some kinds', '/api/lib/doc/openapi.json?kinds=kind', own],
    ['the page behind the link of a mail', '/api/lib/auth/reset_password/none', { accept: 'text/html' }],
  ])('%s', (_, path, headers) => {
    it.each([
      ['br', 'gzip, deflate, br'],
      ['gzip', 'gzip, br;q=0.5'],
    ] as const)('is answered as %s', async (coding, accepted) => {
      const plain = await exchange(path, headers);
      const got = await exchange(path, { ...headers, 'accept-encoding': accepted });
      expect([got.status, got.headers['content-encoding']]).toEqual([200, coding]);
      expect(got.headers['content-length']).toBe(String(got.bytes.length));
      expect(got.headers['content-type']).toBe(plain.headers['content-type']);
      expect(got.bytes.length).toBeLessThan(plain.bytes.length);
      expect(DECODERS[coding](got.bytes).equals(plain.bytes)).toBe(true);
    });

    it('has a separate ETag for each coding', async () => {
      const etags = new Map<string, string>();
      for (const accepted of ['identity', 'gzip', 'br']) {
        const asked = { ...headers, 'accept-encoding': accepted };
        const head = await exchange(path, asked, 'HEAD');
        const { status, headers: got, bytes } = await exchange(path, asked);
        expect([head.status, head.bytes.length, head.headers.etag]).toEqual([200, 0, got.etag]);
        expect(head.headers['content-length']).toBe(String(bytes.length));
        expect([status, got.vary]).toEqual([200, expect.stringMatching(/\bAccept-Encoding$/)]);
        const known = await exchange(path, { ...asked, 'if-none-match': got.etag ?? '' });
        expect([known.status, known.bytes.length, known.headers.etag]).toEqual([304, 0, got.etag]);
        expect([known.headers.vary, known.headers['content-encoding']]).toEqual([got.vary, undefined]);
        etags.set(accepted, got.etag ?? '');
      }
      expect(new Set(etags.values()).size).toBe(3);
      const other = { ...headers, 'accept-encoding': 'br', 'if-none-match': etags.get('gzip') ?? '' };
      expect((await exchange(path, other)).status).toBe(200);
    });

    it.each(['identity', 'br;q=0, gzip;q=0', 'identity;q=0', 'deflate, compress'])(
      'is answered as it is to %s',
      async (accepted) => {
        const { status, headers: got } = await exchange(path, { ...headers, 'accept-encoding': accepted });
        expect([status, got['content-encoding']]).toEqual([200, undefined]);
      },
    );
  });
});
