/** What every request passes first, in one step: it gets its id, and is counted and observed until its answer is out. */
import type { RequestHandler } from 'express';
import { clientAddress } from '../request/client-address.js';
import { lingeringClose } from './lingering-close.js';
import { newestResponse } from './malformed-request.js';
import { headFault } from '../request/request-head.js';
import { identify } from '../request/request-id.js';
import { announcesBody } from '../body/body.js';
import { REQUEST_ID, type HttpRequest } from '../request/request.js';
import type { OpenRequests } from './open-requests.js';
import { unreadAnswers } from './unread-answers.js';

/** Told of every request when its answer has been handed over to the system, or its client has gone away before that. */
export type RequestObserver = (request: HttpRequest, status: number, milliseconds: number) => void;

/** What is written down of a request whose client did not wait for the answer; no client ever sees it. */
const GONE = 499;

export function requestLifecycle(openRequests: OpenRequests, observers: readonly RequestObserver[]): RequestHandler {
  return (request, response, next): void => {
    const { socket } = request;
    // Nothing is done for a request that can not be answered: the connection ended with the answer before it.
    if (!socket.writable) return;
    newestResponse.set(socket, response);
    if (announcesBody(request)) lingeringClose.watch(request, response);
    unreadAnswers.watch(response, () => clientAddress(request));
    const started = performance.now();
    response.setHeader(REQUEST_ID, identify(request));
    if (openRequests.isStopping) response.setHeader('Connection', 'close');
    const leave = openRequests.open();
    response.once('close', () => {
      leave();
      const milliseconds = performance.now() - started;
      const status = response.writableFinished ? response.statusCode : GONE;
      for (const observe of observers) observe(request, status, milliseconds);
    });
    next(headFault(request));
  };
}
