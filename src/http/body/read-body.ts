/**
 * Reads, decompresses and parses bodies, with limits on size and time. This happens after token and access were checked, so that a bad body without a token is a
 * 401. Only a body over the limit may be refused earlier.
 */
import { createHash } from 'node:crypto';
import { isUtf8 as isValidUtf8 } from 'node:buffer';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { KindError, refusal, retryLater } from '../../shared/errors.js';
import { type MaybePromise, runSync, runYielding, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { LIMITS } from '../../shared/limits.js';
import { shortened } from '../../shared/texts.js';
import { BodyDigest } from './content-digest.js';
import { BodyBudget, type BodySender, type Charge } from './body-budget.js';
import { parseInPieces } from './json-pieces.js';
import { parseJson } from './json-text.js';
import { type HttpRequest, type HttpResponse, RequestSlot } from '../request/request.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { joinPieces } from '../../shared/byte-pieces.js';

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

/** A body that is parsed already: it was part of another one, or received by the command. */
export class ParsedBody {
  /** @param told what tells it from others, where it is compared with an earlier one */
  constructor(
    readonly value: unknown,
    readonly told = '',
  ) {}
}

/** The body of a request before `parseBody`; undefined if it has none. */
export type ReceivedBody = Buffer | ParsedBody | undefined;

/** By which a body is compared with an earlier one. */
export function hashOfBody(body: ReceivedBody): string {
  const told = body instanceof ParsedBody ? body.told : (body ?? '');
  return createHash('sha256').update(told).digest('base64');
}

/** The sender of a body, and its maximum size in bytes. */
interface BodyBounds extends BodySender {
  readonly limit: number;
  /** Whether it is left compressed, if it is. */
  readonly asSent?: boolean;
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
  { limit, asSent = false, ...sender }: BodyBounds,
): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  const charge = bodyBudget.open(sender);
  response.once('close', charge.end);
  try {
    return await readBytes(request, limit, charge, asSent);
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

/** Whether a body may be JSON by its type. One without a type is none, unless it is empty. */
export function mayBeJson(headers: HttpRequest['headers']): boolean {
  const { 'content-type': type, 'content-length': length } = headers;
  if (type !== undefined) return JSON_MEDIA_TYPE.test(type);
  return !announcesBody({ headers }) || length === '0';
}

export function isJsonType(contentType: string | undefined): boolean {
  return contentType !== undefined && JSON_MEDIA_TYPE.test(contentType) && isUtf8(contentType);
}

type Inflater = Readable & Writable & { readonly bytesWritten: number };

const INFLATERS = new Map<string, () => Inflater>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** A body whose content-length is too large is refused before it is read. @throws KindError 400, 413, 415, 503 */
export async function readBytes(
  request: IncomingMessage,
  limit: number,
  charge: Charge,
  asSent = false,
): Promise<Buffer> {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  const inflater = asSent || isUncompressed(encoding) ? undefined : newInflater(encoding);
  if (!inflater && Number(length) > limit) throw bodyTooLarge(limit);
  const digest = BodyDigest.of(request.headers);
  // It is of what is sent, which may be compressed.
  if (digest) request.on('data', (chunk: Buffer) => digest.add(chunk));
  const bytes = await collectBytes(request, inflater, limit, charge);
  digest?.check();
  return bytes;
}

/** @throws KindError 415 for an unknown coding */
function newInflater(encoding = ''): Inflater {
  const inflate = INFLATERS.get(encoding.toLowerCase());
  if (!inflate) throw refusal('body.not_json', 'The content-encoding must be gzip, deflate, br or none');
  return inflate();
}

function isUncompressed(encoding: string | undefined): boolean {
  return encoding === undefined || encoding.toLowerCase() === 'identity';
}

function collectBytes(
  request: IncomingMessage,
  inflater: Inflater | undefined,
  limit: number,
  charge: Charge,
): Promise<Buffer> {
  const source: Readable = inflater ?? request;
  sendContinue(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      clearTimeout(timer);
      source.off('data', take).off('end', end);
      request.off('error', cut).off('close', close);
    };
    /** Discards what still arrives, so that the answer can be sent. */
    const fail = (error: KindError): void => {
      settle();
      if (inflater) request.unpipe(inflater);
      inflater?.destroy();
      request.resume();
      reject(error);
    };
    const cut = (): void => fail(refusal('body.malformed', 'The body could not be read to its end'));
    /** If all of it has arrived, the decompressor may still be working. */
    const close = (): void => {
      if (!request.readableEnded) cut();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) return fail(bodyTooLarge(limit));
      if (!charge.add(chunk.length)) {
        return fail(retryLater('server.busy', 'Too many large bodies are on their way'));
      }
      chunks.push(chunk);
    };
    const end = (): void => {
      settle();
      resolve(runYielding(joinPieces(chunks), new EventLoopYield()));
    };
    const started = performance.now();
    /** Extends the timeout for bodies that arrive fast enough. */
    const check = (): void => {
      const arrived = inflater ? inflater.bytesWritten : size;
      const left = LIMITS.bodySeconds + arrived / LIMITS.bodyBytesPerSecond - (performance.now() - started) / 1000;
      if (left <= 0) fail(refusal('body.timeout', 'The body took too long to arrive'));
      else timer = setTimeout(check, Math.ceil(left * 1000));
    };
    let timer = setTimeout(check, LIMITS.bodySeconds * 1000);
    source.on('data', take).on('end', end);
    request.on('error', cut).on('close', close);
    if (inflater) {
      inflater.on('error', cut);
      request.pipe(inflater);
    }
  });
}

export function bodyTooLarge(limit: number): KindError {
  return refusal('body.too_large', `A body has at most ${limit} bytes here`);
}

/** `Expect: 100-continue`: the client gets 100 Continue when the body is read; if it is refused before, the answer without sending it. */
const continueCallbacks = new RequestSlot<() => void>();

/**
 * Prepares a request whose client waits. If it is never continued, the connection is closed, because the client may or
 * may not send the body.
 */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  continueCallbacks.set(request, () => {
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/** Sends 100 Continue if the client waits for it. */
export function sendContinue(request: IncomingMessage): void {
  continueCallbacks.get(request)?.();
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** Whether a content type has no charset, or that of UTF-8. */
export function isUtf8(contentType: string): boolean {
  return /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? 'utf-8');
}
