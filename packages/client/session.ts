/** Who is signed in, and the tokens for it. */
import { answerOf, randomKey, refusalOf, type ConnectionOptions, type Sender } from './connection.js';

/** Where the refresh token is kept. */
export interface TokenStorage {
  get(name: string): string | null | undefined | Promise<string | null | undefined>;
  set(name: string, value: string): unknown;
  remove(name: string): unknown;
}

export interface ClientOptions extends ConnectionOptions {
  /** `cookie` is for pages that the service serves, or that a proxy puts beside it. */
  readonly storage?: 'memory' | 'cookie' | TokenStorage;
  /** An API key, or an access token: there are no sessions then. */
  readonly token?: string | (() => string | Promise<string>);
}

/** The member that is signed in. */
export interface Member {
  readonly id: string;
  readonly kind_id: string;
  readonly [field: string]: unknown;
}

/** What a sign-in answers. */
export interface Tokens extends Member {
  readonly access_token: string;
  readonly refresh_token: string | null;
}

type Listener = (member: Member | null) => void;

interface Channel {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: string): void;
}
interface Browser {
  readonly location?: { readonly origin: string };
  readonly isSecureContext?: boolean;
  readonly navigator?: { readonly locks?: { request<T>(name: string, work: () => Promise<T>): Promise<T> } };
  readonly BroadcastChannel?: new (name: string) => Channel;
}

export class Session {
  /** What requests have that answer tokens. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #once: Sender;
  readonly #given: ClientOptions['token'];
  readonly #storage: TokenStorage | undefined;
  readonly #inCookie: boolean;
  readonly #name: string;
  readonly #listeners = new Set<Listener>();
  readonly #channel: Channel | undefined;
  /** What no other client has. */
  readonly #own = randomKey();
  #access: string | undefined;
  #refresh: string | null = null;
  #restored: Promise<unknown> | undefined;
  #isRestored: boolean;
  #renewing: Promise<boolean> | undefined;
  /** Counts beginnings and ends: what was asked before one is not taken after it. */
  #turn = 0;
  member: Member | null = null;

  constructor({ url, project, storage = 'memory', token }: ClientOptions, once: Sender) {
    this.#once = once;
    this.#given = token;
    this.#name = `kind.${project}`;
    this.#storage = typeof storage === 'object' ? storage : undefined;
    const { location, isSecureContext, BroadcastChannel } = globalThis as unknown as Browser;
    // Over plain http browsers drop the cookie: the token is in the answer then, and in memory.
    this.#inCookie = storage === 'cookie' && isSecureContext !== false;
    this.#isRestored = !this.#isKept;
    this.headers = this.#inCookie ? { 'kind-refresh-token': 'cookie' } : {};
    if (storage !== 'cookie') return;
    const { origin } = new URL(url);
    if (location?.origin !== origin) throw new Error(`storage: 'cookie' is for pages of ${origin}`);
    if (!BroadcastChannel) return;
    this.#channel = new BroadcastChannel(this.#name);
    // Signed out in another tab.
    this.#channel.onmessage = () => void this.#end();
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get #isKept(): boolean {
    return this.#inCookie || this.#storage !== undefined;
  }

  /** Whose data are answered, for keys of caches: a name of this client's own while the member is not known. */
  get owner(): string | null {
    if (this.#given !== undefined) return this.#own;
    return this.member?.id ?? (this.#isRestored ? null : this.#own);
  }

  async token(): Promise<string | undefined> {
    if (this.#given !== undefined) return typeof this.#given === 'function' ? this.#given() : this.#given;
    // What the last visit has left.
    this.#restored ??= this.#isKept ? this.renew(undefined) : Promise.resolve();
    await this.#restored.catch((error: unknown) => {
      this.#restored = undefined;
      throw error;
    });
    this.#isRestored = true;
    return this.#access;
  }

  /** Gets new tokens in place of this one, once for all that ask. False if the session has ended. */
  async renew(old: string | undefined): Promise<boolean> {
    if (this.#given !== undefined) return false;
    if (old !== this.#access) return this.#access !== undefined;
    this.#renewing ??= this.#renewNow().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renewNow(): Promise<boolean> {
    const turn = this.#turn;
    const isLate = () => turn !== this.#turn;
    // Another tab may have renewed what both keep.
    const kept = await this.#storage?.get(this.#name);
    if (isLate()) return false;
    if (this.#storage) this.#refresh = kept ?? null;
    if (!this.#inCookie && this.#refresh === null) return this.#end();
    const sent = { method: 'POST', path: ['auth', 'refresh'], headers: this.headers, codes: [] };
    const ask = () => this.#once(sent, this.#refresh ?? undefined);
    // One tab at a time, because a refresh token is used once.
    const locks = this.#inCookie ? (globalThis as unknown as Browser).navigator?.locks : undefined;
    const response = await (locks ? locks.request(this.#name, ask) : ask());
    if (!response.ok) {
      const refusal = await refusalOf(response);
      if (isLate()) return false;
      if (refusal.status === 429 || refusal.status >= 500) throw refusal;
      this.#end();
      await this.#storage?.remove(this.#name);
      return false;
    }
    const content = (await answerOf(response)).content as Tokens;
    if (isLate()) return false;
    // Somebody else has signed in in another tab, and goes on there.
    if (this.member && this.member.id !== content.id) {
      this.#end();
      if (content.refresh_token !== null) await this.#storage?.set(this.#name, content.refresh_token);
      return false;
    }
    await this.keep(content);
    return true;
  }

  async keep({ access_token, refresh_token, auth_token: _, ...member }: Tokens): Promise<Member> {
    this.#turn += 1;
    this.#access = access_token;
    this.#refresh = refresh_token;
    this.#restored = Promise.resolve();
    const isOther = this.member?.id !== member.id;
    this.member = member;
    if (isOther) this.#tell();
    if (refresh_token !== null) await this.#storage?.set(this.#name, refresh_token);
    return member;
  }

  /** Signed out. */
  async forget(): Promise<void> {
    this.#end();
    await this.#storage?.remove(this.#name);
    this.#channel?.postMessage('');
  }

  #end(): false {
    const had = this.member !== null;
    this.#turn += 1;
    this.#access = undefined;
    this.#refresh = null;
    this.member = null;
    if (had) this.#tell();
    return false;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.member);
  }
}
