/** Request ids, which are in the response and in all log lines of a request. */
import { randomBytes } from 'node:crypto';
import { REQUEST_ID_HEADER } from './header-names.js';
import { RequestSlot } from './request-slot.js';
import type { HttpRequest } from './request.js';

const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/;
const requestIds = new RequestSlot<string>();

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

export function requestId(request: object): string {
  return requestIds.get(request) ?? '';
}

/** Assigns an id to a new request: the one that the client (or a proxy) sent if it is safe, else a new one. */
export function identify(request: HttpRequest): string {
  const sent = request.headers[REQUEST_ID_HEADER];
  const id = typeof sent === 'string' && SAFE_ID.test(sent) ? sent : freshId();
  requestIds.set(request, id);
  return id;
}
