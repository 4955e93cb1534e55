/** An identity provider that keeps to the standard: `oidc-provider`, on a port of this machine. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.js';

type Claims = Readonly<Record<string, unknown>>;

interface ProviderOptions {
  /** Addresses of callbacks. */
  readonly redirectUris: readonly string[];
  /** By the names that accounts sign in with, which are their subjects. More can be set later. */
  readonly accounts?: Readonly<Record<string, Claims>>;
  /** Whether the ID token has what an account says of itself, rather than the user info alone. */
  readonly inIdToken?: boolean;
}

export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A client without a secret. */
  readonly publicClientId: string;
  readonly accounts: Map<string, Claims>;
}

/** Until the test, or the file, ends. */
export async function startOidcProvider(options: ProviderOptions): Promise<OidcProvider> {
  let handle: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const provider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: 'kind client',
    clientSecret: 'a secret of a client: %+/&=',
    publicClientId: 'public-client',
    accounts: new Map(Object.entries(options.accounts ?? {})),
  };
  handle = await callbackOf(provider, options);
  return provider;
}

async function callbackOf(provider: OidcProvider, options: ProviderOptions): Promise<RequestListener> {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const common = {
    redirect_uris: options.redirectUris,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    id_token_signed_response_alg: 'ES256',
  };
  const client = { ...common, client_id: provider.clientId, client_secret: provider.clientSecret };
  const publicClient = { ...common, client_id: provider.publicClientId, token_endpoint_auth_method: 'none' };
  const configuration = {
    jwks: { keys: [{ ...key, kid: 'one', use: 'sig', alg: 'ES256' }] },
    clients: [client, publicClient],
    cookies: { keys: ['a key of cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    conformIdTokenClaims: !options.inIdToken,
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    findAccount: (_context: unknown, id: string) => {
      const claims = provider.accounts.get(id);
      return claims && { accountId: id, claims: () => ({ ...claims, sub: id }) };
    },
    renderError: (context: { body: unknown }, fault: unknown) => void (context.body = fault),
  };
  return quietly(async () => {
    const { Provider } = await import('oidc-provider');
    return new Provider(provider.issuer, configuration).callback();
  });
}

/** It warns of what is no concern of tests: that it keeps all in memory, and signs in whoever has a name. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await work();
  } finally {
    console.warn = warn;
  }
}

/**
 * Signs in at the provider as a browser does, and agrees to whatever it asks. Returns where it sends the browser at the end:
 * the callback, with its query.
 * @param account its name; null cancels
 * @param cookies those of the browser, who is signed in there already if it was before
 */
export async function signInAtProvider(
  authorizationUrl: URL | string,
  account: string | null,
  cookies = new Map<string, string>(),
): Promise<URL> {
  let url = new URL(authorizationUrl);
  const { origin } = url;
  let form: URLSearchParams | undefined;
  for (let steps = 0; steps < 10; steps += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(/[=;]/, 2);
      cookies.set(name, value);
    }
    form = undefined;
    const location = response.headers.get('location');
    if (location !== null) url = new URL(location, url);
    else if (!response.ok) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    else if (account === null) url = new URL(`${url.pathname}/abort`, url);
    else {
      const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(await response.text()) ?? [];
      form = new URLSearchParams({ prompt, login: account, password: 'any' });
    }
    if (url.origin !== origin) return url;
  }
  throw new Error(`the provider does not get further than ${url.href}`);
}
