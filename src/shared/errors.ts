/**
 * The error class of the service. Codes are in `error-codes.ts`; each text is written where the error is thrown, for
 * people to read.
 */

import { ERRORS, type ErrorCode, type ErrorKind } from './error-codes.js';
import { LIMITS } from './limits.js';
import { didYouMean } from './texts.js';

export { ERRORS, type ErrorCode, type ErrorKind } from './error-codes.js';

/**
 * One entry of `messages`. `parameter`: the parameter at fault; `index`: its object in a bulk write; `unit`: the id of its
 * unit in an edit or deletion by filter; `check`: the check of the kind at fault; `operation`: its operation in a batch; `line` and `record`: its place in the file of an import, both from 1.
 */
export interface Message {
  readonly code: ErrorCode;
  readonly text: string;
  readonly parameter?: string;
  readonly index?: number;
  readonly unit?: string;
  readonly check?: string;
  readonly operation?: number;
  readonly line?: number;
  readonly record?: number;
}

/** The location of a fault: the parameter, in a bulk write the position of the object (from 0), in a batch the operation, in a file the line. */
export type FaultLocation = Pick<Message, 'parameter' | 'index' | 'check' | 'operation' | 'line' | 'record'>;

interface KindErrorOptions {
  readonly cause?: unknown;
  /** The methods to name in the header `Allow`. */
  readonly allow?: readonly string[] | undefined;
  /** The header `Content-Range` of a 416. */
  readonly contentRange?: string | undefined;
  /** Set if the requested change may have been stored although the request failed. */
  readonly mayBeStored?: boolean;
  /** The status, if it is not that of the messages. */
  readonly status?: ErrorKind['status'] | undefined;
}

/**
 * A refused request: an HTTP status and one message per fault. `retryAfter` is in seconds; `cause` is only logged.
 * Nothing of the request was stored, unless `mayBeStored` is set.
 */
export class KindError extends Error {
  override readonly name = 'KindError';
  readonly status: ErrorKind['status'];
  readonly allow: readonly string[] | undefined;
  readonly contentRange: string | undefined;
  readonly mayBeStored: boolean;

  readonly messages: readonly [Message, ...Message[]];

  constructor(
    messages: readonly [Message, ...Message[]],
    readonly retryAfter?: number,
    { allow, contentRange, mayBeStored = false, status, ...options }: KindErrorOptions = {},
  ) {
    const [first, ...rest] = messages;
    const truncated: readonly [Message, ...Message[]] = [truncateMessage(first), ...rest.map(truncateMessage)];
    super(truncated.map((message) => `${message.code}: ${message.text}`).join('; '), options);
    this.messages = truncated;
    this.allow = allow;
    this.contentRange = contentRange;
    this.mayBeStored = mayBeStored;
    this.status = status ?? lowestStatus(messages);
  }

  get code(): ErrorCode {
    return this.messages[0].code;
  }

  /** The same error with other messages. */
  withMessages(messages: readonly [Message, ...Message[]], options: KindErrorOptions = {}): KindError {
    const { retryAfter, cause, allow, contentRange, mayBeStored } = this;
    return new KindError(messages, retryAfter, {
      ...(cause !== undefined && { cause }),
      allow,
      contentRange,
      mayBeStored,
      ...options,
    });
  }
}

/** The lowest status wins: bad input is reported before conflicts with stored data. */
function lowestStatus(messages: readonly [Message, ...Message[]]): ErrorKind['status'] {
  const statuses = messages.map((message): ErrorKind['status'] => ERRORS[message.code].status);
  return statuses.reduce((lowest, status) => (status < lowest ? status : lowest));
}

/** Whether the caller is at fault (status below 500), and not the service. */
export function isCallerError(error: unknown): error is KindError {
  return error instanceof KindError && error.status < 500;
}

/** Whether the caller may not do it. */
export function isMissingRight(error: unknown): error is KindError {
  return error instanceof KindError && (error.status === 401 || error.status === 403);
}

/** Whether the refusal is about one of several things, so that the others can go on: not if the database does not answer. */
export function isRefusedAlone(error: unknown): error is KindError {
  return error instanceof KindError && error.code !== 'database.unavailable';
}

/** Truncates long texts, which may quote the input of a client. */
function truncateMessage(message: Message): Message {
  const { text, parameter = '' } = message;
  if (text.length <= LIMITS.messageLength && parameter.length <= LIMITS.messageLength) return message;
  const names = parameter === '' ? {} : { parameter: truncate(parameter) };
  return { ...message, text: truncate(text), ...names };
}

function truncate(text: string): string {
  return text.length <= LIMITS.messageLength ? text : `${text.slice(0, LIMITS.messageLength - 1)}…`;
}

/** An error with one fault: `throw refusal('kind.inactive', 'The kind city is inactive')`. */
export function refusal(code: ErrorCode, text: string, location: FaultLocation = {}): KindError {
  return new KindError([{ code, text, ...location }]);
}

/** A temporary error: the client can retry after some seconds. */
export function retryLater(code: ErrorCode, text: string, seconds = 1, cause?: unknown): KindError {
  return new KindError([{ code, text }], seconds, cause === undefined ? {} : { cause });
}

/** A 405. `methods` are those that are allowed; HEAD is added to GET, and OPTIONS always. */
export function methodNotAllowed(text: string, methods: readonly string[]): KindError {
  const allow = [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
  return new KindError([{ code: 'route.method', text }], undefined, { allow });
}

/** Runs work after a part of the request was stored. If it fails with 503, the error says that data may be stored. */
export async function afterPartialWrite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KindError && error.status === 503 ? asMayBeStored(error) : error;
  }
}

/** The same error with `mayBeStored` set. */
export function asMayBeStored(refused: KindError): KindError {
  return refused.withMessages(refused.messages, { mayBeStored: true });
}

/**
 * A message about a part of a value, prefixed with the path to the value: `country`, and `name: …` becomes
 * `country.name: …`.
 */
export function prefixMessage(
  { code, text, parameter, check, index }: Message,
  path: string,
  location: Pick<FaultLocation, 'index'>,
): Message {
  const startsWithParameter = parameter !== undefined && text.startsWith(parameter);
  return {
    code,
    text: startsWithParameter ? `${path}.${text}` : `${path}: ${text}`,
    parameter: parameter === undefined ? path : `${path}.${parameter}`,
    ...(check !== undefined && { check }),
    ...(index !== undefined && { index }),
    ...location,
  };
}

/** The error with `prefixMessage` applied to all messages. */
export function prefixError(error: KindError, path: string, location: Pick<FaultLocation, 'index'> = {}): KindError {
  const [first, ...rest] = error.messages.map((message) => prefixMessage(message, path, location));
  return first ? error.withMessages([first, ...rest]) : error;
}

/** Collects the faults of one input, so that one answer reports all of them, up to `LIMITS.faults`. */
export class Faults {
  readonly #messages: Message[];
  readonly #path: string | undefined;
  readonly #reported: readonly string[];

  constructor(messages: Message[] = [], path?: string, reported: readonly string[] = []) {
    this.#messages = messages;
    this.#path = path;
    this.#reported = reported;
  }

  add(code: ErrorCode, text: string, location: FaultLocation = {}): void {
    if (location.parameter !== undefined && this.#reported.includes(location.parameter)) return;
    const message = { code, text, ...location };
    this.#messages.push(this.#path === undefined ? message : prefixMessage(message, this.#path, {}));
    if (this.#messages.length >= LIMITS.faults) this.throwIfAny();
  }

  /** A view on the same faults for a part of the value: faults are prefixed with the path to it. */
  within(path: string): Faults {
    return new Faults(this.#messages, this.#path === undefined ? path : `${this.#path}.${path}`);
  }

  /** A view on the same faults that ignores faults of parameters that were reported already. */
  except(reported: readonly string[]): Faults {
    return new Faults(this.#messages, this.#path, reported);
  }

  /** Adds the messages of an error, located at `location` unless they have their own location. */
  addAll(error: KindError, location: FaultLocation = {}): void {
    for (const { code, text, ...own } of error.messages) this.add(code, text, { ...location, ...own });
  }

  /**
   * Adds the messages of an error as faults of a query parameter; their texts begin with its name.
   * @param code replaces those of the messages
   */
  addAllOf(parameter: string, error: KindError, code?: ErrorCode): void {
    for (const fault of error.messages) this.add(code ?? fault.code, `${parameter}: ${fault.text}`, { parameter });
  }

  /** `didYouMean` for the next fault; only for the first `LIMITS.hints`, because the search is expensive. */
  hint(unknown: string, known: Iterable<string>): string {
    return this.#messages.length < LIMITS.hints ? didYouMean(unknown, known) : '';
  }

  get any(): boolean {
    return this.#messages.length > 0;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Throws one `KindError` with all messages, if there are any. */
  throwIfAny(): void {
    const [first, ...rest] = this.#messages;
    if (first) throw new KindError([first, ...rest]);
  }
}
