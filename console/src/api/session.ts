/** The session of this page, which the client of applications keeps (docs/client.md#sessions), and what a person is asked for. */
import { Connection, type Sent } from '../../../packages/client/connection.js';
import { Session as Tokens, type Tokens as NewTokens } from '../../../packages/client/session.js';
import { connectionWith, optionsOf, replyOf, senderOf, sentOf, type Call, type Reply } from './client.js';
import { ApiError } from './errors.js';

/** Who is told that the session has ended, and waits for another sign-in. */
type EndListener = () => Promise<void>;

/** Has a person put right what a call was refused for. False if nobody does. */
type RefusalListener = () => Promise<boolean>;

/** What a sign-in lacks: a code of the authenticator app, the one that was mailed, or a passkey. */
export type MissingStep = 'totp' | 'mail' | 'passkey';

const PROJECT_KEY = 'kind.console.project';
/** What a browser can send as a header; no project key has other characters. */
const SENDABLE = /^[\x21-\x7e]{1,100}$/;

class Session {
  #project = '';
  #tokens!: Tokens;
  #connection!: Connection;
  #channel: BroadcastChannel | undefined;
  #onEnd: EndListener | undefined;
  #onSignIn: (() => void) | undefined;
  #onDenied: (() => void) | undefined;
  readonly #onRefused = new Map<string, RefusalListener>();

  constructor() {
    this.project = projectOfAddress() ?? localStorage.getItem(PROJECT_KEY) ?? '';
  }

  /** The project that the page is about. */
  get project(): string {
    return this.#project;
  }

  set project(project: string) {
    this.#project = project;
    this.#channel?.close();
    // Signed out in another tab: told here before the client is, which forgets who was signed in.
    this.#channel = new BroadcastChannel(`kind.${project}`);
    this.#channel.onmessage = () => {
      if (this.isOpen) location.reload();
    };
    const send = senderOf(project);
    this.#tokens = new Tokens(optionsOf(project), send);
    this.#connection = new Connection(project, send, this.#tokens);
  }

  get isOpen(): boolean {
    return this.#tokens.member !== null;
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

  /** By one of the ways in, with what proves who one is. Undefined if it is done. @throws ApiError */
  async signIn(project: string, path: readonly string[], proof: object): Promise<MissingStep | undefined> {
    const { headers } = this.#tokens;
    const call = sentOf({ method: 'POST', path, body: proof, headers });
    const { content, secondStep } = await replyOf<NewTokens | null>(await connectionWith(project).send(call));
    if (content === null) return stepOf(secondStep);
    if (project !== this.project) this.project = project;
    localStorage.setItem(PROJECT_KEY, project);
    localStorage.setItem(this.#mark(), '');
    await this.#tokens.keep(content);
    this.#onSignIn?.();
    return undefined;
  }

  /** Continues the session that the browser has a cookie of, if somebody has signed in here. */
  async restore(): Promise<boolean> {
    if (localStorage.getItem(this.#mark()) === null) return false;
    const isOpen = await this.#tokens.renew(undefined);
    if (!isOpen) localStorage.removeItem(this.#mark());
    return isOpen;
  }

  async signOut(): Promise<void> {
    try {
      await this.call({ method: 'POST', path: ['auth', 'signout'], headers: this.#tokens.headers });
    } finally {
      localStorage.removeItem(this.#mark());
      await this.#tokens.forget();
    }
  }

  /** Calls the API as the member. @throws ApiError */
  async call<T>(call: Call): Promise<Reply<T>> {
    return replyOf<T>(await this.open(call));
  }

  /** The same for an answer that is a file, or that has headers alone. @throws ApiError */
  open(call: Call): Promise<Response> {
    return this.send(sentOf(call));
  }

  /** The same for a stream, of which nobody is asked to sign in again. @throws ApiError */
  async follow(sent: Sent): Promise<Response> {
    if (!this.isOpen) throw new ApiError(401, 'token.missing', []);
    return this.send(sent, false);
  }

  /** Repeats what was refused when a person has put that right. */
  async send(sent: Sent, mayAsk = true): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const { member } = this.#tokens;
      try {
        return await this.#connection.send(sent);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status === 403) {
          if (mayAsk && attempt < 2 && (await this.#isPutRight(error))) continue;
          this.#onDenied?.();
        }
        if (error.status !== 401 || attempt === 2) throw error;
        // A wrong password, not a token that is no longer good.
        if (error.has('signin.failed')) throw error;
        // Somebody has signed in in the meantime.
        if (this.isOpen && member !== this.#tokens.member) continue;
        if (!mayAsk || !this.#onEnd) throw error;
        await this.#onEnd();
      }
    }
  }

  async #isPutRight(refused: ApiError): Promise<boolean> {
    for (const [code, listener] of this.#onRefused) if (refused.has(code)) return listener();
    return false;
  }

  /** Says that the browser has a cookie, which scripts cannot see. */
  #mark(): string {
    return `kind.console.session.${this.project}`;
  }
}

/** A release that names another step has at least mailed a code before. */
function stepOf(told: string | null): MissingStep {
  return told === 'totp' || told === 'passkey' ? told : 'mail';
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
