/** Converts thrown errors to the error envelope. A 500 reports only its request id. */
import { Catch, type ArgumentsHost, type ExceptionFilter, HttpException } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { KindError, type ErrorCode, refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { EventThrottle } from '../../shared/event-throttle.js';
import { errorEnvelope, JSON_CONTENT_TYPE } from '../answer/answer.js';
import { HTML, PAGE_POLICY } from '../answer/static-file.js';
import { type HttpRequest, type HttpResponse, RequestSlot } from '../request/request.js';
import { loggedIds, requestId } from '../request/request-id.js';
import { namedProject } from './request-log.js';
import { FunctionError } from '../../kit/function-error.js';
import { unknownRoute } from './path-methods.js';

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
    const page = pageOfRefusal.get(request)?.(answer, request);
    const text = page ?? errorEnvelope(answer.messages);
    response.writeHead(answer.status, STATUS_CODES[answer.status] ?? '', {
      'Content-Type': page === undefined ? JSON_CONTENT_TYPE : HTML,
      'Content-Length': Buffer.byteLength(text),
      ...(page !== undefined && PAGE_POLICY),
      'Cache-Control': 'no-store',
      ...(answer.retryAfter !== undefined && { 'Retry-After': answer.retryAfter }),
      ...(answer.allow && { Allow: answer.allow.join(', ') }),
      ...(answer.contentRange !== undefined && { 'Content-Range': answer.contentRange }),
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

/** A refusal that was answered before, and is answered again. */
export class StoredRefusal extends Error {
  override readonly name = 'StoredRefusal';

  constructor(
    readonly status: number,
    readonly messages: readonly object[],
  ) {
    super('a refusal that was answered before');
  }
}

/** An error that is answered as it is. */
export type Refusal = KindError | FunctionError | StoredRefusal;

/** The parts of an error answer. */
export interface ErrorAnswer {
  readonly status: number;
  readonly messages: readonly object[];
  readonly retryAfter?: number | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly contentRange?: string | undefined;
}

/** The page by which a request is refused, where a person reads it. */
export const pageOfRefusal = new RequestSlot<(answer: ErrorAnswer, request: HttpRequest) => string>();

/** Methods that store nothing. A function that does sets `mayBeStored`. */
const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Adds advice to a 503. If the change may have been stored, there is no Retry-After. */
function unavailableAnswer({ messages, retryAfter, mayBeStored }: KindError, method: string): ErrorAnswer {
  const again = retryAfter === undefined ? '' : '; try again shortly';
  const advice = mayBeStored
    ? ': whether it was stored is not known; look before you send it again'
    : READ_METHODS.has(method)
      ? again
      : `: not stored${again}`;
  return {
    status: 503,
    messages: messages.map((message) => ({ ...message, text: `${message.text}${advice}` })),
    retryAfter: mayBeStored ? undefined : retryAfter,
  };
}

/** The answer of an error. In a batch each message names the operation that failed. */
export function errorAnswer(refused: Refusal, request: HttpRequest): ErrorAnswer {
  if (refused instanceof StoredRefusal) return { status: refused.status, messages: refused.messages };
  const answer = answerFor(refused, request);
  const operation = currentOperation.get(request);
  if (operation === undefined) return answer;
  const { status, retryAfter, allow } = answer;
  return { status, retryAfter, allow, messages: answer.messages.map((message) => ({ ...message, operation })) };
}

/** Errors of function authors are returned as they are. */
function answerFor(error: KindError | FunctionError, request: HttpRequest): ErrorAnswer {
  if (error instanceof KindError) {
    if (error.status === 503) return unavailableAnswer(error, request.method);
    const { status, messages, allow } = error;
    return status === 405 && !allow ? { status, messages, allow: unknownRoute(request).allow } : error;
  }
  const { status, code, text, parameter, index, unit } = error;
  const location = {
    ...(parameter !== undefined && { parameter }),
    ...(index !== undefined && { index }),
    ...(unit !== undefined && { unit }),
  };
  return { status, messages: [{ code, text, ...location }] };
}

/** What is answered instead of an error: itself, or an internal error without details. */
export function refusalOf(error: unknown, request: HttpRequest): Refusal {
  if (error instanceof KindError || error instanceof FunctionError || error instanceof StoredRefusal) return error;
  if (error instanceof URIError) return refusal('path.malformed', 'The path is not valid percent-encoded UTF-8');
  const status = statusOf(error);
  if (status === 404) return unknownRoute(request);
  if (status === 400) return refusal('path.malformed', 'The path is not valid percent-encoded UTF-8');
  return refusal('server.error', `Something went wrong here; the request id is ${requestId(request)}`);
}

/** The status of an error of Nest or Express. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { status?: unknown } | undefined)?.status;
  return typeof status === 'number' ? status : undefined;
}

/** The position of the operation of a batch that runs at present. Messages of its errors name it. */
export const currentOperation = new RequestSlot<number | undefined>();
