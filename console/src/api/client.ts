/** Calls of the REST API. */
import { ApiError, OfflineError } from './errors.js';
import type { Envelope } from './types.js';

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

/** The address of the API, which is beside that of the console. */
export const BASE = new URL('../api/lib/', new URL('.', location.href.replace(/[?#].*$/, '')));

/** Sends a request with these headers. @throws ApiError, OfflineError */
export async function send<T>(call: Call, headers: Readonly<Record<string, string>>): Promise<Reply<T>> {
  const response = await answerTo(call, headers);
  const { content, messages, changes } = await envelopeOf<T>(response);
  if (!response.ok) throw new ApiError(response.status, messages);
  const { headers: told } = response;
  return { content, etag: told.get('etag'), changes, secondStep: told.get('kind-second-step') };
}

/** The same for an answer that is a file, which is not read yet, or that has headers alone. @throws ApiError, OfflineError */
export async function open(call: Call, headers: Readonly<Record<string, string>>): Promise<Response> {
  const response = await answerTo(call, headers);
  if (!response.ok) {
    const { messages } = await envelopeOf(response);
    throw new ApiError(response.status, messages, response.headers.get('server-timing'));
  }
  return response;
}

function answerTo(call: Call, headers: Readonly<Record<string, string>>): Promise<Response> {
  return call.file ? upload(call, call.file, headers) : request(call, headers);
}

async function request(call: Call, headers: Readonly<Record<string, string>>): Promise<Response> {
  const { method = 'GET', body, signal } = call;
  try {
    return await fetch(addressOf(call), {
      method,
      cache: 'no-store',
      credentials: 'same-origin',
      headers: {
        ...headers,
        ...call.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new OfflineError();
  }
}

/** By XMLHttpRequest, because `fetch` does not tell how much was sent. */
function upload(call: Call, { content, type, onProgress }: Upload, headers: Readonly<Record<string, string>>) {
  return new Promise<Response>((resolve, reject) => {
    const sender = new XMLHttpRequest();
    sender.open(call.method ?? 'POST', addressOf(call));
    for (const [name, value] of Object.entries({ ...headers, ...call.headers, 'content-type': type })) {
      sender.setRequestHeader(name, value);
    }
    sender.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    sender.onload = () => {
      const { status, statusText, responseText } = sender;
      // An answer without a body has none of no characters either.
      resolve(
        new Response(responseText === '' ? null : responseText, { status, statusText, headers: headersOf(sender) }),
      );
    };
    sender.onerror = () => reject(new OfflineError());
    sender.onabort = () => reject(new DOMException('aborted', 'AbortError'));
    if (call.signal?.aborted === true) return reject(new DOMException('aborted', 'AbortError'));
    call.signal?.addEventListener('abort', () => sender.abort());
    sender.send(content);
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

export function addressOf({ path, query = {} }: Call): URL {
  const url = new URL(path.map(encodeURIComponent).join('/'), BASE);
  for (const [name, values] of Object.entries(query)) {
    if (values === undefined) continue;
    for (const value of typeof values === 'string' ? [values] : values) url.searchParams.append(name, value);
  }
  return url;
}

/** A proxy may answer something else than the service. */
async function envelopeOf<T>(response: Response): Promise<Envelope<T>> {
  try {
    const envelope = (await response.json()) as Envelope<T>;
    if (Array.isArray(envelope.messages)) return envelope;
  } catch {
    // Not JSON.
  }
  const text = `The answer is not one of this service (${response.status} ${response.statusText})`;
  throw new ApiError(response.status, [{ code: 'console.foreign_answer', text }]);
}
