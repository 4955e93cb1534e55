/** Contents of files (docs/files.md). */
import { Call, type Options } from './call.js';
import { CODES, type Code } from './codes.js';
import type { Connection } from './connection.js';
import { inParts, PART_BYTES } from './parts.js';

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
          const id = await inParts(connection, content, metadata, options);
          onProgress?.({ sent: total, total });
          return get(id, options);
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

const fileOf = ({ content }: { readonly content: unknown }) => content as FileUnit;
