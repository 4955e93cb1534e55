/** Calls of the REST API, which the client of applications sends (docs/client.md). */
import { answerOf, Connection, sender, type Bearer, type Sent } from '../../../packages/client/connection.js';
import type { ClientOptions } from '../../../packages/client/session.js';

export interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parts of the path below `/api/lib`; each is encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** A file in place of a body. */
  readonly file?: Upload;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Upload {
  /** The browser reads it from the disk as it is sent. */
  readonly content: Blob;
  readonly type: string;
  /** @param part from 0 to 1 */
  readonly onProgress: (part: number) => void;
}

export interface Reply<T> {
  readonly content: T;
  readonly etag: string | null;
  /** What a change of definitions would do, if that was asked for. */
  readonly changes?: unknown;
  /** What a sign-in lacks (docs/auth.md). */
  readonly secondStep: string | null;
}

const SERVICE = new URL('..', new URL('.', location.href.replace(/[?#].*$/, '')));
/** The address of the API, which is beside that of the console. */
export const BASE = new URL('api/lib/', SERVICE);

export function optionsOf(project: string): ClientOptions {
  return { url: SERVICE.href, project, storage: 'cookie', fetch: request };
}

export function senderOf(project: string): ReturnType<typeof sender> {
  return sender(optionsOf(project), 'same-origin');
}

/** Calls of who has this token, or none, in place of a session. */
export function connectionWith(project: string, token?: string): Connection {
  const bearer: Bearer = { owner: null, token: () => Promise.resolve(token), renew: () => Promise.resolve(false) };
  return new Connection(project, senderOf(project), bearer);
}

export function sentOf({ method = 'GET', file, ...call }: Call): Sent {
  const sent = { ...call, method, codes: [] };
  if (!file) return sent;
  const { content, type, onProgress } = file;
  tellProgress(content, onProgress);
  return { ...sent, body: content, headers: { ...call.headers, 'content-type': type } };
}

/** @throws ApiError */
export async function replyOf<T>(response: Response): Promise<Reply<T>> {
  const { headers, ...answer } = await answerOf(response);
  return { ...(answer as { content: T }), etag: headers.get('etag'), secondStep: headers.get('kind-second-step') };
}

const listeners = new WeakMap<Blob, Upload['onProgress']>();

/** How much of a content was sent, when it is. */
export function tellProgress(content: Blob, onProgress: Upload['onProgress']): void {
  listeners.set(content, onProgress);
}

const request = ((address: string, init: RequestInit) => {
  const { body } = init;
  const onProgress = body instanceof Blob ? listeners.get(body) : undefined;
  return onProgress ? upload(address, init, onProgress) : fetch(address, { ...init, cache: 'no-store' });
}) as typeof fetch;

/** By XMLHttpRequest, because `fetch` does not tell how much was sent. */
function upload(address: string, { method, headers, body, signal }: RequestInit, onProgress: Upload['onProgress']) {
  return new Promise<Response>((resolve, reject) => {
    const sender = new XMLHttpRequest();
    sender.open(method ?? 'POST', address);
    for (const [name, value] of new Headers(headers)) sender.setRequestHeader(name, value);
    sender.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    sender.onload = () => {
      const { status, statusText, responseText } = sender;
      // An answer without a body has none of no characters either.
      resolve(
        new Response(responseText === '' ? null : responseText, { status, statusText, headers: headersOf(sender) }),
      );
    };
    sender.onerror = () => reject(new TypeError('no answer'));
    sender.onabort = () => reject(new DOMException('aborted', 'AbortError'));
    if (signal?.aborted === true) return reject(new DOMException('aborted', 'AbortError'));
    signal?.addEventListener('abort', () => sender.abort());
    sender.send(body as Blob);
  });
}

function headersOf(sender: XMLHttpRequest): Headers {
  const lines = sender
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/);
  return new Headers(
    lines.filter(Boolean).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}
