/** The files of the documentation page: what is served, and under which policy. A browser uses them in test/browser. */
import { describe, expect, it } from 'vitest';
import { startTestService, type Reply } from '../../support/service.js';

const service = await startTestService();

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
  it('needs no project, and allows what is its own alone', () => {
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    const rules = (page.headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(' '));
    const policy = Object.fromEntries(rules.map(([name, ...sources]) => [name, sources.join(' ')]));
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      'frame-ancestors': "'none'",
    });
  });

  it('has no script nor style in it, and none from elsewhere', () => {
    expect(page.text).not.toMatch(/<script>|<style|\son\w+=|style=|https?:/i);
  });

  it('is made of parts that are there', async () => {
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

  it('is found with a slash at its end too', async () => {
    const { status, headers } = await fetchPage('/');
    expect(status).toBe(308);
    expect(new URL(headers.get('location') ?? '', `${service.service.url}${PAGE}/`).pathname).toBe(PAGE);
  });
});
