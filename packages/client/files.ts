/** Contents of files (docs/files.md). */
import { Call, KindError, type Options } from './call.js';
import { CODES, type Code } from './codes.js';
import type { Connection } from './connection.js';

export interface FileUnit {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly [field: string]: unknown;
}
export interface UploadOptions extends Options {
  /** That of the `File` if it is left out. */
  readonly name?: string;
  /** Values of the project's own parameters of files. */
  readonly values?: object;
  readonly onProgress?: (progress: { readonly sent: number; readonly total: number }) => void;
}
export interface Files {
  /** Above 8 MB in parts, so that a lost connection does not begin again. */
  upload(content: Blob, options?: UploadOptions): Call<FileUnit, Code<'upload'>>;
  /** An address that needs no header, and ends after so many seconds. */
  url(id: string, seconds?: number): Call<{ readonly url: string; readonly expires_at: string }, Code<'get'>>;
}

const PART_BYTES = 8 * 1024 * 1024;
const TUS = { 'tus-resumable': '1.0.0' } as const;
/** Failures in a row of one part. */
const MOST_FAILURES = 3;
const codes = CODES.upload;

export function filesOf(connection: Connection, url: string): Files {
  const get = (id: string, { signal }: Options) =>
    connection.call<FileUnit, string>({ method: 'GET', path: ['file', 'unit', id], codes, signal }, fileOf);
  return {
    upload: (content, options = {}) => {
      const { name = (content as { name?: string }).name ?? 'file', values, signal, onProgress } = options;
      const text = values && JSON.stringify(values);
      const headers = { 'content-type': content.type || 'application/octet-stream' };
      const whole = { method: 'POST', path: ['file', 'unit'], query: { name, values: text }, body: content, headers };
      const call = connection.call<FileUnit, string>({ ...whole, keyed: true, codes, signal }, fileOf);
      return new Call(call.key, codes, async () => {
        const total = content.size;
        if (total > PART_BYTES && (await connection.hasToken())) {
          const metadata = { filename: name, filetype: headers['content-type'], ...(text && { values: text }) };
          return get(await inParts(connection, content, metadata, options), options);
        }
        onProgress?.({ sent: 0, total });
        const file = await call;
        onProgress?.({ sent: total, total });
        return file;
      });
    },
    url: (id, seconds) =>
      connection.call(
        { method: 'POST', path: ['file', 'unit', id, 'url'], body: { seconds }, codes: CODES.get },
        ({ content }) => {
          const made = content as { readonly url: string; readonly expires_at: string };
          return { ...made, url: new URL(made.url, url).href };
        },
      ),
  };
}

/** By tus 1.0.0. Answers the id of the file. */
async function inParts(
  connection: Connection,
  content: Blob,
  metadata: Readonly<Record<string, string>>,
  { signal, onProgress }: UploadOptions,
): Promise<string> {
  const send = (method: string, path: readonly string[], headers: object, body?: Blob) =>
    connection.send({
      method,
      path: ['file', 'upload', ...path],
      headers: { ...TUS, ...headers },
      body,
      codes,
      signal,
    });
  const told = Object.entries(metadata).map(([name, value]) => `${name} ${base64(value)}`);
  const begun = await send('POST', [], { 'upload-length': String(content.size), 'upload-metadata': told.join() });
  const id = begun.headers.get('location')?.split('/').pop() ?? '';
  for (let [sent, failures] = [0, 0]; ;) {
    onProgress?.({ sent, total: content.size });
    try {
      const part = content.slice(sent, sent + PART_BYTES);
      const headers = { 'upload-offset': String(sent), 'content-type': 'application/offset+octet-stream' };
      const { headers: answer } = await send('PATCH', [id], headers, part);
      [sent, failures] = [Number(answer.get('upload-offset')), 0];
      const file = answer.get('kind-file');
      if (file !== null) return file;
    } catch (error) {
      if (!(error instanceof KindError) || ++failures > MOST_FAILURES || !isPassing(error)) throw error;
      // What came of the part before its connection broke is kept.
      const { headers } = await send('HEAD', [id], {});
      sent = Number(headers.get('upload-offset'));
      const file = headers.get('kind-file');
      if (file !== null) return file;
    }
  }
}

/** No connection, a service that is busy, and an upload that another request has or moved. */
function isPassing({ status, code }: KindError): boolean {
  return status === 0 || status === 423 || status === 503 || code === 'file.wrong_offset';
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

const fileOf = ({ content }: { readonly content: unknown }) => content as FileUnit;
