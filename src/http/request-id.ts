/** Gives every request an id, which its response carries and every log line of it has. */
import { randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/;
const ids = new WeakMap<object, string>();

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

export function requestIdMiddleware(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && HARMLESS.test(given) ? given : freshId();
  ids.set(request, id);
  response.setHeader('x-request-id', id);
  next();
}
