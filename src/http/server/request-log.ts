/** One line per request, at level debug; at warn where it was slow. */
import type { Logger } from 'pino';
import type { RequestObserver } from './request-lifecycle.js';
import { requestId } from '../request/request-id.js';

const SLOW_MS = 1000;

/** A path without what is secret in it, the token of a password reset; as it may be logged, and repeated in an answer. */
export function loggedPath(path: string): string {
  return path.replace(/(reset(?:_|%5f)password(?:\/|%2f)+).+/i, '$1…');
}

export function requestLog(logger: Logger): RequestObserver {
  return (request, status, milliseconds): void => {
    const slow = milliseconds > SLOW_MS;
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
