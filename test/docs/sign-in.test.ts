/** The code of docs/sign-in.md, run as it stands: that of pages with stand-ins for what only browsers have. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { Authenticator } from '../support/authenticator.js';
import { signUp, withMembers } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { setSettings } from '../support/mailbox.js';
import { sharedService } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const blocks = (page: string, info: string) =>
  codeBlocks(readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8')).filter(
    (block) => block.info === info,
  );
const codeOf = (info: string) =>
  blocks('sign-in.md', info)
    .map(({ text }) => text)
    .join('\n');

const service = await sharedService();
const admin = await withMembers(await service.project());
const { url } = service.service;

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
    const [enrol = ''] = blocks('auth.md', 'js').map(({ text }) => text.split('\n\n')[0] ?? '');
    const asIs = (options: unknown) => options;
    const answer = (response: object) => ({ toJSON: () => response });
    return run(
      `${codeOf('js page')}\n${enrol}\nconst member = async () => session;`,
      ['call', 'refresh', 'signIn', 'signInByPasskey', 'enrol', 'startOf', 'returned', 'member'],
      {
        fetch: (path: string, init: RequestInit) => this.#fetch(path, init),
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

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { ...(init.headers as Record<string, string>), 'sec-fetch-site': 'same-origin', cookie };
    const response = await fetch(url + path, { ...init, headers });
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

test('a single-page app begins at a provider, and takes what it has begun itself alone', async () => {
  const page = new Tab(new Map()).page();
  const begun = new URL(String(await page.startOf('google', 'https://app.example.com/signed-in')), url);
  expect(begun.pathname).toBe(`/api/lib/project/${admin.id}/provider/google`);
  const { redirect_to, code_challenge, state } = Object.fromEntries(begun.searchParams);
  expect(redirect_to).toBe('https://app.example.com/signed-in');
  expect(code_challenge).toHaveLength(43);

  const back = (await page.returned(`?code=c&state=${state}`)) as { code: string; code_verifier: string };
  expect(back.code).toBe('c');
  expect(createHash('sha256').update(back.code_verifier).digest('base64url')).toBe(code_challenge);
  expect(() => page.returned(`?code=c&state=${state}`)).toThrow('has not begun');
  await page.startOf('google', 'https://app.example.com/signed-in');
  expect(() => page.returned(`?code=c&state=${state}`)).toThrow('has not begun');
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
