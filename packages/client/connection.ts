/** Sends requests, again where that is safe, and reads their answers. */
import { Call, KindError, type EditOptions, type Message } from './call.js';

/** A value that an earlier operation of a batch answers. */
export interface Reference {
  readonly $from: string;
}

export interface Sent extends EditOptions {
  readonly method: string;
  /** Below `/api/lib`; each part is encoded. */
  readonly path: readonly (string | Reference)[];
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its answers are kept for an `Idempotency-Key`. */
  readonly keyed?: boolean;
  readonly codes: readonly string[];
}

export interface Answer {
  readonly content: unknown;
  readonly headers: Pick<Headers, 'get'>;
}

/** How long, how often and after which first pause it is tried again. */
const PATIENCE = { ms: 20_000, tries: 3, pause: 500 } as const;

/** An id, or the place of one that an earlier operation of a batch gives. What leads to another address is none. */
function part(value: string | Reference): string {
  if (typeof value === 'object') return `{${value.$from}}`;
  const text = String(value ?? '');
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`'${text}' is no id`);
  return encodeURIComponent(text);
}

/** Outside of quotes, `{o1.id}` stands for what an earlier operation of a batch gives. */
function encoded(name: string, value: unknown): string {
  const text = String(value);
  if (name !== 'filter') return encodeURIComponent(text);
  const pieces = text.split(/("(?:[^"\\]|\\.)*")/s).map(encodeURIComponent);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : piece.replace(/%7B([\w.]+)%7D/g, '{$1}'))).join('');
}

/** `{a: [1, 2], b: undefined}` is `?a=1&a=2` */
export function addressOf({ path, query = {}, dryRun }: Pick<Sent, 'path' | 'query' | 'dryRun'>): string {
  const pairs = Object.entries({ ...query, ...(dryRun && { dry_run: true }) }).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((each) =>
      each === undefined || each === null ? [] : [`${name}=${encoded(name, each)}`],
    ),
  );
  return `/${path.map(part).join('/')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
}

/** The parameters of a function as a query has them. @param json which of them are JSON */
export function functionQuery(
  parameters: Readonly<Record<string, unknown>>,
  json: readonly string[],
): Readonly<Record<string, unknown>> {
  const text = (value: unknown) => JSON.stringify(value);
  const encoded = ([name, value]: [string, unknown]): [string, unknown] => {
    if (value === null || value === undefined) return [name, undefined];
    if (json.includes(name)) return [name, text(value)];
    return [name, json.includes(`${name}[]`) ? (value as readonly unknown[]).map(text) : value];
  };
  return Object.fromEntries(Object.entries(parameters).map(encoded));
}

export function randomKey(): string {
  return Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join('');
}

/** Ends with the signal too: what is sent then is refused by `fetch`. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(stop, ms);
    function stop(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    signal?.addEventListener('abort', stop);
  });
}

/** Null if it is no JSON: a proxy may answer something else than the service. @throws KindError where the rest is lost */
async function bodyOf(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw signal?.aborted ? error : new KindError(0, 'network');
  });
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export async function refusalOf(response: Response, signal?: AbortSignal): Promise<KindError> {
  const { status, headers } = response;
  const answer = (await bodyOf(response, signal)) as { readonly messages?: unknown } | null;
  const messages = Array.isArray(answer?.messages) ? (answer.messages as readonly Message[]) : [];
  const [first] = messages;
  return first
    ? new KindError(status, first.code, messages, headers)
    : new KindError(status, 'other', undefined, headers);
}

/** Reads an answer in JSON. @throws KindError */
export async function answerOf(response: Response, signal?: AbortSignal): Promise<Answer> {
  const { status, headers } = response;
  const answer = (await bodyOf(response, signal)) as { readonly content: unknown } | null;
  if (answer?.content === undefined) throw new KindError(status, 'other', undefined, headers);
  return { ...answer, headers };
}

export interface ConnectionOptions {
  /** Of the service, without `/api/lib`. */
  readonly url: string;
  readonly project: string;
  readonly fetch?: typeof fetch;
}

/** Sends one request, once. @throws KindError where there is no answer */
export function sender({ url, project, fetch: own }: ConnectionOptions, credentials: 'same-origin' | 'omit') {
  const base = `${url.replace(/\/+$/, '')}/api/lib`;
  const send = own ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  return async (sent: Sent, token?: string): Promise<Response> => {
    const { method, body, signal, ifMatch } = sent;
    const isJson = body !== undefined && !(body instanceof Blob);
    const address = base + addressOf(sent);
    try {
      return await send(address, {
        method,
        redirect: 'error',
        credentials,
        headers: {
          'kind-project-key': project,
          ...(isJson && { 'content-type': 'application/json' }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
          ...sent.headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
        ...(signal && { signal }),
      });
    } catch (error) {
      throw signal?.aborted ? error : new KindError(0, 'network');
    }
  };
}
export type Sender = ReturnType<typeof sender>;

/** The part of a session that requests need. */
export interface Bearer {
  /** Whose data are answered, for keys of caches. */
  readonly owner: string | null;
  token(): Promise<string | undefined>;
  renew(old: string): Promise<boolean>;
}

/** Calls of a project as the member that is signed in. */
export class Connection {
  readonly #project: string;
  readonly #once: Sender;
  readonly #session: Bearer;

  constructor(project: string, once: Sender, session: Bearer) {
    this.#project = project;
    this.#once = once;
    this.#session = session;
  }

  call<T, C extends string>(sent: Sent, read: (answer: Answer) => T | Promise<T>): Call<T, C> {
    // At once, so that a wrong id is told where it is used.
    const address = addressOf(sent);
    const key = [this.#project, this.#session.owner, sent.method, address, sent.body];
    const ask = async () => read(await this.#send(sent, (response) => answerOf(response, sent.signal)));
    return new Call(key.slice(0, sent.body === undefined ? 4 : 5), sent.codes, ask);
  }

  async hasToken(): Promise<boolean> {
    return (await this.#session.token()) !== undefined;
  }

  /** @throws KindError */
  send(sent: Sent): Promise<Response> {
    return this.#send(sent, (response) => Promise.resolve(response));
  }

  /** @param read an answer: where the connection is lost in it, the request may be sent again */
  async #send<T>(sent: Sent, read: (response: Response) => Promise<T>): Promise<T> {
    const until = Date.now() + PATIENCE.ms;
    const key = sent.keyed && !sent.dryRun ? { 'idempotency-key': randomKey() } : undefined;
    for (let [tries, renewed] = [1, false]; ; tries += 1) {
      const token = await this.#session.token();
      const { owner } = this.#session;
      const headers = { ...sent.headers, ...(token !== undefined && key) };
      let refusal: KindError;
      try {
        const response = await this.#once({ ...sent, headers }, token);
        if (response.ok) return await read(response);
        refusal = await refusalOf(response, sent.signal);
      } catch (error) {
        if (!(error instanceof KindError) || error.status !== 0) throw error;
        refusal = error;
      }
      const { status, code } = refusal;
      // A wrong password is no token that has expired.
      if (status === 401 && code !== 'signin.failed' && !renewed && token !== undefined) {
        renewed = true;
        if ((await this.#session.renew(token)) && this.#session.owner === owner) continue;
      }
      const isSafe = sent.method === 'GET' || sent.method === 'HEAD' || (token !== undefined && key !== undefined);
      const isPassing = status === 429 || code === 'server.busy' || (isSafe && (status === 503 || status === 0));
      const told = refusal.headers?.get('retry-after');
      const wait = told ? Number(told) * 1000 : PATIENCE.pause * 2 ** tries * (0.5 + Math.random() / 2);
      if (!isPassing || tries >= PATIENCE.tries || !(Date.now() + wait < until)) throw refusal;
      await pause(wait, sent.signal);
      // It is not made again as somebody else.
      if (this.#session.owner !== owner) throw refusal;
    }
  }
}
