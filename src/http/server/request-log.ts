/** Logs each request at level debug, and slow ones at warn. */
import type { Logger } from 'pino';
import type { RequestObserver } from './request-lifecycle.js';
import { requestId } from '../request/request-id.js';

const SLOW_MS = 1000;
/** Requests that take as long as their file is large. */
const TRANSFER = /^\/api\/lib\/[^/]+\/(?:import|export)$/;

/** A path without secrets (the token of a password reset), for logs and error messages. */
export function loggedPath(path: string): string {
  return path.replace(/(reset(?:_|%5f)password(?:\/|%2f)+).+/i, '$1…');
}

export function requestLog(logger: Logger): RequestObserver {
  return (request, status, milliseconds): void => {
    const slow = milliseconds > SLOW_MS && !TRANSFER.test(request.path);
    if (!slow && !logger.isLevelEnabled('debug')) return;
    const fields = {
      requestId: requestId(request),
      method: request.method,
      path: loggedPath(request.path),
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
    };
    if (slow) logger.warn(fields, 'slow request');
    else logger.debug(fields, 'request');
  };
}
