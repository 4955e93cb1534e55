/** Request ids, which are in the response and in all log lines of a request. */
import { randomBytes } from 'node:crypto';
import { REQUEST_ID_HEADER } from '../header-names.js';
import { RequestSlot, type HttpRequest } from './request.js';

const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/;
const requestIds = new RequestSlot<RequestIds>();

/** The ids of a request. What a client sent may be sent again, or be somebody else's. */
export interface RequestIds {
  readonly own: string;
  readonly sent?: string;
}

let idPrefix = '';
let idsOfPrefix = 0;

/** A random prefix for each million ids, then a counter: unique enough for a log. */
export function freshId(): string {
  if (idPrefix === '' || idsOfPrefix >= 1_000_000) {
    idPrefix = randomBytes(8).toString('hex');
    idsOfPrefix = 0;
  }
  return `${idPrefix}-${(idsOfPrefix++).toString(36)}`;
}

/** The id that the answer has: the one that was sent, if there is one. */
export function requestId(request: object): string {
  const { own, sent } = idsOfRequest(request);
  return sent ?? own;
}

export function idsOfRequest(request: object): RequestIds {
  return requestIds.get(request) ?? { own: '' };
}

/** The ids of a request in lines of the log. */
export function loggedIds(request: object): { readonly requestId: string; readonly ownRequestId?: string } {
  const { own, sent } = idsOfRequest(request);
  return sent === undefined ? { requestId: own } : { requestId: sent, ownRequestId: own };
}

/** Assigns an id to a new request: the one that the client (or a proxy) sent if it is safe, else a new one. */
export function identify(request: HttpRequest): string {
  const sent = request.headers[REQUEST_ID_HEADER];
  const isSafe = typeof sent === 'string' && SAFE_ID.test(sent);
  requestIds.set(request, { own: freshId(), ...(isSafe && { sent }) });
  return requestId(request);
}
