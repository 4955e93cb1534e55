/**
 * The first middleware of every request: sets the headers of every answer, counts the request, and observes it until its
 * answer is sent.
 */
import type { RequestHandler } from 'express';
import { setCommonHeaders } from '../answer/common-headers.js';
import { clientAddress } from '../request/client-address.js';
import { lingeringClose } from './lingering-close.js';
import { newestResponse } from './malformed-request.js';
import { headFault, unknownCoding } from '../request/request-head.js';
import { identify } from '../request/request-id.js';
import { announcesBody } from '../body/read-body.js';
import { REQUEST_ID_HEADER } from '../request/header-names.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';
import { allOf, observe as observeWork, type WorkObserver } from '../../shared/observed-work.js';
import type { OpenRequests } from './open-requests.js';
import { unreadAnswers } from './unread-answers.js';

/** Called for every request when its answer has been passed to the operating system, or its client has disconnected. */
export type RequestObserver = (request: HttpRequest, status: number, milliseconds: number) => void;

/** Called for every new request; who observes its work, or undefined. */
export type RequestWatcher = (request: HttpRequest, response: HttpResponse) => WorkObserver | undefined;

/** The status that is logged if the client disconnects before the answer (as in nginx); never sent. */
const CLIENT_CLOSED_REQUEST = 499;

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
