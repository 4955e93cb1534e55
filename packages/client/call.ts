/** A call, and how it is refused. */
import { COMMON } from './codes.js';

/** One fault of an answer. */
export interface Message {
  readonly code: string;
  readonly text: string;
  readonly parameter?: string;
  readonly index?: number;
  readonly operation?: number;
  readonly check?: string;
  /** The place in a file that is imported, both from 1. */
  readonly line?: number;
  readonly record?: number;
}

export class KindError extends Error {
  /** The status of the answer; 0 where there is none. */
  readonly status: number;
  /** The code of its first message; `network` where there is no answer. */
  readonly code: string;
  readonly messages: readonly Message[];
  readonly requestId: string | null;
  /** Those of the answer, where there is one. */
  readonly headers: Pick<Headers, 'get'> | undefined;

  constructor(
    status: number,
    code: string,
    messages: readonly Message[] = [{ code, text: withoutMessages(status) }],
    headers?: Pick<Headers, 'get'>,
  ) {
    super(messages.map(({ text }) => text).join('\n') || `${code} (${status})`);
    this.name = 'KindError';
    this.status = status;
    this.code = code;
    this.messages = messages;
    this.headers = headers;
    this.requestId = headers?.get('x-request-id') ?? null;
  }

  /** Whether one of its messages has this code. */
  has(code: string): boolean {
    return this.messages.some((message) => message.code === code);
  }
}

function withoutMessages(status: number): string {
  return status === 0 ? 'The service cannot be reached' : `The answer is not one of this service (${status})`;
}

export type Result<T, C> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: C | 'network' | 'other'; readonly messages: readonly Message[] };

export interface Options {
  readonly signal?: AbortSignal | undefined;
}
export interface WriteOptions extends Options {
  /** Everything is done, answered, and undone. */
  readonly dryRun?: boolean;
}
export interface EditOptions extends WriteOptions {
  /** The `etag` of the unit: if it has changed since, the answer is 412. */
  readonly ifMatch?: string | undefined;
}

/** It is sent once, when it is awaited. */
export class Call<T, C extends string = string> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';
  /** For caches: begins with the project and the member, in whose place this client stands while it is not known. */
  readonly key: readonly unknown[];
  readonly #send: () => Promise<T>;
  readonly #codes: readonly string[];
  #sent: Promise<T> | undefined;

  constructor(key: readonly unknown[], codes: readonly string[], send: () => Promise<T>) {
    this.key = key;
    this.#codes = codes;
    this.#send = send;
  }

  #promise(): Promise<T> {
    return (this.#sent ??= this.#send());
  }

  then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#promise().then(done, failed);
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#promise().catch(failed);
  }

  finally(last?: (() => void) | null): Promise<T> {
    return this.#promise().finally(last);
  }

  /** Tells refusals instead of throwing them. It throws where `signal` ends the call. */
  async result(): Promise<Result<T, C>> {
    try {
      return { ok: true, value: await this.#promise() };
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      const { code, messages } = error;
      const isKnown = code === 'network' || this.#codes.includes(code) || (COMMON as readonly string[]).includes(code);
      return { ok: false, code: isKnown ? (code as C) : 'other', messages };
    }
  }
}
