/** A file in memory, and how it is answered. */
import { createHash } from 'node:crypto';
import { etagMatches } from '../http/etag.js';
import type { HttpRequest, HttpResponse } from '../http/request.js';

export interface StoredFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
}

export function storedFile(bytes: Buffer, type: string): StoredFile {
  return { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
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
