/**
 * Identity providers of one project that hang, or publish as much as they may, cost another one nothing: its sign-ins, by
 * password and by a provider, and its lists. The service has two connections to its database: none is held meanwhile.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/shared/limits.js';
import { BrokenProvider } from '../support/broken-provider.js';
import { asAdministrator, signUp, withMembers } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { setSettings } from '../support/mailbox.js';
import { besideAll } from '../support/neighbour.js';
import { startTestService, type TestProject } from '../support/service.js';

const AT_ONCE = 50;
const REFUSED = 'provider.unavailable';
/** Milliseconds: for each request of the neighbour, for half of them, and for which the event loop is held. */
const BOUND = 2000;
const USUAL = 500;
const APP = 'https://app.example.com/in';
const DISCOVERY = '/.well-known/openid-configuration';

const service = await startTestService({
  databasePool: 2,
  authRateLimit: false,
  identityProviders: { allow: [], allowPrivate: true },
});

async function projectWithMembers(): Promise<TestProject> {
  const project = await withMembers(await service.project());
  await setSettings(project, { redirects: [APP] });
  return project;
}

/** Makes a provider of a project; returns its id. */
async function addProvider(project: TestProject, { issuer }: BrokenProvider): Promise<string> {
  const id = `p${randomBytes(4).toString('hex')}`;
  const unit = { id, label: id, issuer, client_id: BrokenProvider.clientId, member_kind: 'person', signup: true };
  await ok((await asAdministrator(project)).post('/identity_provider/unit', unit));
  return id;
}

const verifier = 'v'.repeat(43);
const code_challenge = createHash('sha256').update(verifier).digest('base64url');

/** A browser, as far as the provider. */
async function start(project: TestProject, id: string) {
  const query = new URLSearchParams({ redirect_to: APP, code_challenge, state: 's' });
  const path = `${service.service.url}/api/lib/project/${project.id}/provider/${id}`;
  const response = await fetch(`${path}?${query.toString()}`, { redirect: 'manual' });
  const { state = '', nonce = '' } = Object.fromEntries(
    new URL(response.headers.get('location') ?? 'none:').searchParams,
  );
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  /** The browser comes back; what the application is told. */
  const goOn = async (): Promise<Readonly<Record<string, string>>> => {
    const callback = `${path}/callback?${new URLSearchParams({ state, code: 'any' }).toString()}`;
    const { headers } = await fetch(callback, { redirect: 'manual', headers: { cookie } });
    return Object.fromEntries(new URL(headers.get('location') ?? 'none:').searchParams);
  };
  return { status: response.status, nonce, goOn };
}

const starts = (project: TestProject, ids: readonly string[]) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, at) => start(project, ids[at % ids.length] ?? '')));

const loud = await projectWithMembers();
const quiet = await projectWithMembers();
const { username, password } = await signUp(quiet, 'quinn');
const ownProvider = await BrokenProvider.start();
const own = await addProvider(quiet, ownProvider);

async function signInByProvider(): Promise<void> {
  const { nonce, goOn } = await start(quiet, own);
  ownProvider.claims = { nonce, email: 'ann@example.com', email_verified: true };
  const { code } = await goOn();
  await ok(quiet.as(undefined).post('/auth/exchange', { code, code_verifier: verifier }));
}

const ASKS = {
  list: () => ok(quiet.get('/person/unit')),
  password: () => ok(quiet.as(undefined).post('/auth/signin', { username, password })),
  provider: signInByProvider,
};
/** Of the project itself, too, which has no work but to wait. */
const ASKS_OF_BOTH = { ...ASKS, 'list of the other': () => ok(loud.get('/person/unit')) };
for (const ask of Object.values(ASKS_OF_BOTH)) await ask();

/** Does the work while the neighbour goes on. */
async function quietly<T>(name: string, work: () => Promise<T>, asks: typeof ASKS = ASKS_OF_BOTH): Promise<T> {
  const { result, waits, held } = await besideAll(asks, work);
  const figures = Object.entries(waits).map(([ask, times]) => {
    const sorted = times.toSorted((one, other) => one - other);
    const [half = 0, longest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)].map((time = 0) => Math.round(time));
    return [ask, { n: sorted.length, half, longest }] as const;
  });
  console.log(name, { held: Math.round(held), ...Object.fromEntries(figures) });
  for (const [, { n, half, longest }] of figures) {
    expect(longest).toBeLessThan(BOUND);
    // A few in the first moment are not usual.
    if (n >= 10) expect(half).toBeLessThan(USUAL);
  }
  expect(held).toBeLessThan(BOUND);
  return result;
}

const hang = (): void => undefined;
const json = (value: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(value);
};
const timed = async <T>(work: () => Promise<T>) => {
  const begun = performance.now();
  return { result: await work(), took: performance.now() - begun };
};

it('a discovery that hangs, with fifty sign-ins that wait for it', { timeout: 60_000 }, async () => {
  const provider = await BrokenProvider.start();
  provider.answers.set(DISCOVERY, hang);
  const id = await addProvider(loud, provider);
  const { result, took } = await timed(() => quietly('discovery', () => starts(loud, [id])));
  expect(result.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(503));
  expect(took).toBeGreaterThan(LIMITS.providerSeconds * 1000 - 100);
  expect(provider.count(DISCOVERY)).toBe(1);
});

it('tokens that hang, of fifty sign-ins at four hosts', { timeout: 60_000 }, async () => {
  const providers = await Promise.all(Array.from({ length: 4 }, () => BrokenProvider.start()));
  const ids: string[] = [];
  for (const provider of providers) ids.push(await addProvider(loud, provider));
  const begun = await starts(loud, ids);
  for (const { answers } of providers) answers.set('/token', hang);
  const { result, took } = await timed(() => quietly('tokens', () => Promise.all(begun.map(({ goOn }) => goOn()))));
  expect(result.map(({ error }) => error)).toEqual(Array(AT_ONCE).fill(REFUSED));
  expect(providers.reduce((all, provider) => all + provider.count('/token'), 0)).toBe(AT_ONCE);
  expect(took).toBeGreaterThan(LIMITS.providerSeconds * 1000 - 100);
});

it('tokens that hang at the host of the provider of the neighbour', { timeout: 60_000 }, async () => {
  const provider = await BrokenProvider.start();
  provider.discovery = { token_endpoint: `${ownProvider.issuer}/slow` };
  ownProvider.answers.set('/slow', hang);
  const id = await addProvider(loud, provider);
  const begun = await starts(loud, [id]);
  const result = await quietly('same host', () => Promise.all(begun.map(({ goOn }) => goOn())));
  expect(result.map(({ error }) => error)).toEqual(Array(AT_ONCE).fill(REFUSED));
  expect(ownProvider.count('/slow')).toBe(LIMITS.providerRequests);
});

/** JSON of just less than a provider may answer. */
function filled(start: object, piece: (at: number) => string): string {
  const text = JSON.stringify(start).slice(0, -1);
  const pieces: string[] = [];
  for (let length = text.length + 100, at = 0; ; at += 1) {
    const each = piece(at);
    length += each.length + 1;
    if (length > LIMITS.providerAnswer) return `${text},"more":[${pieces.join()}]}`;
    pieces.push(each);
  }
}

it.each([
  ['of long texts', () => JSON.stringify('x'.repeat(1000))],
  ['of lists', () => '[]'],
  ['of objects', (at: number) => `{"n${at}":{}}`],
])('a discovery and keys of 1 MB %s, of fifty sign-ins at once', { timeout: 60_000 }, async (name, piece) => {
  const provider = await BrokenProvider.start();
  provider.answers.set(DISCOVERY, json(filled(provider.published(DISCOVERY) ?? {}, piece)));
  provider.answers.set('/keys', json(filled(provider.published('/keys') ?? {}, piece)));
  const id = await addProvider(loud, provider);
  const begun = await quietly(`discovery ${name}`, () => starts(loud, [id]), ASKS);
  expect(begun.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(302));
  const back = await quietly(`keys ${name}`, () => Promise.all(begun.map(({ goOn }) => goOn())), ASKS);
  // Its tokens are of no flow.
  const count = (code: string) => back.filter(({ error }) => error === code).length;
  expect(count('provider.refused')).toBeGreaterThanOrEqual(LIMITS.providerRequests);
  expect(count('provider.refused') + count(REFUSED)).toBe(AT_ONCE);
  expect([provider.count(DISCOVERY), provider.count('/keys')]).toEqual([1, 1]);
});
