/** The files of the console, before it is built, while it is built, and after. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConsoleFiles } from '../../../src/console/console-files.js';
import { atEnd } from '../../support/at-end.js';
import { startTestService } from '../../support/service.js';

const { service } = await startTestService();
const folder = await mkdtemp(join(tmpdir(), 'kind-console-'));
atEnd(() => rm(folder, { recursive: true }));
// That of the service reads the folder of the checkout.
Object.defineProperty(service.app.get(ConsoleFiles), 'folder', { value: folder });

const get = (path: string, init?: RequestInit) => fetch(`${service.url}${path}`, { redirect: 'manual', ...init });
const policyOf = (reply: Response) => reply.headers.get('content-security-policy') ?? '';

async function build(script: string): Promise<void> {
  await rm(join(folder, 'dist'), { recursive: true, force: true });
  await mkdir(join(folder, 'dist', 'assets'), { recursive: true });
  await writeFile(join(folder, 'dist', 'assets', `${script}.js`), `'${script}';`);
  await writeFile(join(folder, 'dist', 'assets', 'notes.txt'), 'a file of another type');
  await writeFile(join(folder, 'dist', 'index.html'), `<meta name="nonce" content="__NONCE__">${script}`);
}

describe('before it is built', () => {
  it('the page says how to build it', async () => {
    const reply = await get('/console/');
    expect(reply.status).toBe(404);
    expect(reply.headers.get('refresh')).toBeNull();
    expect(await reply.text()).toContain('npm run build');
    expect((await get('/console/assets/main.js')).status).toBe(404);
  });

  it('the page says so while a process builds it, and loads itself again', async () => {
    await writeFile(join(folder, '.building'), String(process.pid));
    const reply = await get('/console/');
    expect(reply.status).toBe(503);
    expect([reply.headers.get('refresh'), reply.headers.get('retry-after')]).toEqual(['1', '1']);
    expect(await reply.text()).toContain('being built');
    expect(policyOf(reply)).toContain("default-src 'none'");
    // A process that was killed.
    await writeFile(join(folder, '.building'), '4194305');
    expect((await get('/console/')).status).toBe(404);
  });
});

describe('after that', () => {
  it('is a page that runs nothing but its own files, with a nonce of its own for styles', async () => {
    await build('main');
    const nonces = new Set<string>();
    for (const reply of [await get('/console/'), await get('/console/')]) {
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(reply.headers.get('cache-control')).toBe('no-store');
      const nonce = /content="([^"]+)"/.exec(await reply.text())?.[1] ?? '';
      expect(policyOf(reply)).toContain(`style-src 'self' 'nonce-${nonce}'`);
      expect(policyOf(reply)).toContain("script-src 'self';");
      expect(policyOf(reply)).not.toMatch(/unsafe|\*|http/);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2);
  });

  it('has scripts that may be kept for ever, compressed, and no other files', async () => {
    const reply = await get('/console/assets/main.js', { headers: { 'accept-encoding': 'gzip' } });
    expect(await reply.text()).toBe("'main';");
    expect(reply.headers.get('content-encoding')).toBe('gzip');
    expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const paths = ['notes.txt', '..%2f..%2fpackage.json', '..%2findex.html', '%2e%2e%2findex.html', 'constructor'];
    for (const path of paths) expect((await get(`/console/assets/${path}`)).status, path).toBe(404);
  });

  it('takes the files of a newer build', async () => {
    await build('newer');
    expect(await (await get('/console/')).text()).toContain('newer');
    expect((await get('/console/assets/newer.js')).status).toBe(200);
    expect((await get('/console/assets/main.js')).status).toBe(404);
  });

  it('is at the address with a slash', async () => {
    const reply = await get('/console');
    expect([reply.status, reply.headers.get('location')]).toEqual([308, 'console/']);
    expect((await get('/console?project=demo')).headers.get('location')).toBe('console/?project=demo');
    expect((await get('/console/data/city')).status).toBe(404);
  });

  it('takes no other methods', async () => {
    for (const path of ['/console', '/console/', '/console/assets/newer.js']) {
      const reply = await get(path, { method: 'POST' });
      expect([reply.status, reply.headers.get('allow')], path).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect((await get(path, { method: 'OPTIONS' })).status, path).toBe(204);
    }
    expect((await get('/console/data', { method: 'POST' })).status).toBe(404);
  });
});

it('is not there with CONSOLE=off', async () => {
  const { service: without } = await startTestService({ console: false });
  expect((await fetch(`${without.url}/console/`)).status).toBe(404);
  expect((await fetch(`${without.url}/console`)).status).toBe(404);
});
