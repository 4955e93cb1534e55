/**
 * The first middleware of every request: sets the headers of every answer, counts the request, and observes it until its
 * answer is sent.
 */
import type { RequestHandler } from 'express';
import { setCommonHeaders } from '../answer/common-headers.js';
import { clientAddress } from '../request/client-address.js';
import { lingeringClose } from './lingering-close.js';
import { newestResponse } from './malformed-request.js';
import { identify } from '../request/request-id.js';
import { announcesBody } from '../body/read-body.js';
import { REQUEST_ID_HEADER, PROJECT_HEADER, WEBHOOK_AGENT } from '../header-names.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';
import { allOf, observe as observeWork, type WorkObserver } from '../../shared/observed-work.js';
import type { OpenRequests } from './open-requests.js';
import { unreadAnswers } from './unread-answers.js';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refusal, type KindError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { getOrInsert } from '../../shared/maps.js';
import { shortened } from '../../shared/texts.js';

/** Called for every request when its answer has been passed to the operating system, or its client has disconnected. */
export type RequestObserver = (request: HttpRequest, status: number, milliseconds: number) => void;

/** Called for every new request; who observes its work, or undefined. */
export type RequestWatcher = (request: HttpRequest, response: HttpResponse) => WorkObserver | undefined;

/** The status that is logged if the client disconnects before the answer (as in nginx); never sent. */
export const CLIENT_CLOSED_REQUEST = 499;

export function requestLifecycle(
  openRequests: OpenRequests,
  observers: readonly RequestObserver[],
  watchers: readonly RequestWatcher[] = [],
): RequestHandler {
  return (request, response, next): void => {
    const { socket } = request;
    // The connection ended with the previous answer, so this request can't be answered.
    if (!socket.writable) return;
    newestResponse.set(socket, response);
    closeWithConnection(response, socket);
    if (announcesBody(request)) lingeringClose.watch(request, response);
    unreadAnswers.watch(response, () => clientAddress(request));
    const started = performance.now();
    response.setHeader(REQUEST_ID_HEADER, identify(request));
    setCommonHeaders(response);
    const close = openRequests.open(response);
    response.once('close', () => {
      close();
      const milliseconds = performance.now() - started;
      const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
      for (const observe of observers) observe(request, status, milliseconds);
    });
    const fault = headFault(request);
    if (unknownCoding(request.headers) !== undefined) response.setHeader('Connection', 'close');
    const watching = watchers.flatMap((watch) => watch(request, response) ?? []);
    if (watching.length === 0) next(fault);
    else observeWork(allOf(watching), () => next(fault));
  };
}

/** The answers of a connection that wait for earlier ones. */
const queued = new WeakMap<Socket, Set<ServerResponse>>();

/** Node.js closes only the answer that a connection is about when it ends, and leaves those behind it open for ever. */
function closeWithConnection(response: ServerResponse, socket: Socket): void {
  if (response.socket) return;
  const waiting = getOrInsert(queued, socket, () => {
    const responses = new Set<ServerResponse>();
    socket.once('close', () => {
      for (const each of responses) if (!each.socket) each.destroy().emit('close');
    });
    return responses;
  });
  waiting.add(response);
  response.once('close', () => waiting.delete(response));
}

/** Headers that must not be repeated: a proxy could have checked the other value. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type', PROJECT_HEADER]);

/** The fault of the headers; undefined if there is none. */
function headFault({ rawHeaders, headers, httpVersion }: IncomingMessage): KindError | undefined {
  const count = rawHeaders.length / 2;
  if (count > LIMITS.headerFields) {
    return refusal(
      'request.head_too_large',
      `A request has at most ${LIMITS.headerFields} header fields, got ${count}`,
    );
  }
  if (headers.host === undefined && httpVersion === '1.1') {
    return refusal('request.malformed', 'The header host is missing', { parameter: 'host' });
  }
  if (headers['user-agent'] === WEBHOOK_AGENT) {
    return refusal(
      'webhook.loop',
      'A delivery of a webhook is not sent to this API, so that none sets off the next one',
    );
  }
  const coding = unknownCoding(headers);
  if (coding !== undefined) {
    const text = `The transfer-encoding must be chunked, got ${shortened(coding)}`;
    return refusal('request.malformed', text, { parameter: 'transfer-encoding' });
  }
  const twice = repeatedHeader(rawHeaders);
  if (twice === undefined) return undefined;
  return refusal('request.malformed', `The header ${twice} is given more than once`, { parameter: twice });
}

/**
 * A transfer coding that the service does not know, so that it can't tell where the request ends and the next one
 * begins: the connection must be closed after the answer.
 */
function unknownCoding({ 'transfer-encoding': coding }: IncomingHttpHeaders): string | undefined {
  return coding?.toLowerCase() === 'chunked' ? undefined : coding;
}

/** Comparing lengths first is fast: this runs for every request. */
const SINGLE_HEADER_LENGTHS: ReadonlySet<number> = new Set([...SINGLE_HEADERS].map(({ length }) => length));

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (!SINGLE_HEADER_LENGTHS.has(given.length)) continue;
    const name = given.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
}
