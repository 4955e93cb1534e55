/** Reads and decompresses the bytes of a body, with limits on size and time. */
import type { IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { joinPieces } from '../../shared/byte-pieces.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { retryLater, refusal, type KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { runYielding } from '../../shared/work-in-pieces.js';
import type { Charge } from './body-budget.js';
import { sendContinue } from '../request/expect-continue.js';

type Inflater = Readable & Writable & { readonly bytesWritten: number };

const INFLATERS = new Map<string, () => Inflater>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** A body whose content-length is too large is refused before it is read. @throws KindError 400, 413, 415, 503 */
export async function readBytes(request: IncomingMessage, limit: number, charge: Charge): Promise<Buffer> {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  if (isUncompressed(encoding)) {
    if (Number(length) > limit) throw bodyTooLarge(limit);
    return collectBytes(request, undefined, limit, charge);
  }
  const inflate = INFLATERS.get(encoding?.toLowerCase() ?? '');
  if (!inflate) throw refusal('body.not_json', 'The content-encoding must be gzip, deflate, br or none');
  return collectBytes(request, inflate(), limit, charge);
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

function bodyTooLarge(limit: number): KindError {
  return refusal('body.too_large', `A body has at most ${limit} bytes here`);
}
