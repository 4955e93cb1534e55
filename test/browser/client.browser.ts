/** The client of applications (docs/client.md) in pages: sessions that a cookie keeps. */
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { rolldown } from 'rolldown';
import { expect, it, vi } from 'vitest';
import type { Client, createClient } from '../../packages/client/index.js';
import { withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ADMIN, sharedService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const bundler = await rolldown({ input: join(import.meta.dirname, '../../packages/client/index.ts') });
const { output } = await bundler.generate({ format: 'esm' });
await bundler.close();
const [{ code: runtime }] = output;

const project = await withMembers(await (await sharedService()).project());
const { port } = new URL(project.service.url);
/** Browsers take `Secure` cookies of this host without TLS. */
const url = `http://localhost:${port}`;
const options = { url, project: project.id, storage: 'cookie' } as const;
const browser = await startChromium();

interface PageOfApplication {
  readonly createClient: typeof createClient;
  readonly kind: Client<object>;
  /** Who was told to be signed in. */
  readonly told: (string | null)[];
  /** What other tabs have said. */
  readonly messages: unknown[];
}
declare const app: PageOfApplication;

/** A page of the application, which the service, or a proxy, has beside the API. */
async function openPage(context: BrowserContext, origin = url) {
  await context.route('**/app/*', (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', body: runtime })
      : route.fulfill({
          contentType: 'text/html',
          body: `<!doctype html><script type="module">
            import { createClient } from './client.js';
            const [told, messages] = [[], []];
            new BroadcastChannel('kind.${project.id}').onmessage = ({ data }) => messages.push(data);
            const kind = createClient(${JSON.stringify({ ...options, url: origin })});
            kind.auth.onChange((member) => told.push(member && member.username));
            window.app = { createClient, kind, told, messages };
          </script>`,
        }),
  );
  const page = await context.newPage();
  await page.goto(`${origin}/app/`);
  await page.waitForFunction('window.app !== undefined');
  return page;
}

it('a sign-in lasts beyond the page, in a cookie alone, and ends in all tabs', async () => {
  const context = await browser.newContext();
  const page = await openPage(context);
  const me = () => app.kind.auth.me().result();
  expect(await page.evaluate(me)).toMatchObject({ ok: false, code: 'token.missing' });
  const { username, password } = ADMIN;
  await page.evaluate((proof) => app.kind.auth.signin(proof), { username, password });
  expect(await page.evaluate(() => app.told)).toEqual(['admin']);
  const cookies = await context.cookies();
  expect(cookies).toMatchObject([{ httpOnly: true, secure: true, sameSite: 'Strict' }]);
  const kept = '[document.cookie, localStorage.length, sessionStorage.length]';
  expect(await page.evaluate(kept)).toEqual(['', 0, 0]);

  const [second, third] = [await openPage(context), await openPage(context)];
  for (const other of [second, third]) {
    expect(await other.evaluate(me)).toMatchObject({ ok: true, value: { username } });
    expect(await other.evaluate(() => app.told)).toEqual(['admin']);
  }
  await page.reload();
  expect(await page.evaluate(me)).toMatchObject({ ok: true });

  await page.evaluate(() => app.kind.auth.signout());
  for (const other of [second, third]) {
    await expect.poll(() => other.evaluate(() => app.told)).toEqual(['admin', null]);
    // No token, and not who it was.
    expect(await other.evaluate(() => app.messages)).toEqual(['']);
    expect(await other.evaluate(() => app.kind.auth.member)).toBeNull();
    expect(await other.evaluate(me)).toMatchObject({ ok: false });
  }
  expect(await context.cookies()).toEqual([]);
  await page.reload();
  expect(await page.evaluate(me)).toMatchObject({ ok: false });
  await context.close();
});

it('one tab at a time gets new tokens, because a refresh token is used once', async () => {
  const context = await browser.newContext();
  const pages = await Promise.all(Array.from({ length: 3 }, () => openPage(context)));
  const { username, password } = ADMIN;
  await pages[0]?.evaluate((proof) => app.kind.auth.signin(proof), { username, password });
  let [open, most] = [0, 0];
  await context.route('**/auth/refresh', async (route) => {
    most = Math.max(most, (open += 1));
    const response = await route.fetch();
    open -= 1;
    await route.fulfill({ response });
  });
  await Promise.all(pages.map((page) => page.reload()));
  const results = await Promise.all(pages.map((page) => page.evaluate(() => app.kind.auth.me().result())));
  expect(results).toMatchObject(pages.map(() => ({ ok: true, value: { username } })));
  expect(most).toBe(1);
  await context.close();
});

it('over plain http, where no cookie is kept, a session is in memory and is renewed', async () => {
  const context = await browser.newContext();
  const plain = 'http://app.example';
  let isExpired = false;
  const kept: unknown[] = [];
  await context.route(`${plain}/api/**`, async (route) => {
    const asked = route.request();
    if (isExpired && !asked.url().includes('/auth/')) {
      isExpired = false;
      const messages = [{ code: 'token.invalid', text: 'expired' }];
      return route.fulfill({ status: 401, json: { content: null, messages } });
    }
    if (asked.url().endsWith('/auth/refresh')) kept.push(asked.headers()['kind-refresh-token'] ?? null);
    const response = await route.fetch({ url: asked.url().replace(plain, url) });
    return route.fulfill({ response });
  });
  const page = await openPage(context, plain);
  expect(await page.evaluate('isSecureContext')).toBe(false);
  const { username, password } = ADMIN;
  await page.evaluate((proof) => app.kind.auth.signin(proof), { username, password });
  isExpired = true;
  expect(await page.evaluate("app.kind.of('person').list()")).toMatchObject({ items: expect.anything() });
  expect(kept).toEqual([null]);
  expect(await page.evaluate(() => app.told)).toEqual(['admin']);
  expect(await context.cookies()).toEqual([]);
  await context.close();
});

it('a cookie is not for pages of another origin', async () => {
  const context = await browser.newContext();
  const page = await openPage(context);
  const other = { ...options, url: `http://127.0.0.1:${port}` } as const;
  const failed = await page.evaluate((given) => {
    try {
      return typeof app.createClient(given);
    } catch (error) {
      return (error as Error).message;
    }
  }, other);
  expect(failed).toBe(`storage: 'cookie' is for pages of http://127.0.0.1:${port}`);
  await context.close();
});
