/** Gives every request an id, which its response carries and every log line of it has. */
import { randomBytes } from 'node:crypto';
import { RequestSlot } from './request-slot.js';
import type { HttpRequest } from './request.js';

const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/;
const ids = new RequestSlot<string>('request id');

let block = '';
let used = 0;

/** Unique enough to find a line in a log: random per block of a million, then counted. */
export function freshId(): string {
  if (block === '' || used >= 1_000_000) {
    block = randomBytes(8).toString('hex');
    used = 0;
  }
  return `${block}-${(used++).toString(36)}`;
}

export function requestId(request: object): string {
  return ids.get(request) ?? '';
}

/** The id of a new request: the one that the client (or a proxy) sent where it is harmless. */
export function identify(request: HttpRequest): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && HARMLESS.test(given) ? given : freshId();
  ids.set(request, id);
  return id;
}
