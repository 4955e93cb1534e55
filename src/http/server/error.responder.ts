/** Converts thrown errors to the error envelope. A 500 reports only its request id. */
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { KindError, type ErrorCode } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { EventThrottle } from '../../shared/event-throttle.js';
import { errorEnvelope, JSON_CONTENT_TYPE } from '../answer/answer.js';
import { errorAnswer, refusalOf } from './error-answer.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';
import { loggedIds } from '../request/request-id.js';
import { namedProject } from './request-log.js';

/** The log for unexpected errors and for conditions that the operator must know. */
interface ErrorLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Errors that are not caused by clients and are logged for the operator. */
const OPERATOR_CODES: ReadonlySet<ErrorCode> = new Set(['database.unavailable', 'query.timeout', 'server.busy']);

/** Milliseconds between two log lines of one condition, which can affect every request. */
const OPERATOR_LOG_INTERVAL = 10_000;

@Catch()
export class ErrorResponder implements ExceptionFilter {
  readonly #throttle = new EventThrottle(OPERATOR_LOG_INTERVAL);

  constructor(private readonly log: ErrorLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<HttpRequest>(), http.getResponse<HttpResponse>());
  }

  respond(error: unknown, request: HttpRequest, response: HttpResponse): void {
    const refused = refusalOf(error, request);
    if (refused instanceof KindError) this.#log(refused, error, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const answer = errorAnswer(refused, request);
    const text = errorEnvelope(answer.messages);
    response.writeHead(answer.status, STATUS_CODES[answer.status] ?? '', {
      'Content-Type': JSON_CONTENT_TYPE,
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      ...(answer.retryAfter !== undefined && { 'Retry-After': answer.retryAfter }),
      ...(answer.allow && { Allow: answer.allow.join(', ') }),
      ...(answer.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  /** Logs internal errors and conditions that the operator must know. */
  #log(answered: KindError, error: unknown, request: HttpRequest): void {
    const refused = answered.cause instanceof KindError ? answered.cause : answered;
    if (refused.status === 500) {
      this.log.error({ err: error, ...loggedIds(request), method: request.method }, 'unexpected error');
      return;
    }
    const condition = operatorCondition(refused);
    const count = condition === undefined ? undefined : this.#throttle.pass(condition);
    if (count === undefined) return;
    const cause = loggedCause(refused);
    const fields = {
      code: refused.code,
      count,
      ...cause,
      ...loggedIds(request),
      project: namedProject(request),
    };
    this.log.warn(fields, refused.messages[0].text);
  }
}

/**
 * The name of the condition to log; undefined for errors that are not logged. Each failing source is a condition of its
 * own.
 */
function operatorCondition({ code, cause, messages }: KindError): string | undefined {
  if (code === 'kind.remote_unavailable' && cause !== undefined) return messages[0].text;
  return OPERATOR_CODES.has(code) ? code : undefined;
}

/** Only code and message of the cause: errors of drivers contain the values of the statement. */
function loggedCause({ cause }: KindError): { cause?: string } {
  if (!(cause instanceof Error)) return {};
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  // The message of a source can contain values of a client.
  return { cause: [code, cause.message].filter(Boolean).join(': ').slice(0, LIMITS.messageLength) };
}
