/**
 * OpenID Connect, as far as it concerns the provider: where a browser is sent to, and whom the answer proves (the code
 * flow, with PKCE). It knows nothing of members and routes.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import type { Logger } from 'pino';
import { LOGGER } from '../../../http/log/logger.js';
import { EMAIL_LENGTH, isMemberAddress } from '../../../shared/email.js';
import { LIMITS } from '../../../shared/limits.js';
import type { IdentityProvider } from '../../../sql/member/identity.sql.js';
import { isSameIssuer } from './entra.js';
import { ProviderDocuments } from './provider-documents.js';
import { failureOf, refused, saidNo } from './provider-failure.js';
import { ProviderRequests } from './provider-requests.js';

/** With its secret decrypted, and the schema of its project. */
export type ProviderClient = Pick<IdentityProvider, 'issuer' | 'client_id' | 'client_secret' | 'scopes'> & {
  readonly schema: string;
};

interface Flow {
  /** The address of the callback. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface Start extends Flow {
  readonly loginHint?: string;
  readonly prompt?: string;
}

export interface Return extends Flow {
  /** The query of the callback. */
  readonly params: URLSearchParams;
  /** Names of claims that are looked for in the user info where the ID token has not all of them. */
  readonly wanted?: readonly string[];
}

/** Whom a provider has signed in. The key of an identity is `issuer` and `subject`. */
export interface ProvedIdentity {
  /** The `iss` of the token: of a provider of many tenants it names the tenant. */
  readonly issuer: string;
  readonly subject: string;
  readonly email?: string;
  /** What the same source says of it; undefined where it says nothing. */
  readonly emailVerified?: boolean;
  /** Of the ID token, and of the user info where it was read. */
  readonly claims: Readonly<Record<string, unknown>>;
}

interface Discovered {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
}

type Library = typeof import('openid-client');
type Claims = Readonly<Record<string, unknown>>;

/** 1 to 255 characters that PostgreSQL can store, each of them as it is. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** Seconds: the library has keys that it does not know read anew if the others are older than a minute. */
const AGE_OF_KEYS = 100;

/** It posts its answer, or tells neither address nor name (Sign in with Apple, "Incorporating Sign in with Apple"). */
const APPLE = 'https://appleid.apple.com';

@Injectable()
export class OpenId {
  readonly #documents: ProviderDocuments;

  constructor(
    private readonly requests: ProviderRequests,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#documents = new ProviderDocuments(requests);
  }

  /** Where a browser is sent to. @throws ProviderFailure */
  authorizationUrl(client: ProviderClient, start: Start): Promise<URL> {
    return this.#orFailure(client.issuer, async (library) => {
      const configuration = await this.#configuration(library, client);
      const { loginHint, prompt } = start;
      return library.buildAuthorizationUrl(configuration, {
        redirect_uri: start.redirectUri,
        scope: client.scopes,
        state: start.state,
        nonce: start.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(start.codeVerifier),
        code_challenge_method: 'S256',
        ...(loginHint !== undefined && { login_hint: loginHint }),
        ...(prompt !== undefined && { prompt }),
        ...(client.issuer === APPLE && { response_mode: 'form_post' }),
      });
    });
  }

  /** Whom the query of the callback proves; its code is used up. @throws ProviderFailure */
  identity(client: ProviderClient, { params, wanted = [], ...flow }: Return): Promise<ProvedIdentity> {
    return this.#orFailure(client.issuer, async (library) => {
      const error = params.get('error');
      if (error !== null) throw saidNo(error);
      const configuration = await this.#configuration(library, client);
      await this.#checkSignatures(library, configuration, client.schema);
      const callback = new URL(flow.redirectUri);
      callback.search = params.toString();
      const tokens = await library.authorizationCodeGrant(configuration, callback, {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.codeVerifier,
      });
      const token: Claims = tokens.claims() ?? {};
      const { iss, sub, azp } = token;
      if (typeof iss !== 'string' || typeof sub !== 'string' || !SUBJECT.test(sub)) {
        throw refused('the subject of its ID token is not 1 to 255 characters');
      }
      if (azp !== undefined && azp !== client.client_id) throw refused('its ID token was made for another client');
      const { userinfo_endpoint: userInfo } = configuration.serverMetadata();
      const hasAll = ['email', ...wanted].every((name) => token[name] !== undefined);
      const info: Claims =
        hasAll || userInfo === undefined ? {} : await library.fetchUserInfo(configuration, tokens.access_token, sub);
      return { issuer: iss, subject: sub, ...emailAndClaims(token, info) };
    });
  }

  /** Reads the discovery of an issuer anew, for settings. @throws ProviderFailure */
  discover(schema: string, issuer: string): Promise<Discovered> {
    return this.#orFailure(issuer, async (library) => {
      const client = { schema, issuer, client_id: 'unknown', client_secret: null, scopes: '' };
      const configuration = await this.#configuration(library, client, (url) => this.#documents.readAnew(schema, url));
      const { authorization_endpoint, token_endpoint } = endpointsOf(configuration.serverMetadata());
      return { issuer, authorizationEndpoint: authorization_endpoint, tokenEndpoint: token_endpoint };
    });
  }

  async #configuration(
    library: Library,
    { schema, issuer, client_id, client_secret }: ProviderClient,
    read = (url: string) => this.#documents.get(schema, url),
  ): Promise<Configuration> {
    const configuration = await library.discovery(
      new URL(issuer),
      client_id,
      undefined,
      authenticationOf(library, client_secret),
      {
        [library.customFetch]: async (url) => jsonAnswer(await read(url)),
        execute: this.requests.allowsHttp ? [library.allowInsecureRequests] : [],
      },
    );
    const metadata = configuration.serverMetadata();
    if (!isSameIssuer(metadata.issuer, issuer)) throw refused('its discovery names another issuer');
    const endpoints = endpointsOf(metadata);
    if (!this.requests.allows(new URL(endpoints.authorization_endpoint))) {
      throw refused('its authorization_endpoint is not https:');
    }
    configuration[library.customFetch] = this.#fetch(schema, endpoints.jwks_uri);
    return configuration;
  }

  /** What the library requests after the discovery. Keys, only if those that it was given lack one: see below. */
  #fetch(schema: string, keys: string): CustomFetch {
    return async (url, { method, headers, body }) => {
      if (url === new URL(keys).href) return jsonAnswer(await this.#documents.getNewer(schema, keys));
      return this.requests.send(url, {
        schema,
        method,
        headers,
        most: LIMITS.providerUsed,
        ...(body instanceof URLSearchParams && { body: String(body) }),
      });
    };
  }

  /** The library checks no signatures unless it is told to, and would keep keys for five minutes alone. */
  async #checkSignatures(library: Library, configuration: Configuration, schema: string): Promise<void> {
    library.enableNonRepudiationChecks(configuration);
    const { jwks_uri } = endpointsOf(configuration.serverMetadata());
    const jwks = JSON.parse(await this.#documents.get(schema, jwks_uri)) as { keys: [] };
    library.setJwksCache(configuration, { jwks, uat: Math.floor(Date.now() / 1000) - AGE_OF_KEYS });
  }

  async #orFailure<T>(issuer: string, work: (library: Library) => Promise<T>): Promise<T> {
    // Imported with the first use: most projects have no need of it.
    const library = await import('openid-client');
    try {
      return await work(library);
    } catch (error) {
      const failure = failureOf(error);
      const level = failure.code === 'provider.unavailable' ? 'warn' : 'info';
      this.logger[level](
        { issuer, code: failure.code, reason: failure.reason },
        'an identity provider signed nobody in',
      );
      throw failure;
    }
  }
}

/** By the header where the provider takes it, which is the one that all must take. */
function authenticationOf({ ClientSecretBasic, ClientSecretPost, None }: Library, secret: string | null): ClientAuth {
  if (secret === null) return None();
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods } = server;
    const byPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
    return (byPost ? ClientSecretPost(secret) : ClientSecretBasic(secret))(server, ...rest);
  };
}

interface Endpoints {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
}

function endpointsOf({ authorization_endpoint, token_endpoint, jwks_uri }: Readonly<ServerMetadata>): Endpoints {
  for (const [name, value] of Object.entries({ authorization_endpoint, token_endpoint, jwks_uri })) {
    if (typeof value !== 'string' || !URL.canParse(value)) throw refused(`its discovery has no ${name}`);
  }
  return { authorization_endpoint, token_endpoint, jwks_uri } as Endpoints;
}

/** An address and whether it is verified come from one source. */
function emailAndClaims(token: Claims, info: Claims): Pick<ProvedIdentity, 'email' | 'emailVerified' | 'claims'> {
  const { email, email_verified: verified } = token.email === undefined ? info : token;
  // It is stored, and mailed to: what is no address is left out.
  const isAddress = typeof email === 'string' && email.length <= EMAIL_LENGTH && isMemberAddress(email);
  return {
    ...(isAddress && { email }),
    ...(isAddress && verified !== undefined && { emailVerified: verified === true || verified === 'true' }),
    claims: { ...info, ...token, email, email_verified: verified },
  };
}

function jsonAnswer(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}
