/**
 * Every refusal of the service is of one class and has a code of `error-codes.ts`. The text of one occurrence is written
 * where it happens and is for a person.
 */

import { ERRORS, type ErrorCode, type ErrorKind } from './error-codes.js';
import { LIMITS } from './limits.js';
import { didYouMean } from './did-you-mean.js';

export { ERRORS, type ErrorCode, type ErrorKind } from './error-codes.js';

/** One entry of `messages`: `parameter` (and `index`, in a bulk write) where one is to blame. */
export interface Message {
  readonly code: ErrorCode;
  readonly text: string;
  readonly parameter?: string;
  readonly index?: number;
}

/** Where a fault lies: the parameter, and in a bulk write the position of the object (from 0). */
export type FaultLocation = Pick<Message, 'parameter' | 'index'>;

export interface KindErrorOptions {
  readonly cause?: unknown;
  /** The methods to name in the header `Allow`. */
  readonly allow?: readonly string[] | undefined;
  /** Set where what was asked for may have been stored all the same. */
  readonly mayBeStored?: boolean;
}

/**
 * A refusal: an HTTP status and one message per fault. `retryAfter` is in seconds; the cause is for the log alone. Nothing
 * of what is refused was stored, unless `mayBeStored` says that nobody knows.
 */
export class KindError extends Error {
  override readonly name = 'KindError';
  readonly status: ErrorKind['status'];
  readonly allow: readonly string[] | undefined;
  readonly mayBeStored: boolean;

  readonly messages: readonly [Message, ...Message[]];

  constructor(
    messages: readonly [Message, ...Message[]],
    readonly retryAfter?: number,
    { allow, mayBeStored = false, ...options }: KindErrorOptions = {},
  ) {
    const [first, ...rest] = messages;
    const cut: readonly [Message, ...Message[]] = [inBounds(first), ...rest.map(inBounds)];
    super(cut.map((message) => `${message.code}: ${message.text}`).join('; '), options);
    this.messages = cut;
    this.allow = allow;
    this.mayBeStored = mayBeStored;
    // Bad input is answered before conflicts with what is stored.
    const statuses = messages.map((message): ErrorKind['status'] => ERRORS[message.code].status);
    this.status = statuses.reduce((lowest, status) => (status < lowest ? status : lowest));
  }

  get code(): ErrorCode {
    return this.messages[0].code;
  }

  /** The same refusal in other words. */
  withMessages(messages: readonly [Message, ...Message[]], options: KindErrorOptions = {}): KindError {
    const { retryAfter, cause, allow, mayBeStored } = this;
    return new KindError(messages, retryAfter, {
      ...(cause !== undefined && { cause }),
      allow,
      mayBeStored,
      ...options,
    });
  }
}

/** A refusal for what was asked, as against one because the service can't answer at present. */
export function isCallerError(error: unknown): error is KindError {
  return error instanceof KindError && error.status < 500;
}

/** What is told of long texts of a client is cut. */
function inBounds(message: Message): Message {
  const { text, parameter = '' } = message;
  if (text.length <= LIMITS.messageLength && parameter.length <= LIMITS.messageLength) return message;
  const names = parameter === '' ? {} : { parameter: shortened(parameter) };
  return { ...message, text: shortened(text), ...names };
}

function shortened(text: string): string {
  return text.length <= LIMITS.messageLength ? text : `${text.slice(0, LIMITS.messageLength - 1)}…`;
}

/** Makes the error of one fault: `throw refusal('kind.inactive', 'The kind city is inactive')`. */
export function refusal(code: ErrorCode, text: string, place: FaultLocation = {}): KindError {
  return new KindError([{ code, text, ...place }]);
}

/** A refusal that passes: the client may come back after some seconds. */
export function retryLater(code: ErrorCode, text: string, seconds = 1, cause?: unknown): KindError {
  return new KindError([{ code, text }], seconds, cause === undefined ? {} : { cause });
}

/** A method that is not taken; `methods` are those that are. Where GET is, HEAD is too, and OPTIONS always. */
export function methodNotAllowed(text: string, methods: readonly string[]): KindError {
  const allow = [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
  return new KindError([{ code: 'route.method', text }], undefined, { allow });
}

/**
 * Work that goes on where a part of what was asked for is stored already: where it is refused with 503, nobody is told
 * that nothing was.
 */
export async function afterPartialWrite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof KindError && error.status === 503 ? asMayBeStored(error) : error;
  }
}

/** The same refusal of what may have been stored all the same. */
export function asMayBeStored(refused: KindError): KindError {
  return refused.withMessages(refused.messages, { mayBeStored: true });
}

/** A message about what stands inside a value, told with the way to it: `country`, and `name: …` become `country.name: …`. */
export function prefixMessage(
  { code, text, parameter, index }: Message,
  way: string,
  place: Pick<FaultLocation, 'index'>,
): Message {
  const prefixError = parameter !== undefined && text.startsWith(parameter);
  return {
    code,
    text: prefixError ? `${way}.${text}` : `${way}: ${text}`,
    parameter: parameter === undefined ? way : `${way}.${parameter}`,
    ...(index !== undefined && { index }),
    ...place,
  };
}

/** A refusal of what stands inside a value, told with the way to it. */
export function inside(error: KindError, way: string, place: Pick<FaultLocation, 'index'> = {}): KindError {
  const [first, ...rest] = error.messages.map((message) => prefixMessage(message, way, place));
  return first ? error.withMessages([first, ...rest]) : error;
}

/** Collects all faults of one input, so that one answer tells them all; where they are legion, as many as an answer may have. */
export class Faults {
  readonly #messages: Message[];
  readonly #way: string | undefined;
  readonly #told: readonly string[];

  constructor(messages: Message[] = [], way?: string, told: readonly string[] = []) {
    this.#messages = messages;
    this.#way = way;
    this.#told = told;
  }

  add(code: ErrorCode, text: string, place: FaultLocation = {}): void {
    if (place.parameter !== undefined && this.#told.includes(place.parameter)) return;
    const message = { code, text, ...place };
    this.#messages.push(this.#way === undefined ? message : prefixMessage(message, this.#way, {}));
    if (this.#messages.length >= LIMITS.faults) this.throwIfAny();
  }

  /** The same faults, for what stands inside a value: each is told with the way to it. */
  within(way: string): Faults {
    return new Faults(this.#messages, this.#way === undefined ? way : `${this.#way}.${way}`);
  }

  /** The same faults, for what does not know that some parameters were told of already. */
  except(told: readonly string[]): Faults {
    return new Faults(this.#messages, this.#way, told);
  }

  /** Takes over the messages of a refusal, putting each at `place` where it names no place of its own. */
  addAll(error: KindError, place: FaultLocation = {}): void {
    for (const { code, text, ...own } of error.messages) this.add(code, text, { ...place, ...own });
  }

  /** `didYouMean` for the next fault, where there are few: to look for names costs more than the faults themselves. */
  hint(unknown: string, known: Iterable<string>): string {
    return this.#messages.length < LIMITS.hints ? didYouMean(unknown, known) : '';
  }

  get any(): boolean {
    return this.#messages.length > 0;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Throws one `KindError` with all messages; does nothing where there are none. */
  throwIfAny(): void {
    const [first, ...rest] = this.#messages;
    if (first) throw new KindError([first, ...rest]);
  }
}
