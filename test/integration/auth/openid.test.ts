/** Whom identity providers prove: one that keeps to the standard, and one that is wrong in every way. */
import { inspect } from 'node:util';
import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  OpenId,
  type ProvedIdentity,
  type ProviderClient,
  type Return,
  type Start,
} from '../../../src/auth/provider/openid/openid.js';
import { ProviderFailure } from '../../../src/auth/provider/openid/provider-failure.js';
import { ProviderRequests } from '../../../src/auth/provider/openid/provider-requests.js';
import type { Config } from '../../../src/config/config.js';
import type { PublicAddress } from '../../../src/mail/public-address.js';
import { CheckedAddresses } from '../../../src/outgoing/checked-addresses.js';
import { OwnPlaces } from '../../../src/outgoing/own-places.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { BrokenProvider, hmacBy, jwt, publicJwk, signedBy, signingKey } from '../../support/broken-provider.js';
import { lowerLimit } from '../../support/limits.js';
import { logLines } from '../../support/log-lines.js';
import { signInAtProvider, startOidcProvider, type OidcProvider } from '../../support/oidc-provider.js';

const CALLBACK = 'http://127.0.0.1:5000/api/lib/project/a/provider/b/callback';
const DISCOVERY = '/.well-known/openid-configuration';
const PROJECT = 'shop';
const PUBLIC = { url: 'https://kind.example.com' } as PublicAddress;

/** Texts that must be in no error and in no line of the log. */
const SECRETS = ['secret-canary', 'code-canary', 'verifier-canary'.padEnd(43, '-'), 'access-canary', 'state-canary'];
const [SECRET = '', CODE = '', VERIFIER = '', ACCESS = '', STATE = ''] = SECRETS;

const log = logLines();
const [OTHER_KEY, THIRD_KEY] = [signingKey('other'), signingKey('third')];

interface Network {
  readonly allowPrivate?: boolean;
  readonly names?: Readonly<Record<string, string>>;
  readonly own?: { readonly host: string; readonly port: number }[];
}

function requestsOf({
  allowPrivate = true,
  names = {},
  own = [],
}: Network): ConstructorParameters<typeof ProviderRequests> {
  const hosts = {
    addressesOf: (host: string) => {
      const address = names[host];
      return address === undefined ? Promise.reject(new Error('not found')) : Promise.resolve([address]);
    },
  };
  const places = new OwnPlaces(PUBLIC, hosts);
  places.are(own);
  const config = { identityProviders: { allow: [], allowPrivate } } as unknown as Config;
  return [new CheckedAddresses(hosts, places), config];
}

function openIdOf(network: Network = {}): OpenId {
  return new OpenId(new ProviderRequests(...requestsOf(network)), log.logger);
}

/** Has some answers at hand, and sends requests for all others. */
class WithAnswers extends ProviderRequests {
  constructor(
    private readonly answers: Readonly<Record<string, object>>,
    network: Network = {},
  ) {
    super(...requestsOf(network));
  }

  override async send(...[url, request]: Parameters<ProviderRequests['send']>): Promise<Response> {
    const { [url]: answer } = this.answers;
    return answer ? Response.json(answer) : super.send(url, request);
  }
}

async function failure(work: Promise<unknown>): Promise<ProviderFailure> {
  const error: unknown = await work.then(
    () => 'nothing failed',
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProviderFailure)) throw new Error(`no failure of a provider: ${inspect(error)}`);
  const told = inspect(error, { depth: 10, showHidden: true }) + log.text();
  expect(SECRETS.filter((secret) => told.includes(secret))).toEqual([]);
  return error;
}

describe('a provider that keeps to the standard', () => {
  const openId = openIdOf();
  let provider: OidcProvider;
  let client: ProviderClient;

  beforeAll(async () => {
    const accounts = { alice: { email: 'alice@example.com', email_verified: true, given_name: 'Alice' } };
    provider = await startOidcProvider({ redirectUris: [CALLBACK], accounts });
    const { issuer, clientId: client_id, clientSecret: client_secret } = provider;
    client = { schema: PROJECT, issuer, client_id, client_secret, scopes: 'openid email profile' };
  });

  const flow = (): Start => ({
    redirectUri: CALLBACK,
    state: 'a state',
    nonce: 'a nonce',
    codeVerifier: randomPKCECodeVerifier(),
  });

  it('leads to it with all that a flow needs', async () => {
    const start = { ...flow(), loginHint: 'alice', prompt: 'login' };
    const url = await openId.authorizationUrl(client, start);
    expect(url.href.split('?')[0]).toBe(`${provider.issuer}/auth`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid email profile',
      state: 'a state',
      nonce: 'a nonce',
      code_challenge: await calculatePKCECodeChallenge(start.codeVerifier),
      code_challenge_method: 'S256',
      login_hint: 'alice',
      prompt: 'login',
    });
  });

  it('proves an account once', async () => {
    const start = flow();
    const callback = await signInAtProvider(await openId.authorizationUrl(client, start), 'alice');
    const back = { ...start, params: callback.searchParams };
    expect(await openId.identity(client, back)).toMatchObject({
      issuer: provider.issuer,
      subject: 'alice',
      email: 'alice@example.com',
      emailVerified: true,
      claims: { given_name: 'Alice' },
    });
    expect(await failure(openId.identity(client, back))).toMatchObject({
      code: 'provider.refused',
      reason: 'it said invalid_grant',
    });
  });

  it('proves one to a client without a secret, with what its ID token says', async () => {
    const accounts = { bob: { email: 'bob@example.com', email_verified: false } };
    const other = await startOidcProvider({ redirectUris: [CALLBACK], accounts, inIdToken: true });
    const start = flow();
    const publicClient = { ...client, issuer: other.issuer, client_id: other.publicClientId, client_secret: null };
    const callback = await signInAtProvider(await openId.authorizationUrl(publicClient, start), 'bob');
    const proved = await openId.identity(publicClient, { ...start, params: callback.searchParams });
    expect(proved).toMatchObject({ subject: 'bob', email: 'bob@example.com', emailVerified: false });
  });

  it.each([
    ['another verifier', (start: Start) => ({ ...start, codeVerifier: randomPKCECodeVerifier() }), 'invalid_grant'],
    ['another nonce', (start: Start) => ({ ...start, nonce: 'other' }), 'nonce'],
    ['another state', (start: Start) => ({ ...start, state: 'other' }), 'state'],
    ['another address', (start: Start) => ({ ...start, redirectUri: `${CALLBACK}s` }), 'invalid_grant'],
  ])('proves nothing to %s', async (_, changed, reason) => {
    const start = flow();
    const callback = await signInAtProvider(await openId.authorizationUrl(client, start), 'alice');
    const refusal = await failure(openId.identity(client, { ...changed(start), params: callback.searchParams }));
    expect(refusal).toMatchObject({ code: 'provider.refused', reason: expect.stringContaining(reason) as string });
  });

  it('proves nothing with a wrong secret, or where its user cancels', async () => {
    const start = flow();
    const url = await openId.authorizationUrl(client, start);
    const params = (await signInAtProvider(url, 'alice')).searchParams;
    const wrong = openId.identity({ ...client, client_secret: SECRET }, { ...start, params });
    expect(await failure(wrong)).toMatchObject({ code: 'provider.refused', reason: 'it said invalid_client' });
    const cancelled = await signInAtProvider(url, null);
    expect(await failure(openId.identity(client, { ...start, params: cancelled.searchParams }))).toMatchObject({
      code: 'provider.refused',
      reason: 'it said access_denied',
    });
  });

  it('tells settings where it is', async () => {
    expect(await openId.discover(PROJECT, provider.issuer)).toEqual({
      issuer: provider.issuer,
      authorizationEndpoint: `${provider.issuer}/auth`,
      tokenEndpoint: `${provider.issuer}/token`,
    });
  });
});

describe('a provider that is wrong', () => {
  let provider: BrokenProvider;
  let openId: OpenId;

  beforeEach(async () => {
    provider = await BrokenProvider.start();
    provider.accessToken = ACCESS;
    openId = openIdOf();
  });
  afterEach(() => void vi.useRealTimers());

  const clientOf = (): ProviderClient => ({
    schema: PROJECT,
    issuer: provider.issuer,
    client_id: BrokenProvider.clientId,
    client_secret: SECRET,
    scopes: 'openid',
  });
  const start = { redirectUri: CALLBACK, state: STATE, nonce: BrokenProvider.nonce, codeVerifier: VERIFIER };
  const signIn = (
    query: Readonly<Record<string, string>> = {},
    client = clientOf(),
    wanted: readonly string[] = [],
  ): Promise<ProvedIdentity> => {
    const params = new URLSearchParams({ code: CODE, state: STATE, ...query });
    const back: Return = { ...start, params, wanted };
    return openId.identity(client, back);
  };

  it('proves someone as long as it is right', async () => {
    expect(await signIn()).toEqual({
      issuer: provider.issuer,
      subject: 'subject',
      claims: expect.objectContaining({ sub: 'subject' }) as object,
    });
    expect(await signIn({ iss: provider.issuer })).toMatchObject({ subject: 'subject' });
  });

  const secret = (claims: object): string => hmacBy(SECRET, { ...claims });
  const publicKey = ({ key }: BrokenProvider): string =>
    key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const past = Math.floor(Date.now() / 1000) - 100;

  it.each<[string, (broken: BrokenProvider) => unknown]>([
    ['of another issuer', (broken) => (broken.claims = { iss: 'https://other.example.com' })],
    ['for another client', (broken) => (broken.claims = { aud: 'other' })],
    ['for several without saying for whom', (broken) => (broken.claims = { aud: ['client', 'other'] })],
    ['for several, and made for another', (broken) => (broken.claims = { aud: ['client', 'other'], azp: 'other' })],
    ['that was made for another client', (broken) => (broken.claims = { azp: 'other' })],
    ['with another nonce', (broken) => (broken.claims = { nonce: 'other' })],
    ['without a nonce', (broken) => (broken.claims = { nonce: undefined })],
    ['that has expired', (broken) => (broken.claims = { exp: past })],
    ['that never expires', (broken) => (broken.claims = { exp: undefined })],
    ['without a subject', (broken) => (broken.claims = { sub: undefined })],
    ['with an empty subject', (broken) => (broken.claims = { sub: '' })],
    ['with a long subject', (broken) => (broken.claims = { sub: 'a'.repeat(256) })],
    ['with a huge subject', (broken) => (broken.claims = { sub: 'a'.repeat(10_000) })],
    ['with a subject that is no text', (broken) => (broken.claims = { sub: 1 })],
    ['with a list of subjects', (broken) => (broken.claims = { sub: ['subject'] })],
    ['with an object for a subject', (broken) => (broken.claims = { sub: { toString: 'subject' } })],
    ['with a subject that cannot be stored', (broken) => (broken.claims = { sub: 'a\0' })],
    ['without a signature', (broken) => (broken.idToken = (claims) => jwt({ alg: 'none' }, claims, () => Buffer.of()))],
    [
      'without a signature, as announced',
      (broken) => {
        broken.discovery = { id_token_signing_alg_values_supported: ['none', 'RS256'] };
        broken.idToken = (claims) => jwt({ alg: 'none', kid: 'first' }, claims, () => Buffer.of());
      },
    ],
    ['signed with the secret', (broken) => (broken.idToken = secret)],
    [
      'signed with the secret, as announced',
      (broken) => {
        broken.discovery = { id_token_signing_alg_values_supported: ['HS256', 'RS256'] };
        broken.idToken = secret;
      },
    ],
    [
      'signed with the public key as a secret',
      (broken) => {
        broken.discovery = { id_token_signing_alg_values_supported: ['HS256', 'RS256'] };
        broken.idToken = (claims) => hmacBy(publicKey(broken), claims, 'first');
      },
    ],
    [
      'signed with a foreign key',
      (broken) => (broken.idToken = (claims) => signedBy({ ...OTHER_KEY, kid: 'first' }, claims)),
    ],
    ['signed with an unknown key', (broken) => (broken.idToken = (claims) => signedBy(OTHER_KEY, claims))],
    ['that is none', (broken) => (broken.idToken = () => 'a.b.c')],
  ])('an ID token %s is refused', async (_, change) => {
    change(provider);
    // With an address no user info is read, which is refused where its subject is another.
    provider.claims = { email: 'a@example.com', ...provider.claims };
    expect(await failure(signIn())).toMatchObject({ code: 'provider.refused' });
    expect([provider.count('/token'), provider.count('/me')]).toEqual([1, 0]);
  });

  it('an ID token may be for several clients, and come late by half a minute', async () => {
    provider.claims = { aud: ['client', 'other'], azp: 'client', exp: Math.floor(Date.now() / 1000) - 20 };
    expect(await signIn()).toMatchObject({ subject: 'subject' });
  });

  it.each<[string, Record<string, string>, string]>([
    ['from another provider', { iss: 'https://other.example.com' }, 'iss'],
    ['with another state', { state: 'other' }, 'state'],
    ['with an error', { error: 'access_denied', error_description: SECRET }, 'it said access_denied'],
    ['with an error of its own', { error: SECRET }, 'it gave an error that OpenID Connect does not have'],
    ['without a code', { code: '' }, 'code'],
  ])('a callback %s is refused before the code is sent', async (_, query, reason) => {
    const refusal = await failure(signIn(query));
    expect(refusal).toMatchObject({ code: 'provider.refused', reason: expect.stringContaining(reason) as string });
    expect(provider.count('/token')).toBe(0);
  });

  it('a callback without the issuer is refused where it should be there', async () => {
    provider.discovery = { authorization_response_iss_parameter_supported: true };
    expect(await failure(signIn())).toMatchObject({ code: 'provider.refused' });
    expect(await signIn({ iss: provider.issuer })).toMatchObject({ subject: 'subject' });
  });

  it.each<[string, Record<string, unknown>]>([
    ['names another issuer', { issuer: 'https://other.example.com' }],
    ['names the issuer with a slash', { issuer: 'slash' }],
    ['has no keys', { jwks_uri: undefined }],
    ['has no place to sign in', { authorization_endpoint: undefined }],
    ['leads browsers into scripts', { authorization_endpoint: 'javascript:alert(1)' }],
    ['leads browsers elsewhere by http:', { authorization_endpoint: 'http://example.com/auth' }],
    ['takes codes elsewhere by http:', { token_endpoint: 'http://example.com/token' }],
  ])('a discovery that %s is refused', async (_, discovery) => {
    provider.discovery =
      'issuer' in discovery && discovery.issuer === 'slash' ? { issuer: `${provider.issuer}/` } : discovery;
    expect(await failure(signIn())).toMatchObject({ code: 'provider.refused' });
    expect(provider.count('/token')).toBe(0);
  });

  describe('what cannot be read is told apart', () => {
    const huge = JSON.stringify({ a: 'a'.repeat(2 * 1024 * 1024) });

    it.each<[string, string, (broken: BrokenProvider) => Parameters<BrokenProvider['answers']['set']>[1]]>([
      ['never', '0.5 seconds', () => () => undefined],
      ['slowly', '0.5 seconds', () => (response) => void response.writeHead(200).write('{')],
      ['too much', 'more than', () => (response) => void response.end(huge)],
      ['with a failure', '500', () => (response) => void response.writeHead(500).end('{}')],
      ['that it is busy', '429', () => (response) => void response.writeHead(429).end('{}')],
      ['a page', 'JSON', () => (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
      ['nothing', 'JSON', () => (response) => void response.writeHead(204).end()],
      ['by hanging up', 'ECONNRESET', () => (response) => void response.destroy()],
      [
        'with another place',
        '302',
        (broken) => (response) => void response.writeHead(302, { location: `${broken.issuer}/elsewhere` }).end(),
      ],
      [
        'with a place inside',
        '307',
        () => (response) => void response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
      ],
    ])('answers %s', async (_, reason, answering) => {
      if (reason.includes('seconds')) lowerLimit('providerSeconds', 0.5);
      const is = { code: 'provider.unavailable', reason: expect.stringContaining(reason) as string };
      const paths = ['/token', '/keys', '/me', DISCOVERY];
      const failures = paths.map(async (path) => {
        const broken = await BrokenProvider.start();
        broken.answers.set(path, answering(broken));
        const client = { ...clientOf(), issuer: broken.issuer };
        const failed = await failure(signIn({}, client));
        expect(failed, path).toMatchObject(is);
        if (reason === 'more than') expect(failed.reason).toContain(['/token', '/me'].includes(path) ? '64kb' : '1mb');
        if (path === DISCOVERY) expect(await failure(openId.discover(PROJECT, broken.issuer))).toMatchObject(is);
        expect(broken.count('/elsewhere')).toBe(0);
      });
      await Promise.all(failures);
    });
  });

  it('is not there', async () => {
    const nowhere = { ...clientOf(), issuer: 'http://127.0.0.1:1' };
    expect(await failure(openId.authorizationUrl(nowhere, start))).toMatchObject({
      code: 'provider.unavailable',
      reason: 'there is no connection to it (ECONNREFUSED)',
    });
    const unknown = openId.discover(PROJECT, 'https://unknown.example.com');
    expect(await failure(unknown)).toMatchObject({
      code: 'provider.unavailable',
      reason: 'one of its hosts has no address',
    });
    provider.answers.set(DISCOVERY, (response) => void response.writeHead(404).end('{}'));
    expect(await failure(openId.discover(PROJECT, provider.issuer))).toMatchObject({ code: 'provider.unavailable' });
  });

  it('is never the service itself', async () => {
    openId = openIdOf({ own: [{ host: '127.0.0.1', port: provider.port }] });
    expect(await failure(openId.discover(PROJECT, provider.issuer))).toMatchObject({ code: 'provider.unavailable' });
    expect(provider.asked).toEqual([]);
  });

  it('is on public addresses, by https:, unless others are allowed', async () => {
    openId = openIdOf({ allowPrivate: false, names: { 'inside.example.com': '10.0.0.1' } });
    expect(await failure(openId.discover(PROJECT, provider.issuer))).toMatchObject({ code: 'provider.refused' });
    for (const issuer of [
      provider.issuer.replace('http:', 'https:'),
      'https://169.254.169.254',
      'https://inside.example.com',
    ]) {
      expect(await failure(openId.discover(PROJECT, issuer))).toMatchObject({
        code: 'provider.unavailable',
        reason: 'one of its hosts has an address that is not allowed',
      });
    }
    expect(provider.asked).toEqual([]);
  });

  it('has no endpoints inside, wherever its discovery is', async () => {
    const issuer = 'https://provider.example.com';
    const inside = { '127.0.0.1': `https://127.0.0.1:${provider.port}`, name: 'https://inside.example.com' };
    const names = { 'inside.example.com': '10.0.0.1' };
    for (const place of Object.values(inside)) {
      for (const endpoint of ['jwks_uri', 'token_endpoint', 'userinfo_endpoint']) {
        const answers = {
          [`${issuer}${DISCOVERY}`]: {
            issuer,
            authorization_endpoint: `${issuer}/auth`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/keys`,
            userinfo_endpoint: `${issuer}/me`,
            [endpoint]: `${place}/inside`,
          },
          [`${issuer}/keys`]: { keys: [publicJwk(provider.key)] },
          [`${issuer}/token`]: {
            access_token: ACCESS,
            token_type: 'Bearer',
            id_token: signedBy(provider.key, { ...provider.allClaims, iss: issuer }),
          },
        };
        openId = new OpenId(new WithAnswers(answers, { allowPrivate: false, names }), log.logger);
        expect(await failure(signIn({}, { ...clientOf(), issuer })), `${endpoint} ${place}`).toMatchObject({
          code: 'provider.unavailable',
          reason: 'one of its hosts has an address that is not allowed',
        });
      }
    }
    expect(provider.asked).toEqual([]);
  });

  it('has so many requests of a project at the same time, which leave other projects theirs', async () => {
    lowerLimit('providerRequests', 2);
    let open = 0;
    const both = new Promise<void>((resolve) => {
      provider.answers.set('/token', (response) => {
        open += 1;
        if (open === 2) resolve();
        void both.then(() => setTimeout(() => response.writeHead(500).end(), 20));
      });
    });
    await openId.discover(PROJECT, provider.issuer);
    await openId.authorizationUrl(clientOf(), start);
    const [first, second] = [failure(signIn()), failure(signIn())];
    await both;
    const third = await failure(openId.discover(PROJECT, provider.issuer));
    expect(third).toMatchObject({
      code: 'provider.unavailable',
      reason: expect.stringContaining('too many') as string,
    });
    expect(await openId.discover('other', provider.issuer)).toMatchObject({ issuer: provider.issuer });
    expect((await Promise.all([first, second])).map(({ code }) => code)).toEqual(Array(2).fill('provider.unavailable'));
    expect(await openId.discover(PROJECT, provider.issuer)).toMatchObject({ issuer: provider.issuer });
  });

  describe('its discovery and keys', () => {
    const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
    beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));

    it('are read once an hour, and anew for settings', async () => {
      await openId.authorizationUrl(clientOf(), start);
      await Promise.all([signIn(), signIn(), signIn()]);
      later(3590);
      await signIn();
      expect([provider.count(DISCOVERY), provider.count('/keys')]).toEqual([1, 1]);
      later(20);
      await signIn();
      expect([provider.count(DISCOVERY), provider.count('/keys')]).toEqual([2, 2]);
      await openId.discover(PROJECT, provider.issuer);
      expect(provider.count(DISCOVERY)).toBe(3);
    });

    it('have as much of use as a limit says, and of anything else as a provider may answer', async () => {
      const more = { more: Array.from({ length: 100_000 }, () => ({})) };
      provider.discovery = more;
      provider.answers.set('/keys', (response) => {
        response.end(JSON.stringify({ ...more, keys: [{ ...publicJwk(provider.key), x5c: ['x'.repeat(100_000)] }] }));
      });
      expect(await signIn()).toMatchObject({ subject: 'subject' });
      provider.discovery = { token_endpoint: `${provider.issuer}/token?${'x'.repeat(LIMITS.providerUsed)}` };
      const is = { code: 'provider.unavailable', reason: 'it publishes more than 64kb of what is used' };
      expect(await failure(openId.discover(PROJECT, provider.issuer))).toMatchObject(is);
    });

    it('are read anew for a key that is not known, once a minute at most', async () => {
      await signIn();
      provider.key = OTHER_KEY;
      expect(await failure(signIn())).toMatchObject({ code: 'provider.refused' });
      expect(provider.count('/keys')).toBe(1);
      later(61);
      await Promise.all([signIn(), signIn(), signIn()]);
      expect(provider.count('/keys')).toBe(2);
      provider.idToken = (claims) => signedBy(THIRD_KEY, claims);
      await failure(signIn());
      expect(provider.count('/keys')).toBe(2);
      later(61);
      await failure(signIn());
      await failure(signIn());
      expect(provider.count('/keys')).toBe(3);
    });

    it('are not tried more often where that fails', async () => {
      await signIn();
      later(61);
      provider.idToken = (claims) => signedBy(THIRD_KEY, claims);
      provider.answers.set('/keys', (response) => void response.writeHead(500).end());
      expect(await failure(signIn())).toMatchObject({ code: 'provider.unavailable' });
      expect(await failure(signIn())).toMatchObject({ code: 'provider.refused' });
      expect(provider.count('/keys')).toBe(2);
    });
  });

  it.each<[string, Record<string, unknown>, string | null, { authorization?: string; inBody: boolean; id: boolean }]>([
    ['by the header', {}, SECRET, { authorization: 'Basic', inBody: false, id: false }],
    [
      'in the body where that alone is known',
      { token_endpoint_auth_methods_supported: ['client_secret_post'] },
      SECRET,
      { inBody: true, id: true },
    ],
    ['by nothing without a secret', {}, null, { inBody: false, id: true }],
  ])('is sent the secret %s', async (_, discovery, client_secret, { authorization, inBody, id }) => {
    provider.discovery = discovery;
    await signIn({}, { ...clientOf(), client_secret });
    const [sent] = provider.asked.filter(({ path }) => path === '/token');
    expect(sent?.headers.authorization?.split(' ')[0]).toBe(authorization);
    const body = Object.fromEntries(new URLSearchParams(sent?.body));
    expect(body).toMatchObject({
      grant_type: 'authorization_code',
      code: CODE,
      code_verifier: VERIFIER,
      redirect_uri: CALLBACK,
    });
    expect([body['client_secret'] === SECRET, body['client_id'] === 'client']).toEqual([inBody, id]);
  });

  const me = { sub: 'subject', email: 'me@example.com', email_verified: true, given_name: 'Me' };
  it.each<[string, object, object, object]>([
    [
      'the ID token',
      { email: 'a@example.com', email_verified: true },
      me,
      { email: 'a@example.com', emailVerified: true },
    ],
    ['the ID token, as a text', { email: 'a@example.com', email_verified: 'true' }, me, { emailVerified: true }],
    [
      'the ID token, which denies it',
      { email: 'a@example.com', email_verified: 'false' },
      me,
      { emailVerified: false },
    ],
    [
      'the ID token, which says something else',
      { email: 'a@example.com', email_verified: null },
      me,
      { emailVerified: false },
    ],
    [
      'the ID token, which says nothing',
      { email: 'a@example.com' },
      me,
      { email: 'a@example.com', emailVerified: undefined },
    ],
    ['the user info', {}, me, { email: 'me@example.com', emailVerified: true }],
    [
      'the user info alone',
      { email_verified: true },
      { ...me, email_verified: undefined },
      { email: 'me@example.com', emailVerified: undefined },
    ],
    ['nobody', { email_verified: true }, { sub: 'subject' }, { email: undefined, emailVerified: undefined }],
    [
      'what is no text',
      { email: ['a@example.com'], email_verified: true },
      me,
      { email: undefined, emailVerified: undefined },
    ],
  ])('an address and whether it is proved are from %s', async (_, claims, info, expected) => {
    provider.claims = { ...claims };
    provider.userInfo = { ...info };
    const { email, emailVerified } = await signIn();
    expect({ email, emailVerified }).toMatchObject(expected);
  });

  it('claims that the ID token lacks are looked for in the user info, the address never', async () => {
    provider.claims = { email: 'a@example.com' };
    provider.userInfo = me;
    expect((await signIn()).claims['given_name']).toBeUndefined();
    expect(provider.count('/me')).toBe(0);
    const { claims, emailVerified } = await signIn({}, clientOf(), ['given_name']);
    expect(claims).toMatchObject({ given_name: 'Me', email: 'a@example.com' });
    expect([claims['email_verified'], emailVerified]).toEqual([undefined, undefined]);
  });

  it('the user info of another is refused', async () => {
    provider.userInfo = { ...me, sub: 'other' };
    expect(await failure(signIn())).toMatchObject({ code: 'provider.refused' });
    provider.discovery = { userinfo_endpoint: undefined };
    openId = openIdOf();
    expect(await signIn()).toMatchObject({ subject: 'subject' });
  });

  it('user info that is signed is checked as an ID token is', async () => {
    const signInWith = (key: typeof OTHER_KEY) => {
      const token = signedBy({ ...key, kid: 'first' }, { ...me, iss: provider.issuer, aud: BrokenProvider.clientId });
      provider.answers.set('/me', (response) => {
        response.writeHead(200, { 'content-type': 'application/jwt' }).end(token);
      });
      return signIn();
    };
    provider.discovery = { userinfo_signing_alg_values_supported: ['RS256'] };
    expect(await signInWith(provider.key)).toMatchObject({ email: 'me@example.com', emailVerified: true });
    expect(await failure(signInWith(OTHER_KEY))).toMatchObject({ code: 'provider.refused' });
  });

  it('what it says stands in no error and no log', async () => {
    const echo = (status: number) => (response: BrokenResponse) =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: SECRET, error_description: `${CODE} ${VERIFIER}` }));
    type BrokenResponse = Parameters<Parameters<BrokenProvider['answers']['set']>[1]>[0];
    for (const status of [200, 400, 401, 500]) {
      provider.answers.set('/token', echo(status));
      await failure(signIn());
    }
    provider.answers.clear();
    // The platform names it in its error: it is no value of a header.
    provider.accessToken = `${ACCESS}\na`;
    expect(await failure(signIn())).toMatchObject({ code: 'provider.refused' });
    expect(log.text()).toContain('it gave an error that OpenID Connect does not have');
  });
});

it('Apple is asked to post its answer, and others are not', async () => {
  const modeOf = async (issuer: string) => {
    const [authorization_endpoint, token_endpoint, jwks_uri] = [`${issuer}/auth`, `${issuer}/token`, `${issuer}/keys`];
    const discovery = { issuer, authorization_endpoint, token_endpoint, jwks_uri };
    const client = { schema: PROJECT, issuer, client_id: 'a', client_secret: SECRET, scopes: 'openid email' };
    const start = { redirectUri: CALLBACK, state: STATE, nonce: 'n', codeVerifier: VERIFIER };
    const openId = new OpenId(new WithAnswers({ [`${issuer}${DISCOVERY}`]: discovery }), log.logger);
    return (await openId.authorizationUrl(client, start)).searchParams.get('response_mode');
  };
  expect(await modeOf('https://appleid.apple.com')).toBe('form_post');
  expect(await modeOf('https://accounts.example.com')).toBeNull();
});

describe('a provider of many tenants', () => {
  const host = 'https://login.microsoftonline.com';
  const key = OTHER_KEY;
  const identity = (issuer: string, template: string, claims: object) => {
    const now = Math.floor(Date.now() / 1000);
    const { clientId, nonce } = BrokenProvider;
    const token = { aud: clientId, sub: 'subject', nonce, iat: now, exp: now + 300, email: 'a@example.com', ...claims };
    const requests = new WithAnswers({
      [`${issuer}${DISCOVERY}`]: {
        issuer: template,
        authorization_endpoint: `${host}/auth`,
        token_endpoint: `${host}/token`,
        jwks_uri: `${host}/keys`,
      },
      [`${host}/keys`]: { keys: [publicJwk(key)] },
      [`${host}/token`]: { access_token: ACCESS, token_type: 'Bearer', id_token: signedBy(key, token) },
    });
    return new OpenId(requests, log.logger).identity(
      { schema: PROJECT, issuer, client_id: clientId, client_secret: SECRET, scopes: 'openid' },
      {
        redirectUri: CALLBACK,
        state: STATE,
        nonce,
        codeVerifier: VERIFIER,
        params: new URLSearchParams({ code: CODE, state: STATE }),
      },
    );
  };
  const template = `${host}/{tenantid}/v2.0`;

  it.each(['common', 'organizations'])('names the tenant in its token: %s', async (tenants) => {
    const proved = identity(`${host}/${tenants}/v2.0`, template, { iss: `${host}/tenant-1/v2.0`, tid: 'tenant-1' });
    expect(await proved).toMatchObject({ issuer: `${host}/tenant-1/v2.0`, subject: 'subject' });
  });

  it.each<[string, string, string, object]>([
    ['a token of another tenant', `${host}/common/v2.0`, template, { iss: `${host}/tenant-1/v2.0`, tid: 'tenant-2' }],
    ['a token without a tenant', `${host}/common/v2.0`, template, { iss: `${host}/tenant-1/v2.0` }],
    [
      'one tenant that answers for all',
      `${host}/tenant-1/v2.0`,
      template,
      { iss: `${host}/tenant-2/v2.0`, tid: 'tenant-2' },
    ],
    [
      'a discovery of another',
      `${host}/common/v2.0`,
      'https://other.example.com',
      { iss: 'https://other.example.com' },
    ],
    [
      'another host',
      'https://login.example.com/common/v2.0',
      'https://login.example.com/{tenantid}/v2.0',
      { iss: 'https://login.example.com/tenant-1/v2.0', tid: 'tenant-1' },
    ],
  ])('refuses %s', async (_, issuer, found, claims) => {
    expect(await failure(identity(issuer, found, claims))).toMatchObject({ code: 'provider.refused' });
  });
});

it('the limits are those of the specification', () => {
  expect([LIMITS.providerSeconds, LIMITS.providerAnswer]).toEqual([5, 1024 * 1024]);
});
