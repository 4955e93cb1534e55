/** One line per request, at level debug; at warn where it was slow. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { requestId } from './request-id.js';

const SLOW_MS = 1000;

/** Parts of paths that are secrets: the token of a password reset. */
export function loggedPath(path: string): string {
  return path.replace(/(\/auth\/reset_password\/).+/, '$1…');
}

export function requestLog(logger: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const started = performance.now();
    response.once('finish', () => {
      const milliseconds = Math.round((performance.now() - started) * 10) / 10;
      const slow = milliseconds > SLOW_MS;
      if (!slow && !logger.isLevelEnabled('debug')) return;
      const fields = {
        requestId: requestId(request),
        method: request.method,
        path: loggedPath(request.path),
        status: response.statusCode,
        milliseconds,
      };
      if (slow) logger.warn(fields, 'slow request');
      else logger.debug(fields, 'request');
    });
    next();
  };
}
