/**
 * Reads a body when its turn comes: after the token and the rights were checked, so that a bad body without a token is
 * 401. Only a body over the limit may be refused earlier.
 */
import express from 'express';
import { comeBack, refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { parseJson } from './json-text.js';
import type { HttpRequest, HttpResponse } from './request.js';

const NO_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Raw bytes, inflated where the client compressed them. Made once per limit. */
const readers = new Map<number, ReturnType<typeof express.raw>>();

function readerOf(limit: number): ReturnType<typeof express.raw> {
  const known = readers.get(limit);
  if (known) return known;
  const reader = express.raw({ type: () => true, limit });
  readers.set(limit, reader);
  return reader;
}

/** Bytes of the bodies that are being read, by what their senders announced. */
let inFlight = 0;

/** Reads the bytes of a request. Bodies under way are bounded in all. @throws KindError 413, 400, 503 */
export async function readBody(
  request: HttpRequest,
  response: HttpResponse,
  limit: number,
): Promise<Buffer | undefined> {
  if (NO_BODY.has(request.method)) return undefined;
  const announced = Math.min(Number(request.headers['content-length'] ?? limit), limit);
  if (inFlight > 0 && inFlight + announced > LIMITS.bodiesInFlight) {
    throw comeBack('server.busy', 'Too many large bodies are on their way; try again shortly');
  }
  inFlight += announced;
  try {
    return await read(request, response, limit);
  } finally {
    inFlight -= announced;
  }
}

function read(request: HttpRequest, response: HttpResponse, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    readerOf(limit)(request, response, (error?: unknown) => {
      if (error) reject(bodyError(error, limit));
      else resolve(Buffer.isBuffer(request.body) ? request.body : undefined);
    });
  });
}

function bodyError(error: unknown, limit: number): Error {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return refusal('body.too_large', `A body has at most ${limit} bytes here`);
  if (type === 'encoding.unsupported')
    return refusal('body.not_json', 'The content-encoding must be gzip, deflate, br or none');
  if (status !== undefined && status < 500) return refusal('body.malformed', 'The body could not be read to its end');
  return error instanceof Error ? error : new Error('the body could not be read');
}

/** Parses a body as JSON. @throws KindError 415, 400 */
export function parseBody(bytes: Buffer | undefined, contentType: string | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (!isJson(contentType)) {
    throw refusal(
      'body.not_json',
      `The content-type must be application/json in UTF-8, got ${contentType?.slice(0, 80) ?? 'none'}`,
    );
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw refusal('body.malformed', 'The body is not valid UTF-8');
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw refusal('body.malformed', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

function isJson(contentType: string | undefined): boolean {
  return (
    contentType !== undefined &&
    JSON_TYPE.test(contentType) &&
    /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? 'utf-8')
  );
}
