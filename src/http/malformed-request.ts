/** Answers bytes that are no HTTP request, which Node tells before there is a request to answer. */
import type { Duplex } from 'node:stream';
import { refusal } from '../shared/errors.js';
import { errorEnvelope } from './answer.js';
import { freshId } from './request-id.js';

/** Bytes of the head of a request: a filter of 8 KiB, percent-encoded, and a token fit. */
export const MAX_HEAD = 64 * 1024;

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', `The head of the request has more than ${MAX_HEAD} bytes`],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'The request did not come to its end in time'],
]);

export function answerMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex & { _httpMessage?: { headersSent: boolean } | null },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const text = errorEnvelope(
    refusal('request.malformed', REASONS.get(error.code) ?? 'That is no HTTP request').messages,
  );
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${freshId()}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
