/** Files of pages: kept in memory, as they are and compressed, and answered with what a browser may do with them. */
import { webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encode, type Coding } from './content-coding.js';
import { etagMatches } from './etag.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';

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
  /** That of its bytes; undefined where they are as they are. */
  readonly coding?: Coding;
}

/** Its ETag is made of all of its bytes, beside the event loop. */
export async function storedFile(bytes: Buffer<ArrayBuffer>, type: string): Promise<StoredFile> {
  const digest = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes));
  return { bytes, type, etag: `"${digest.toString('base64url').slice(0, 22)}"` };
}

/** The same file in a coding, with an ETag of its own. */
export async function encodedFile(file: StoredFile, coding: Coding): Promise<StoredFile> {
  const bytes = await encode(file.bytes, coding);
  return { ...file, bytes, coding, etag: `${file.etag.slice(0, -1)}-${coding}"` };
}

/** Answers a file, or 304. Whoever keeps it asks each time whether it is still the same. */
export function answerFile(
  request: HttpRequest,
  response: HttpResponse,
  { bytes, type, etag, coding }: StoredFile,
  headers: Readonly<Record<string, string>> = {},
): void {
  const vary = headers['Vary'] ?? response.getHeader('vary') ?? [];
  const common = {
    ETag: etag,
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
    Vary: [vary, 'Accept-Encoding'].flat().join(', '),
  };
  if (etagMatches(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common);
    response.end();
    return;
  }
  const content = {
    'Content-Type': type,
    'Content-Length': bytes.length,
    ...(coding && { 'Content-Encoding': coding }),
  };
  response.writeHead(200, { ...content, ...common });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

interface FilePlace {
  readonly folder: string;
  /** Its media type. */
  readonly type: string;
}

/**
 * Files that are named one by one, so that no name leads anywhere else; each is read once, and compressed once in each
 * coding that is asked for, for they never change while the service runs.
 */
export class StoredFiles<Name extends string> {
  readonly #places: ReadonlyMap<string, FilePlace>;
  readonly #made = new Map<string, Promise<StoredFile>>();

  constructor(places: Readonly<Record<Name, FilePlace>>) {
    this.#places = new Map(Object.entries<FilePlace>(places));
  }

  async get(name: Name, coding?: Coding): Promise<StoredFile> {
    return this.#load(name, this.#places.get(name) as FilePlace, coding);
  }

  async find(name: string, coding?: Coding): Promise<StoredFile | undefined> {
    const place = this.#places.get(name);
    return place && this.#load(name, place, coding);
  }

  #load(name: string, place: FilePlace, coding?: Coding): Promise<StoredFile> {
    const key = coding === undefined ? name : `${coding} ${name}`;
    const known = this.#made.get(key);
    if (known) return known;
    const making = coding === undefined ? read(name, place) : this.#encode(name, place, coding);
    this.#made.set(key, making);
    making.catch(() => this.#made.delete(key));
    return making;
  }

  async #encode(name: string, place: FilePlace, coding: Coding): Promise<StoredFile> {
    return encodedFile(await this.#load(name, place), coding);
  }
}

async function read(name: string, { folder, type }: FilePlace): Promise<StoredFile> {
  return storedFile(await readFile(join(folder, name)), type);
}
