/** An identity provider that a test breaks: its discovery, its tokens, or whatever it answers. */
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.js';

type Json = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export function signingKey(kid: string): SigningKey {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

/** A JWT with any header, and any signature. */
export function jwt(header: Json, claims: Json, signature: (text: string) => Buffer): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${signature(text).toString('base64url')}`;
}

export function signedBy({ kid, privateKey }: SigningKey, claims: Json): string {
  return jwt({ alg: 'RS256', kid }, claims, (text) => sign('sha256', Buffer.from(text), privateKey));
}

/** As those do who take a public key, or a secret of a client, for the key of an HMAC. */
export function hmacBy(key: string, claims: Json, kid?: string): string {
  return jwt({ alg: 'HS256', ...(kid !== undefined && { kid }) }, claims, (text) => {
    return createHmac('sha256', key).update(text).digest();
  });
}

export function publicJwk({ kid, publicKey }: SigningKey): Json {
  return { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}

const KEY = signingKey('first');

export class BrokenProvider {
  static readonly clientId = 'client';
  static readonly nonce = 'nonce-of-the-flow';

  /** Requests so far, in their order. */
  readonly asked: Asked[] = [];
  /** Takes the place of what it answers to a path. */
  readonly answers = new Map<string, (response: ServerResponse) => void>();
  /** Over its own discovery. */
  discovery: Json = {};
  key = KEY;
  /** Over the claims of a right ID token; undefined leaves one out. */
  claims: Json = {};
  /** Takes the place of the ID token. */
  idToken: ((claims: Json) => string) | undefined;
  accessToken = 'access-token';
  userInfo: Json = { sub: 'subject' };
  #port = 0;

  /** Until the test, or the file, ends. */
  static async start(): Promise<BrokenProvider> {
    const provider = new BrokenProvider();
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const path = request.url ?? '';
        provider.asked.push({ path, headers: request.headers, body: Buffer.concat(pieces).toString() });
        const answer = provider.answers.get(path);
        if (answer) answer(response);
        else respond(response, provider.published(path));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    provider.#port = (server.address() as AddressInfo).port;
    atEnd(() => {
      server.close();
      server.closeAllConnections();
    });
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** How often a path was asked for. */
  count(path: string): number {
    return this.asked.filter((each) => each.path === path).length;
  }

  get allClaims(): Json {
    const now = Math.floor(Date.now() / 1000);
    const { issuer } = this;
    const { clientId, nonce } = BrokenProvider;
    return { iss: issuer, aud: clientId, sub: 'subject', nonce, iat: now, exp: now + 300, ...this.claims };
  }

  /** What it publishes at a path if a test changes nothing. */
  published(path: string): Json | undefined {
    const { issuer } = this;
    switch (path) {
      case '/.well-known/openid-configuration':
        return {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/me`,
          ...this.discovery,
        };
      case '/keys':
        return { keys: [publicJwk(this.key)] };
      case '/token': {
        const { allClaims, idToken = (claims: Json) => signedBy(this.key, claims) } = this;
        return { access_token: this.accessToken, token_type: 'Bearer', id_token: idToken(allClaims) };
      }
      case '/me':
        return this.userInfo;
      default:
        return undefined;
    }
  }
}

function respond(response: ServerResponse, json: Json | undefined): void {
  response.writeHead(json ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(json ?? {}));
}
