/** The types of requests and responses. */
import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

export type HttpRequest = Request;
export type HttpResponse = Response;

/** The request of a handler. `switchToHttp()` returns the same, but creates three functions per call. */
export function requestOf(context: ExecutionContext): HttpRequest {
  return context.getArgByIndex<HttpRequest>(0);
}

const VALUES = Symbol('values of slots');

interface WithValues {
  [VALUES]?: unknown[];
}

let slots = 0;

/**
 * A value attached to a request, such as its id. All values of a request are in one list, so that it gets only one
 * property more. (Entries of a WeakMap burden the garbage collector: four of them took a tenth of a small request.)
 */
export class RequestSlot<T> {
  readonly #at = slots++;

  get(request: object): T | undefined {
    return (request as WithValues)[VALUES]?.[this.#at] as T | undefined;
  }

  set(request: object, value: T): void {
    const values = ((request as WithValues)[VALUES] ??= new Array<unknown>(slots).fill(undefined));
    values[this.#at] = value;
  }
}
