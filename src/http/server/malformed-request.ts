/** Answers bytes that are no HTTP request, which Node tells before there is a request to answer. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refusal, type KindError } from '../../shared/errors.js';
import { errorEnvelope } from '../answer/answer.js';
import { discardInput, lingeringClose } from './lingering-close.js';
import { freshId } from '../request/request-id.js';
import { RequestSlot } from '../request/request-slot.js';

/** Bytes of the head of a request: a filter of 8 KiB, percent-encoded, and a token fit. */
export const MAX_HEAD = 64 * 1024;

/** The response to the newest request of a connection; those before it are answered before it. */
export const newestResponse = new RequestSlot<ServerResponse>('newest response');

function refusalOf({ code }: NodeJS.ErrnoException): KindError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal('request.head_too_large', `The head of the request has more than ${MAX_HEAD} bytes`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal('request.malformed', 'The request did not come to its end in time');
    default:
      return refusal('request.malformed', 'That is no HTTP request');
  }
}

export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  const newest = newestResponse.get(socket);
  if (!newest) return writeRefusal(socket, refusalOf(error));
  const { complete } = newest.req;
  if (newest.writableFinished) {
    // What is answered already is not answered twice.
    if (complete) writeRefusal(socket, refusalOf(error));
    else lingeringClose.end(socket);
  } else if (complete || newest.headersSent) endAfter(newest, socket);
  else if (newest.socket) writeRefusal(socket, refusalOf(error));
  // Others are to be answered before it: its body never comes, which whoever reads it will tell.
  else discardInput(socket);
}

/** What follows a whole request takes nothing from the answer to that one, nor from those before it. */
function endAfter(response: ServerResponse, socket: Socket): void {
  discardInput(socket);
  response.shouldKeepAlive = false;
  response.prependOnceListener('finish', () => lingeringClose.end(socket));
}

/** Writes a refusal where there is no request that a response would be of, and ends the connection. */
export function writeRefusal(socket: Socket, { messages, status }: KindError): void {
  const text = errorEnvelope(messages);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${freshId()}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  lingeringClose.end(socket);
}
