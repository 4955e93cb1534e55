/** The answers of errors: status, messages and headers. */
import { HttpException } from '@nestjs/common';
import { FunctionError } from '../../kit/function-error.js';
import { KindError, refusal } from '../../shared/errors.js';
import { currentOperation } from '../request/current-operation.js';
import type { HttpRequest } from '../request/request.js';
import { requestId } from '../request/request-id.js';
import { unknownRoute } from './path-methods.js';

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
}

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
