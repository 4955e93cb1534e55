/** Static files of pages: cached in memory, uncompressed and compressed, and sent with security headers. */
import { webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codingOf, encode, type Coding } from './content-coding.js';
import { etagMatches } from './etag.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';
import { refusal } from '../../shared/errors.js';

export const HTML = 'text/html; charset=utf-8';
export const SCRIPT = 'text/javascript; charset=utf-8';
export const STYLE = 'text/css; charset=utf-8';

/**
 * The content security policy of a page: its own files and requests only. Swagger UI has data: images in its styles.
 * @param nonce of the styles that the page may have besides its files
 */
export function pagePolicy(nonce?: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "media-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
  };
}

export const PAGE_POLICY = pagePolicy();

const ASSET_POLICY = { 'Content-Security-Policy': "default-src 'none'" } as const;

export interface StoredFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
  /** The coding of `bytes`; undefined if they are uncompressed. */
  readonly coding?: Coding;
}

/** The ETag is a hash of the bytes, computed on the thread pool. */
export async function storedFile(bytes: Buffer<ArrayBuffer>, type: string): Promise<StoredFile> {
  const digest = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes));
  return { bytes, type, etag: `"${digest.toString('base64url').slice(0, 22)}"` };
}

/** The file in a coding, with a separate ETag. */
export async function encodedFile(file: StoredFile, coding: Coding): Promise<StoredFile> {
  const bytes = Buffer.concat(await encode([file.bytes], coding, 'kept'));
  return { ...file, bytes, coding, etag: `${file.etag.slice(0, -1)}-${coding}"` };
}

/** Sends a file, or 304. Clients revalidate on each use (`no-cache`). @param status of an error page, which is sent always */
export function answerFile(
  request: HttpRequest,
  response: HttpResponse,
  { bytes, type, etag, coding }: StoredFile,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): void {
  const vary = headers['Vary'] ?? response.getHeader('vary') ?? [];
  const common = {
    ETag: etag,
    'Cache-Control': 'no-cache',
    ...headers,
    Vary: [vary, 'Accept-Encoding'].flat().join(', '),
  };
  if (status === 200 && etagMatches(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common);
    response.end();
    return;
  }
  const content = {
    'Content-Type': type,
    'Content-Length': bytes.length,
    ...(coding && { 'Content-Encoding': coding }),
  };
  response.writeHead(status, { ...content, ...common });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

interface FileSource {
  /** Where it is, or makes it. */
  readonly folder: string | (() => string);
  /** The media type. */
  readonly type: string;
}

/**
 * A fixed set of files, listed by name, so that no path can escape the folder. Each is read once, and compressed once
 * per coding, because it does not change while the service runs.
 */
export class StoredFiles<Name extends string> {
  readonly #sources: ReadonlyMap<string, FileSource>;
  readonly #files = new Map<string, Promise<StoredFile>>();

  constructor(sources: Readonly<Record<Name, FileSource>>) {
    this.#sources = new Map(Object.entries<FileSource>(sources));
  }

  async get(name: Name, coding?: Coding): Promise<StoredFile> {
    return this.#load(name, this.#sources.get(name) as FileSource, coding);
  }

  async find(name: string, coding?: Coding): Promise<StoredFile | undefined> {
    const source = this.#sources.get(name);
    return source && this.#load(name, source, coding);
  }

  #load(name: string, source: FileSource, coding?: Coding): Promise<StoredFile> {
    const key = coding === undefined ? name : `${coding} ${name}`;
    const known = this.#files.get(key);
    if (known) return known;
    const making = coding === undefined ? readStoredFile(name, source) : this.#encode(name, source, coding);
    this.#files.set(key, making);
    making.catch(() => this.#files.delete(key));
    return making;
  }

  async #encode(name: string, source: FileSource, coding: Coding): Promise<StoredFile> {
    return encodedFile(await this.#load(name, source), coding);
  }
}

/** Sends a file of a page, such as a script. @throws KindError 404 if the page has no such file */
export async function answerAsset(
  files: Pick<StoredFiles<string>, 'find'>,
  name: string,
  request: HttpRequest,
  response: HttpResponse,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const file = await files.find(name, codingOf(request));
  if (!file) throw refusal('route.unknown', 'The page has no such part');
  answerFile(request, response, file, { ...ASSET_POLICY, ...headers });
}

async function readStoredFile(name: string, { folder, type }: FileSource): Promise<StoredFile> {
  const bytes = typeof folder === 'string' ? await readFile(join(folder, name)) : Buffer.from(folder());
  return storedFile(bytes, type);
}
