/** Turns whatever was thrown into the error envelope. A 500 tells its request id and nothing else. */
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { FunctionError } from '../../kit/function-error.js';
import { KindError, refusal, type ErrorCode } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { EventThrottle } from '../../shared/event-throttle.js';
import { errorEnvelope } from '../answer/answer.js';
import { unknownRoute } from './path-methods.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';
import { requestId } from '../request/request-id.js';

/** Where unexpected errors are reported, and what the operator has to know. */
export interface ErrorLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Refusals that no client caused. */
const TROUBLE: ReadonlySet<ErrorCode> = new Set(['database.unavailable', 'query.timeout', 'server.busy']);

/** Milliseconds between two lines of one trouble, which may meet every request. */
const TROUBLE_EVERY = 10_000;

@Catch()
export class ErrorResponder implements ExceptionFilter {
  readonly #troubles = new EventThrottle(TROUBLE_EVERY);

  constructor(private readonly log: ErrorLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.respond(error, http.getRequest<HttpRequest>(), http.getResponse<HttpResponse>());
  }

  respond(error: unknown, request: HttpRequest, response: HttpResponse): void {
    const refused = error instanceof FunctionError ? error : toKindError(error, request);
    if (refused instanceof KindError) this.#note(refused, error, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const known = told(refused, request.method);
    const text = errorEnvelope(known.messages);
    response.writeHead(known.status, STATUS_CODES[known.status] ?? '', {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...(known.retryAfter !== undefined && { 'Retry-After': known.retryAfter }),
      ...(known.allow && { Allow: known.allow.join(', ') }),
      ...(known.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  /** In the log stands what is a fault of ours, or that the operator has to know. */
  #note(answered: KindError, error: unknown, request: HttpRequest): void {
    const refused = answered.cause instanceof KindError ? answered.cause : answered;
    if (refused.status === 500) {
      this.log.error({ err: error, requestId: requestId(request), method: request.method }, 'unexpected error');
      return;
    }
    const trouble = troubleOf(refused);
    const count = trouble === undefined ? undefined : this.#troubles.pass(trouble);
    if (count === undefined) return;
    const cause = causeOf(refused);
    this.log.warn({ code: refused.code, count, ...cause, requestId: requestId(request) }, refused.messages[0].text);
  }
}

/** What the operator has to know of, told apart from other troubles; undefined for nothing. A source that fails is one each. */
function troubleOf({ code, cause, messages }: KindError): string | undefined {
  if (code === 'kind.remote_unavailable' && cause !== undefined) return messages[0].text;
  return TROUBLE.has(code) ? code : undefined;
}

/** Of a cause the code and the words alone: a driver's error has the statement's values about it. */
function causeOf({ cause }: KindError): { cause?: string } {
  if (!(cause instanceof Error)) return {};
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  // A source's message may have values of a client in it.
  return { cause: [code, cause.message].filter(Boolean).join(': ').slice(0, LIMITS.messageLength) };
}

/** What an answer says of an error. */
interface Told {
  readonly status: number;
  readonly messages: readonly object[];
  readonly retryAfter?: number | undefined;
  readonly allow?: readonly string[] | undefined;
}

/** Methods of requests that store nothing; a function that does all the same tells where that is not known. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What a client is told to do after a 503. Where it may have been stored, nothing says that it come back by itself. */
function passing({ messages, retryAfter, mayBeStored }: KindError, method: string): Told {
  const again = retryAfter === undefined ? '' : '; try again shortly';
  const advice = mayBeStored
    ? ': whether it was stored is not known; look before you send it again'
    : READS.has(method)
      ? again
      : `: not stored${again}`;
  return {
    status: 503,
    messages: messages.map((message) => ({ ...message, text: `${message.text}${advice}` })),
    retryAfter: mayBeStored ? undefined : retryAfter,
  };
}

/** The author of a function has words of their own. */
function told(error: KindError | FunctionError, method: string): Told {
  if (error instanceof KindError) return error.status === 503 ? passing(error, method) : error;
  const { status, code, text, parameter, index } = error;
  const place = { ...(parameter !== undefined && { parameter }), ...(index !== undefined && { index }) };
  return { status, messages: [{ code, text, ...place }] };
}

function toKindError(error: unknown, request: HttpRequest): KindError {
  if (error instanceof KindError) return error;
  if (error instanceof URIError) return refusal('path.malformed', 'The path is not valid percent-encoded UTF-8');
  const status = statusOf(error);
  if (status === 404) return unknownRoute(request);
  if (status === 400) return refusal('path.malformed', 'The path is not valid percent-encoded UTF-8');
  return refusal('server.error', `Something went wrong here; the request id is ${requestId(request)}`);
}

/** The status that Nest or Express gave an error of theirs. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { status?: unknown } | undefined)?.status;
  return typeof status === 'number' ? status : undefined;
}
