/** The code of docs/sign-in.md, run as it stands: that of pages with stand-ins for what only browsers have. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { Authenticator } from '../support/authenticator.js';
import { asAdministrator, signUp, withMembers } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { Mailbox, setSettings, temporaryFolder } from '../support/mailbox.js';
import { signInAtProvider, startOidcProvider } from '../support/oidc-provider.js';
import { startTestService } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const blocks = (page: string, info: string) =>
  codeBlocks(readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8')).filter(
    (block) => block.info === info,
  );
const codeOf = (info: string, page = 'sign-in.md') =>
  blocks(page, info)
    .map(({ text }) => text)
    .join('\n');

const dataDir = temporaryFolder();
const mailbox = new Mailbox(dataDir);
const service = await startTestService({ dataDir, identityProviders: { allow: [], allowPrivate: true } });
const admin = await withMembers(await service.project());
const { url } = service.service;

const google = await startOidcProvider({
  redirectUris: [`${url}/api/lib/project/${admin.id}/provider/google/callback`],
  accounts: {
    cyd: { email: 'cyd@example.com', email_verified: true },
    other: { email: 'other@example.com', email_verified: false },
  },
});

type Work = (...args: readonly unknown[]) => Promise<unknown>;

/** Runs code, and answers what it calls so. */
function run<Names extends string>(
  code: string,
  names: readonly Names[],
  given: Readonly<Record<string, unknown>>,
): Record<Names, Work> {
  const text = `${code.replaceAll("const project = 'demo'", `const project = '${admin.id}'`)}\nreturn {${names.join()}};`;
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- The code is that of the page.
  const make = new Function(...Object.keys(given), text) as (...values: unknown[]) => Record<Names, Work>;
  return make(...Object.values(given));
}

/** A tab of a browser: it has cookies, which no script sees, and a device with a passkey. */
class Tab {
  readonly #stored = new Map<string, string>();
  readonly device = new Authenticator('http://localhost:5173');

  constructor(private readonly cookies: Map<string, string>) {}

  /** What a page of the service's own origin has. */
  page() {
    const asIs = (options: unknown) => options;
    const answer = (response: object) => ({ toJSON: () => response });
    return run(
      `${codeOf('js page')}\n${codeOf('js', 'auth.md')}\nconst member = async () => session;
      const signedIn = async (location, history) => {${codeOf('js signed-in')} return step; };`,
      [
        ...(['call', 'refresh', 'signIn', 'signInByPasskey', 'enrol', 'startOf', 'returned', 'signedIn'] as const),
        ...(['member', 'mailCode', 'signInByCode', 'signUp', 'verifyEmail', 'startOfLink'] as const),
      ],
      {
        fetch: (path: string, init: RequestInit) => this.fetch(path, init),
        sessionStorage: {
          getItem: (name: string) => this.#stored.get(name) ?? null,
          setItem: (name: string, value: string) => void this.#stored.set(name, value),
          removeItem: (name: string) => void this.#stored.delete(name),
        },
        PublicKeyCredential: { parseCreationOptionsFromJSON: asIs, parseRequestOptionsFromJSON: asIs },
        navigator: {
          credentials: {
            create: async ({ publicKey }: { publicKey: Parameters<Authenticator['create']>[0] }) =>
              answer(this.device.create(publicKey)),
            get: async ({ publicKey }: { publicKey: Parameters<Authenticator['get']>[0] }) =>
              answer(this.device.get(publicKey)),
          },
        },
      },
    );
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { ...(init.headers as Record<string, string>), 'sec-fetch-site': 'same-origin', cookie };
    const response = await fetch(new URL(path, url), { redirect: 'manual', ...init, headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.cookies.set(name, value);
    }
    return response;
  }
}

test('a single-page app: a second step, a reload, two requests at once with an ended token, and a passkey', async () => {
  await setSettings(admin, { passkeyDomain: 'localhost', passkeyOrigins: ['http://localhost:5173'] });
  const ann = await signUp(admin, 'ann');
  const as = admin.as(ann.accessToken);
  const { secret } = (await ok(as.post('/auth/totp', {}))) as { secret: string };
  const at = (steps: number) => new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
  await ok(as.post('/auth/totp/confirm', { code: at(-1) }));

  const cookies = new Map<string, string>();
  const tab = new Tab(cookies);
  const page = tab.page();
  await expect(page.refresh()).rejects.toMatchObject({ status: 401 });
  expect(await page.signIn('ann', ann.password)).toBe('totp');
  expect(await page.signIn('ann', ann.password, at(0))).toBeNull();
  expect(await page.member()).toMatchObject({ id: ann.id, refresh_token: null });
  expect(await page.enrol('Laptop')).toMatchObject({ label: 'Laptop' });

  const reloaded = tab.page();
  await reloaded.refresh();
  expect(await reloaded.call('/auth/me')).toMatchObject({ id: ann.id });
  // As it is when the access token has ended.
  ((await reloaded.member()) as { access_token: string }).access_token = 'ended';
  const both = await Promise.all([reloaded.call('/auth/me'), reloaded.call('/auth/second_step')]);
  expect(both).toMatchObject([{ id: ann.id }, { totp: true, passkeys: 1 }]);

  const other = tab.page();
  await other.signInByPasskey();
  expect(await other.call('/auth/me')).toMatchObject({ id: ann.id });
});

test('a single-page app: a sign-in at a provider, which it takes if it has begun it', async () => {
  const { issuer, clientId, clientSecret } = google;
  const boss = await asAdministrator(admin);
  const client = { issuer, client_id: clientId, client_secret: clientSecret };
  await ok(
    boss.post('/identity_provider/unit', { id: 'google', label: 'G', ...client, member_kind: 'person', signup: true }),
  );
  const address = 'https://app.example.com/signed-in';
  await setSettings(admin, { redirects: [address] });

  const tab = new Tab(new Map());
  const page = tab.page();
  const start = await tab.fetch(String(await page.startOf('google', address)));
  const atCallback = await signInAtProvider(start.headers.get('location') ?? '', 'cyd');
  const location = new URL((await tab.fetch(atCallback.href)).headers.get('location') ?? '');
  expect(location.href.split('?')[0]).toBe(address);
  const shown: unknown[] = [];
  expect(await page.signedIn(location, { replaceState: (...all: unknown[]) => shown.push(all) })).toBeNull();
  expect(shown).toEqual([[null, '', '/signed-in']]);
  expect(await page.call('/auth/me')).toMatchObject({ username: 'cyd' });
  await expect(page.signedIn(location)).rejects.toThrow('has not begun');

  // Another account there, which is linked after the page was left.
  const linkStart = await tab.fetch(String(await page.startOfLink('google', address)));
  const atLink = await signInAtProvider(linkStart.headers.get('location') ?? '', 'other');
  const linked = new URL((await tab.fetch(atLink.href)).headers.get('location') ?? '');
  const loaded = tab.page();
  expect(await loaded.signedIn(linked, { replaceState: () => undefined })).toBeNull();
  expect(await loaded.call('/identity/unit')).toMatchObject({ count: 2 });

  await page.startOf('google', address);
  await expect(page.signedIn(location)).rejects.toThrow('has not begun');
  const { searchParams } = new URL(String(await page.startOf('google', address)), url);
  await expect(
    page.signedIn({ search: `?error=identity.linked&state=${searchParams.get('state')}` }),
  ).rejects.toMatchObject({
    code: 'identity.linked',
  });
});

test('a single-page app: a sign-up, whose address a mailed code proves, and a sign-in by another', async () => {
  await setSettings(admin, { mailSignIn: true });
  const email = 'dot@example.com';
  const codeIn = (text: string) => /^ {2}(\d{6,8})$/m.exec(text)?.[1] ?? '';
  const page = new Tab(new Map()).page();
  await page.signUp('person', { username: 'dot', password: 'correct horse 9', email });
  expect(await page.verifyEmail(codeIn((await mailbox.last(email)).text))).toBeNull();
  const other = new Tab(new Map()).page();
  expect(await other.mailCode(email)).toBeNull();
  expect(await other.signInByCode(email, codeIn((await mailbox.last(email, 2)).text))).toBeNull();
  const me = (await other.call('/auth/me')) as { username: string; email_verified_at: string | null };
  expect(me).toMatchObject({ username: 'dot', email_verified_at: expect.any(String) });
});

test('a native app renews its session, and comes back from the browser', async () => {
  const bea = await signUp(admin, 'bea');
  let kept: string | undefined = bea.refreshToken;
  const keychain = {
    get: async () => kept,
    set: async (token: string) => void (kept = token),
    remove: async () => void (kept = undefined),
  };
  const code = codeOf('js native').replace(/^import .*$/gm, '');
  const app = run(code, ['renew', 'throughBrowser'], { url, project: admin.id, keychain, createServer });
  await app.renew();
  expect(kept).not.toBe(bea.refreshToken);
  await app.renew();
  await ok(admin.as(bea.accessToken).post('/auth/signout', {}));
  await expect(app.renew()).rejects.toThrow('sign in again');
  expect(kept).toBeUndefined();

  const startOf = async (redirectTo: string) => `${redirectTo}?code=c&state=s`;
  const browser = async (address: string) => {
    expect((await fetch(new URL('/favicon.ico', address))).status).toBe(404);
    expect((await fetch(address)).status).toBe(200);
  };
  expect(await app.throughBrowser(startOf, browser)).toBe('?code=c&state=s');
});

test('a server uses a key', async () => {
  const { secret } = (await ok(admin.post('/api_key/unit', { label: 'Billing' }))) as { secret: string };
  const process = { env: { KIND_URL: url, KIND_PROJECT: admin.id, KIND_KEY: secret } };
  const { kind } = run(codeOf('js server'), ['kind'], { process });
  expect(await kind('/auth/me')).toMatchObject({ administrator: true });
  await expect(kind('/nothing/unit')).rejects.toThrow(/^kind\.unknown: /);
});

test('a server signs in a user at a provider', async () => {
  const address = 'https://app.example.com/signed-in';
  await setSettings(admin, { redirects: [address] });
  const process = { env: { KIND_URL: url, KIND_PROJECT: admin.id } };
  const code = codeOf('js users').replace(/^import .*$/gm, '');
  const { begin, finish, renew } = run(code, ['begin', 'finish', 'renew'], { process, createHash, randomBytes });
  const begun = (await begin('google', address)) as { flow: object; address: string };
  const browser = new Tab(new Map());
  const start = await browser.fetch(begun.address);
  const atCallback = await signInAtProvider(start.headers.get('location') ?? '', 'cyd');
  const { search } = new URL((await browser.fetch(atCallback.href)).headers.get('location') ?? '');
  await expect(finish(undefined, search)).rejects.toThrow('has not begun');
  const { session, step } = (await finish(begun.flow, search)) as { session: Session; step: null };
  expect(step).toBeNull();
  expect(await ok(admin.as(session.access_token).get('/auth/me'))).toMatchObject({ username: 'cyd' });
  const renewed = (await renew(session)) as Session;
  expect(await ok(admin.as(renewed.access_token).get('/auth/me'))).toMatchObject({ username: 'cyd' });
  await expect(finish(begun.flow, search)).rejects.toMatchObject({ status: 401, code: 'signin.failed' });
  await expect(finish(begun.flow, search.replace(/code=[^&]*/, 'error=access.denied'))).rejects.toMatchObject({
    code: 'access.denied',
  });
});

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
}
