/**
 * Reads a body when its turn comes: after the token and the rights were checked, so that a bad body without a token is
 * 401. Only a body over the limit may be refused earlier.
 */
import { KindError, refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { BodyBudget, type Sender } from './body-budget.js';
import { readBytes } from './body.reader.js';
import { parseJson } from './json-text.js';
import type { HttpRequest, HttpResponse } from './request.js';

const NO_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

const budget = new BodyBudget({
  all: LIMITS.bodiesInFlight,
  perProject: LIMITS.bodiesPerProject,
  anonymous: LIMITS.bodiesAnonymous,
  perAddress: LIMITS.bodiesPerAddress,
  always: LIMITS.bodiesAlways,
  alwaysPerAddress: LIMITS.smallBody,
});

/** Whose body it is, and how long it may be. */
export interface BodyBounds extends Sender {
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
