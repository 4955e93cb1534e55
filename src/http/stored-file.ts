/** Files of pages: kept in memory, and answered with what a browser may do with them. */
import { webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { etagMatches } from './etag.js';
import type { HttpRequest, HttpResponse } from './request.js';

export const SCRIPT = 'text/javascript; charset=utf-8';
export const STYLE = 'text/css; charset=utf-8';

/** A page lives of its own files and calls, and of nothing else; Swagger UI puts pictures into its styles. */
export const PAGE_POLICY = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
} as const;

export const ASSET_POLICY = { 'Content-Security-Policy': "default-src 'none'" } as const;

export interface StoredFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
}

/** Its ETag is made of all of its bytes, beside the event loop. */
export async function storedFile(bytes: Buffer<ArrayBuffer>, type: string): Promise<StoredFile> {
  const digest = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes));
  return { bytes, type, etag: `"${digest.toString('base64url').slice(0, 22)}"` };
}

/** Answers a file, or 304. Whoever keeps it asks each time whether it is still the same. */
export function answerFile(
  request: HttpRequest,
  response: HttpResponse,
  { bytes, type, etag }: StoredFile,
  headers: Readonly<Record<string, string>> = {},
): void {
  const common = { ETag: etag, 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff', ...headers };
  if (etagMatches(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common);
    response.end();
    return;
  }
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length, ...common });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

interface FilePlace {
  readonly folder: string;
  /** Its media type. */
  readonly type: string;
}

/** Files that are named one by one, so that no name leads anywhere else; each is read once, for they never change while the service runs. */
export class StoredFiles<Name extends string> {
  readonly #places: ReadonlyMap<string, FilePlace>;
  readonly #read = new Map<string, Promise<StoredFile>>();

  constructor(places: Readonly<Record<Name, FilePlace>>) {
    this.#places = new Map(Object.entries<FilePlace>(places));
  }

  async get(name: Name): Promise<StoredFile> {
    return this.#load(name, this.#places.get(name) as FilePlace);
  }

  async find(name: string): Promise<StoredFile | undefined> {
    const place = this.#places.get(name);
    return place && this.#load(name, place);
  }

  #load(name: string, { folder, type }: FilePlace): Promise<StoredFile> {
    const known = this.#read.get(name);
    if (known) return known;
    const loading = readFile(join(folder, name)).then((bytes) => storedFile(bytes, type));
    this.#read.set(name, loading);
    loading.catch(() => this.#read.delete(name));
    return loading;
  }
}
