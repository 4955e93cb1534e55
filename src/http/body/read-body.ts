/**
 * Reads and parses bodies. This happens after token and access were checked, so that a bad body without a token is a
 * 401. Only a body over the limit may be refused earlier.
 */
import { isUtf8 as isValidUtf8 } from 'node:buffer';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { KindError, refusal } from '../../shared/errors.js';
import type { MaybePromise } from '../../shared/maybe-promise.js';
import { LIMITS } from '../../shared/limits.js';
import { runSync, runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { isUtf8 } from '../request/charset.js';
import { shortened } from '../../shared/shortened.js';
import { BodyBudget, type BodySender } from './body-budget.js';
import { readBytes } from './body-bytes.js';
import { parseInPieces } from './json-pieces.js';
import { parseJson } from './json-text.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';

const METHODS_WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
const JSON_MEDIA_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const bodyBudget = new BodyBudget({
  all: LIMITS.bodiesInFlight,
  perProject: LIMITS.bodiesPerProject,
  anonymous: LIMITS.bodiesAnonymous,
  perAddress: LIMITS.bodiesPerAddress,
  guaranteed: LIMITS.bodiesGuaranteed,
  guaranteedPerAddress: LIMITS.smallBody,
});

/** A body that was part of another one, and parsed with it. */
export class ParsedBody {
  constructor(readonly value: unknown) {}
}

/** The body of a request before `parseBody`; undefined if it has none. */
export type ReceivedBody = Buffer | ParsedBody | undefined;

/** The sender of a body, and its maximum size in bytes. */
interface BodyBounds extends BodySender {
  readonly limit: number;
}

/** Whether a request has a body (perhaps empty) that is read. */
export function hasBody(request: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  return !METHODS_WITHOUT_BODY.has(request.method) && announcesBody(request);
}

/** Whether a body follows the headers, whatever the method. */
export function announcesBody({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/**
 * Reads the bytes of a body, which are charged to its project until the request is over. @throws KindError 400, 413,
 * 415, 503
 */
export async function readBody(
  request: HttpRequest,
  response: HttpResponse,
  { limit, ...sender }: BodyBounds,
): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  const charge = bodyBudget.open(sender);
  response.once('close', charge.end);
  try {
    return await readBytes(request, limit, charge);
  } catch (error) {
    charge.end();
    // Without this, the rest of a slow body would be read for a long time.
    if (error instanceof KindError && error.code === 'body.timeout') response.setHeader('Connection', 'close');
    throw error;
  }
}

/** Bytes up to which a body is parsed in one piece. */
const MAX_SYNC_BYTES = 256 * 1024;

/**
 * Parses a body as JSON, in pieces if it is large. @param schema the schema of its project
 * @throws KindError 415, 400
 */
export function parseBody(bytes: ReceivedBody, contentType: string | undefined, schema: string): MaybePromise<unknown> {
  if (bytes instanceof ParsedBody) return bytes.value;
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (!isJsonType(contentType)) {
    throw refusal(
      'body.not_json',
      `The content-type must be application/json in UTF-8, got ${contentType === undefined ? 'none' : shortened(contentType)}`,
    );
  }
  if (bytes.length <= MAX_SYNC_BYTES) return runSync(parseBytes(bytes));
  const yielder = new EventLoopYield(schema);
  return yielder.pause().then(() => runYielding(parseBytes(bytes), yielder));
}

function* parseBytes(bytes: Buffer): WorkInPieces<unknown> {
  if (!isValidUtf8(bytes)) throw refusal('body.malformed', 'The body is not valid UTF-8');
  const text = startsWithBom(bytes) ? bytes.subarray(3) : bytes;
  try {
    return text.length <= MAX_SYNC_BYTES ? parseJson(text.toString()) : yield* parseInPieces(text);
  } catch (error) {
    if (error instanceof KindError) throw error;
    throw refusal('body.malformed', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

function startsWithBom(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function isJsonType(contentType: string | undefined): boolean {
  return contentType !== undefined && JSON_MEDIA_TYPE.test(contentType) && isUtf8(contentType);
}
