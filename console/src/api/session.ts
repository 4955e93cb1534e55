/**
 * The session of this page. The access token is in memory only; the refresh token is in a cookie that scripts cannot
 * read (docs/auth.md). Where browsers keep no such cookie, over plain http, it is in memory too.
 */
import { open, send, type Call, type Reply } from './client.js';
import { ApiError } from './errors.js';

/** Who is told that the session has ended, and waits for another sign-in. */
type EndListener = () => Promise<void>;

/** Has a person put right what a call was refused for. False if nobody does. */
type RefusalListener = () => Promise<boolean>;

/** What a sign-in lacks: a code of the authenticator app, the one that was mailed, or a passkey. */
export type MissingStep = 'totp' | 'mail' | 'passkey';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string | null;
}

const IN_COOKIE: Readonly<Record<string, string>> = { 'kind-refresh-token': 'cookie' };
const PROJECT_KEY = 'kind.console.project';
/** What a browser can send as a header; no project key has other characters. */
const SENDABLE = /^[\x21-\x7e]{1,100}$/;

class Session {
  #access: string | undefined;
  #refresh: string | null = null;
  #refreshing: Promise<boolean> | undefined;
  #onEnd: EndListener | undefined;
  #onSignIn: (() => void) | undefined;
  #onDenied: (() => void) | undefined;
  readonly #onRefused = new Map<string, RefusalListener>();
  readonly #channel = new BroadcastChannel('kind.console.session');
  /** The project that the page is about. */
  project = projectOfAddress() ?? localStorage.getItem(PROJECT_KEY) ?? '';

  constructor() {
    // Signed out in another tab.
    this.#channel.onmessage = ({ data }: MessageEvent<string>) => {
      if (data === this.project && this.#access !== undefined) location.reload();
    };
  }

  get isOpen(): boolean {
    return this.#access !== undefined;
  }

  /** `listener` asks the person to sign in again; what failed is repeated after it. */
  onEnd(listener: EndListener): void {
    this.#onEnd = listener;
  }

  /** Called after each sign-in, which may be that of somebody else. */
  onSignIn(listener: () => void): void {
    this.#onSignIn = listener;
  }

  /** Called when the service says that the member may not do something. */
  onDenied(listener: () => void): void {
    this.#onDenied = listener;
  }

  /** What is refused with this code is repeated after `listener`. */
  onRefused(code: 'session.stale' | 'email.unverified' | 'second_step.missing', listener: RefusalListener): void {
    this.#onRefused.set(code, listener);
  }

  /** By one of the ways in, with what proves who one is. Undefined if it is done. @throws ApiError, OfflineError */
  async signIn(project: string, path: readonly string[], proof: object): Promise<MissingStep | undefined> {
    const { content, secondStep } = await send<Tokens | null>(
      { method: 'POST', path, body: proof, headers: cookieHeader() },
      { 'kind-project-key': project },
    );
    if (content === null) return stepOf(secondStep);
    this.project = project;
    localStorage.setItem(PROJECT_KEY, project);
    this.#keep(content);
    this.#onSignIn?.();
    return undefined;
  }

  /** Continues the session that the browser has a cookie of, if somebody has signed in here. */
  async restore(): Promise<boolean> {
    return localStorage.getItem(this.#mark()) !== null && this.#renew();
  }

  async signOut(): Promise<void> {
    try {
      await this.call({ method: 'POST', path: ['auth', 'signout'], headers: cookieHeader() });
    } finally {
      this.#access = undefined;
      this.#refresh = null;
      localStorage.removeItem(this.#mark());
      this.#channel.postMessage(this.project);
    }
  }

  /** Calls the API as the member. A token that has expired is replaced, and the call repeated. @throws ApiError */
  call<T>(call: Call): Promise<Reply<T>> {
    return this.#asMember((headers) => send<T>(call, headers));
  }

  /** The same for an answer that is a file. @throws ApiError */
  open(call: Call): Promise<Response> {
    return this.#asMember((headers) => open(call, headers));
  }

  /** The same for a stream, of which nobody is asked to sign in again. @throws ApiError, OfflineError */
  async follow(call: Call): Promise<Response> {
    if (!this.isOpen) throw new ApiError(401, []);
    return this.#asMember((headers) => open(call, headers), false);
  }

  async #asMember<T>(work: (headers: Readonly<Record<string, string>>) => Promise<T>, mayAsk = true): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      const access = this.#access;
      try {
        return await work(this.#headers());
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) {
          if (mayAsk && attempt < 2 && (await this.#isPutRight(error))) continue;
          this.#onDenied?.();
        }
        if (!(error instanceof ApiError) || error.status !== 401 || attempt === 2) throw error;
        // A wrong password, not a token that is no longer good.
        if (error.has('signin.failed')) throw error;
        // Another call may have replaced it in the meantime.
        if (access !== this.#access || (await this.#renew())) continue;
        if (!mayAsk) throw error;
        await this.#askAgain(error);
      }
    }
  }

  async #isPutRight(refused: ApiError): Promise<boolean> {
    for (const [code, listener] of this.#onRefused) if (refused.has(code)) return listener();
    return false;
  }

  /** One request at a time, in all tabs, because a refresh token is used once. */
  #renew(): Promise<boolean> {
    this.#refreshing ??= this.#renewNow().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #renewNow(): Promise<boolean> {
    const bearer: Record<string, string> = this.#refresh === null ? {} : { authorization: `Bearer ${this.#refresh}` };
    const request = () =>
      send<Tokens>(
        { method: 'POST', path: ['auth', 'refresh'], headers: { ...cookieHeader(), ...bearer } },
        { 'kind-project-key': this.project },
      );
    try {
      const { content } = await (isSecureContext ? navigator.locks.request(PROJECT_KEY, request) : request());
      this.#keep(content);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      localStorage.removeItem(this.#mark());
      return false;
    }
  }

  async #askAgain(error: ApiError): Promise<void> {
    if (!this.#onEnd) throw error;
    this.#access = undefined;
    await this.#onEnd();
  }

  #keep({ access_token: access, refresh_token: refresh }: Tokens): void {
    this.#access = access;
    this.#refresh = refresh;
    localStorage.setItem(this.#mark(), '');
  }

  /** Says that the browser has a cookie, which scripts cannot see. */
  #mark(): string {
    return `kind.console.session.${this.project}`;
  }

  #headers(): Record<string, string> {
    return {
      'kind-project-key': this.project,
      ...(this.#access !== undefined && { authorization: `Bearer ${this.#access}` }),
    };
  }
}

/** A release that names another step has at least mailed a code before. */
function stepOf(told: string | null): MissingStep {
  return told === 'totp' || told === 'passkey' ? told : 'mail';
}

/** Over plain http, browsers drop the cookie, and the token is needed in the answer. */
function cookieHeader(): Readonly<Record<string, string>> {
  return isSecureContext ? IN_COOKIE : {};
}

/** That of `?project=`, which is taken out of the address: a later sign-in may be to another project. */
function projectOfAddress(): string | null {
  const address = new URL(location.href);
  const project = address.searchParams.get('project');
  if (project === null) return null;
  address.searchParams.delete('project');
  history.replaceState(null, '', address);
  // Any page can link to the console: what cannot be a key would stay, and every call would fail.
  if (!SENDABLE.test(project)) return null;
  localStorage.setItem(PROJECT_KEY, project);
  return project;
}

export const session = new Session();
