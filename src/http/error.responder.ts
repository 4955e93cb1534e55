/** Turns whatever was thrown into the error envelope. A 500 tells its request id and nothing else. */
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { ERRORS, KindError, refusal } from '../shared/errors.js';
import { errorEnvelope } from './answer.js';
import type { HttpRequest, HttpResponse } from './request.js';
import { requestId } from './request-id.js';
import { loggedPath } from './request-log.js';

/** Where unexpected errors are reported. */
export interface ErrorLog {
  error(fields: object, message: string): void;
}

@Catch()
export class ErrorResponder implements ExceptionFilter {
  constructor(private readonly log: ErrorLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<HttpRequest>(), http.getResponse<HttpResponse>());
  }

  respond(error: unknown, request: HttpRequest, response: HttpResponse): void {
    const known = toKindError(error, request);
    if (ERRORS[known.code].status === 500) {
      this.log.error({ err: error, requestId: requestId(request), method: request.method }, 'unexpected error');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const text = errorEnvelope(known.messages);
    response.writeHead(known.status, STATUS_CODES[known.status] ?? '', {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...(known.retryAfter !== undefined && { 'Retry-After': known.retryAfter }),
      ...(known.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }
}

function toKindError(error: unknown, request: HttpRequest): KindError {
  if (error instanceof KindError) return error;
  if (error instanceof URIError) return refusal('path.malformed', 'The path is not valid percent-encoded UTF-8');
  const status = statusOf(error);
  if (status === 404) return refusal('route.unknown', `No ${request.method} ${loggedPath(request.path)}`);
  if (status === 400) return refusal('path.malformed', 'The path is not valid percent-encoded UTF-8');
  return refusal('server.error', `Something went wrong here; the request id is ${requestId(request)}`);
}

/** The status that Nest or Express gave an error of theirs. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { status?: unknown } | undefined)?.status;
  return typeof status === 'number' ? status : undefined;
}
