/** Answers bytes that are no HTTP request. Node reports them before there is a request object. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refusal, type KindError } from '../../shared/errors.js';
import { errorEnvelope, JSON_CONTENT_TYPE } from '../answer/answer.js';
import { discardInput, lingeringClose } from './lingering-close.js';
import { freshId } from '../request/request-id.js';
import { RequestSlot } from '../request/request.js';
import { COMMON_HEADERS } from '../answer/common-headers.js';
import { REQUEST_ID_HEADER } from '../header-names.js';

/** Maximum size of the headers in bytes: enough for a percent-encoded filter of 8 KiB and a token. */
export const MAX_HEAD = 64 * 1024;

/** The response to the latest request of a connection; earlier requests are answered before it. */
export const newestResponse = new RequestSlot<ServerResponse>();

function parserRefusal({ code }: NodeJS.ErrnoException): KindError {
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
  if (!newest) return writeRefusal(socket, parserRefusal(error));
  const { complete } = newest.req;
  if (newest.writableFinished) {
    // A request that was answered is not answered twice.
    if (complete) writeRefusal(socket, parserRefusal(error));
    else lingeringClose.end(socket);
  } else if (complete || newest.headersSent) closeAfter(newest, socket);
  else if (newest.socket) writeRefusal(socket, parserRefusal(error));
  // Earlier requests have to be answered first. The body of this one never arrives, which its reader will report.
  else discardInput(socket);
}

/** Garbage after a complete request must not affect its answer, or those before it. */
function closeAfter(response: ServerResponse, socket: Socket): void {
  discardInput(socket);
  response.shouldKeepAlive = false;
  response.prependOnceListener('finish', () => lingeringClose.end(socket));
}

/** Writes an error answer without a request object, and closes the connection. */
export function writeRefusal(socket: Socket, { messages, status }: KindError): void {
  const text = errorEnvelope(messages);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${JSON_CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `${REQUEST_ID_HEADER}: ${freshId()}`,
    ...COMMON_HEADERS.map(([name, value]) => `${name}: ${value}`),
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  lingeringClose.end(socket);
}
