/**
 * Reads a body when its turn comes: after the token and the rights were checked, so that a bad body without a token is
 * 401. Only a body over the limit may be refused earlier.
 */
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { KindError, refusal } from '../../shared/errors.js';
import type { MaybePromise } from '../../shared/maybe-promise.js';
import { LIMITS } from '../../shared/limits.js';
import { runSync, runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { BodyBudget, type BodySender } from './body-budget.js';
import { readBytes } from './body.reader.js';
import { parseInPieces } from './json-pieces.js';
import { parseJson } from './json-text.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';

const NO_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

const budget = new BodyBudget({
  all: LIMITS.bodiesInFlight,
  perProject: LIMITS.bodiesPerProject,
  anonymous: LIMITS.bodiesAnonymous,
  perAddress: LIMITS.bodiesPerAddress,
  always: LIMITS.bodiesGuaranteed,
  alwaysPerAddress: LIMITS.smallBody,
});

/** Whose body it is, and how long it may be. */
export interface BodyBounds extends BodySender {
  readonly limit: number;
}

/** Whether a request brings a body that is looked at, be it an empty one. */
export function hasBody(request: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  return !NO_BODY.has(request.method) && announcesBody(request);
}

/** Whether a body follows the head of a request, whatever its method. */
export function announcesBody({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Reads the bytes of a request. They count among those of its project until it is over. @throws KindError 400, 413, 415, 503 */
export async function readBody(
  request: HttpRequest,
  response: HttpResponse,
  { limit, ...sender }: BodyBounds,
): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  const charge = budget.open(sender);
  response.once('close', charge.end);
  try {
    return await readBytes(request, limit, charge);
  } catch (error) {
    charge.end();
    // Who is too slow would be read from for long yet.
    if (error instanceof KindError && error.code === 'body.timeout') response.setHeader('Connection', 'close');
    throw error;
  }
}

/** Bytes of a body that is parsed at once; a larger one is parsed in pieces. */
const AT_ONCE = 256 * 1024;
/** Bytes of it that are decoded at a time. */
const PIECE = 256 * 1024;

/** Parses a body as JSON, with turns for others where it is large. `schema`: of the project whose it is. @throws KindError 415, 400 */
export function parseBody(
  bytes: Buffer | undefined,
  contentType: string | undefined,
  schema: string,
): MaybePromise<unknown> {
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (!isJson(contentType)) {
    throw refusal(
      'body.not_json',
      `The content-type must be application/json in UTF-8, got ${contentType?.slice(0, 80) ?? 'none'}`,
    );
  }
  if (bytes.length <= AT_ONCE) return runSync(parseBytes(bytes));
  const yielder = new EventLoopYield(schema);
  return yielder.pause().then(() => runYielding(parseBytes(bytes), yielder));
}

function* parseBytes(bytes: Buffer): WorkInPieces<unknown> {
  const text = yield* decode(bytes);
  try {
    return bytes.length <= AT_ONCE ? parseJson(text) : yield* parseInPieces(text);
  } catch (error) {
    if (error instanceof KindError) throw error;
    throw refusal('body.malformed', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

function* decode(bytes: Buffer): WorkInPieces<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  try {
    if (bytes.length <= PIECE) return utf8.decode(bytes);
    const parts: string[] = [];
    for (let at = 0; at < bytes.length; at += PIECE) {
      parts.push(utf8.decode(bytes.subarray(at, at + PIECE), { stream: true }));
      yield;
    }
    parts.push(utf8.decode());
    return parts.join('');
  } catch {
    throw refusal('body.malformed', 'The body is not valid UTF-8');
  }
}

function isJson(contentType: string | undefined): boolean {
  return (
    contentType !== undefined &&
    JSON_TYPE.test(contentType) &&
    /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? 'utf-8')
  );
}
