/**
 * Writes answers: small ones at once, others compressed where the client accepts it, and large ones in pieces, so that
 * none holds the event loop.
 */
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { bytesIn, utf8Pieces } from '../../shared/byte-pieces.js';
import { runYielding } from '../../shared/work-in-pieces.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';
import {
  Answer,
  RawAnswer,
  StreamAnswer,
  ENVELOPE,
  envelope,
  envelopeEnd,
  JSON_CONTENT_TYPE,
  PIECE_CHARACTERS,
} from './answer.js';
import { codingOf, encode, type Coding, varyOf } from './content-coding.js';
import { etagMatches } from './etag.js';

/** Characters from which an answer is compressed. */
const COMPRESSED_FROM = 1024;
/**
 * Answers that are compressed at once; others are then sent as they are. Node has four threads for this, which also
 * compute the hashes of passwords.
 */
const MAX_COMPRESSIONS = 2;

const CONDITIONAL_METHODS = new Set(['GET', 'HEAD']);
/** What may not be changed, and what may contain a secret, whose text the size of a compressed answer could tell. */
const UNCOMPRESSED = /no-transform|no-store/i;

let compressions = 0;

export class AnswerWriter {
  constructor(private readonly compresses: boolean) {}

  /** Writes 200, or 304 if `If-None-Match` matches. */
  write(request: HttpRequest, response: HttpResponse, answer: Answer): Promise<void> | undefined {
    if (answer instanceof StreamAnswer) return answer.start(response) as undefined;
    const { etag, text, changes } = answer;
    if (
      etag !== undefined &&
      CONDITIONAL_METHODS.has(request.method) &&
      etagMatches(request.headers['if-none-match'], etag)
    ) {
      response.writeHead(304, { ETag: etag, Vary: varyOf(response) });
      response.end();
      return undefined;
    }
    if (answer instanceof RawAnswer) return writeRaw(request, response, answer);
    if (typeof text === 'string' && text.length < COMPRESSED_FROM) {
      writeText(request, response, answer, varyOf(response), envelope(text, changes));
      return undefined;
    }
    const coding = this.#codingFor(request, response, answer);
    const vary = this.compresses ? `${varyOf(response)}, Accept-Encoding` : varyOf(response);
    if (typeof text === 'string' && text.length <= PIECE_CHARACTERS && coding === undefined) {
      writeText(request, response, answer, vary, envelope(text, changes));
      return undefined;
    }
    return writePieces(request, response, answer, vary, coding);
  }

  #codingFor(request: HttpRequest, response: HttpResponse, { headers }: Answer): Coding | undefined {
    if (!this.compresses || compressions >= MAX_COMPRESSIONS) return undefined;
    const rules = [request.headers['cache-control'], response.getHeader('cache-control'), headers?.['Cache-Control']];
    return rules.some((rule) => UNCOMPRESSED.test(String(rule))) ? undefined : codingOf(request);
  }
}

/** A browser that shows it runs none of its scripts. */
function writeRaw(request: HttpRequest, response: HttpResponse, answer: RawAnswer): undefined {
  const { status, type, bytes, etag } = answer;
  response.writeHead(status, {
    ...(type !== undefined && { 'Content-Type': type, 'Content-Length': bytes.length }),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    ...(etag === undefined ? { 'Cache-Control': 'no-store' } : { ETag: etag, Vary: varyOf(response) }),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
  return undefined;
}

function writeText(request: HttpRequest, response: HttpResponse, answer: Answer, vary: string, text: string): void {
  writeHead(response, answer, vary, Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}

async function writePieces(
  request: HttpRequest,
  response: HttpResponse,
  answer: Answer,
  vary: string,
  coding: Coding | undefined,
): Promise<void> {
  const { text, changes } = answer;
  const parts = typeof text === 'string' ? [text] : text;
  const encoding = utf8Pieces([ENVELOPE, ...parts, envelopeEnd(changes)], PIECE_CHARACTERS);
  let pieces = await runYielding(encoding, new EventLoopYield());
  if (coding !== undefined) {
    compressions += 1;
    pieces = await encode(pieces, coding, 'sent once').finally(() => (compressions -= 1));
  }
  writeHead(response, answer, vary, bytesIn(pieces), coding);
  response.cork();
  if (request.method !== 'HEAD') for (const piece of pieces) response.write(piece);
  response.end();
}

function writeHead(response: HttpResponse, answer: Answer, vary: string, bytes: number, coding?: Coding): void {
  const headers: Record<string, string | number> = {
    'Content-Type': JSON_CONTENT_TYPE,
    'Content-Length': bytes,
    Vary: vary,
    ...answer.headers,
  };
  if (answer.etag !== undefined) headers['ETag'] = answer.etag;
  if (coding !== undefined) headers['Content-Encoding'] = coding;
  response.writeHead(200, headers);
}
