/** An application whose members sign in with an identity provider, as its browser sees it. */
import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { getOrInsert } from '../../src/shared/maps.js';
import { anonymous } from './callers.js';
import { signInAtProvider } from './oidc-provider.js';
import type { Reply, TestProject } from './service.js';

/** Where it is led back to: an entry of the setting `redirects`. */
export const APP = 'https://app.example.com/signed-in';

export function callbackAddress(project: TestProject, provider: string): string {
  return `${providerAddress(project, provider)}/callback`;
}

function providerAddress({ service, id }: TestProject, provider: string): string {
  return `${service.url}/api/lib/project/${id}/provider/${provider}`;
}

/** An application, and a browser with its cookies. */
export class Application {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(8).toString('hex');
  cookie: string | undefined;
  /** Cookies at the provider, by account: who has signed in there stays signed in. */
  readonly #atProvider = new Map<string | null, Map<string, string>>();

  constructor(private readonly project: TestProject) {}

  get challenge(): string {
    return createHash('sha256').update(this.verifier).digest('base64url');
  }

  query(more: object = {}): string {
    const all = { redirect_to: APP, code_challenge: this.challenge, state: this.state, ...more };
    return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== undefined)).toString();
  }

  /** Opens an address, as a browser does. */
  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(this.cookie !== undefined && { cookie: this.cookie }) };
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(';')[0];
    return response;
  }

  start(id: string, more: object = {}): Promise<Response> {
    return this.open(`${providerAddress(this.project, id)}?${this.query(more)}`);
  }

  /** As far as the provider leads back to the callback. */
  async toCallback(id: string, name: string | null, more: object = {}): Promise<URL> {
    const response = await this.start(id, more);
    expect(response.status).toBe(302);
    return signInAtProvider(
      response.headers.get('location') ?? '',
      name,
      getOrInsert(this.#atProvider, name, () => new Map<string, string>()),
    );
  }

  /** What the application is led back with. */
  async signIn(id: string, name: string | null, more: object = {}): Promise<Record<string, string>> {
    return this.back(await this.open((await this.toCallback(id, name, more)).href));
  }

  back(response: Response): Record<string, string> {
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const url = new URL(response.headers.get('location') ?? '');
    expect(url.href.split('?')[0]).toBe(APP);
    const { state, ...rest } = Object.fromEntries(url.searchParams);
    expect(state).toBe(this.state);
    return rest;
  }

  exchange(code: string | undefined, more: object = {}, as = anonymous(this.project)): Promise<Reply> {
    return as.post('/auth/exchange', { code, code_verifier: this.verifier, ...more });
  }
}
