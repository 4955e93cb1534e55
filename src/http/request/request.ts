/** The types of requests and responses. */
import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

export type HttpRequest = Request;
export type HttpResponse = Response;

/** The request of a handler. `switchToHttp()` returns the same, but creates three functions per call. */
export function requestOf(context: ExecutionContext): HttpRequest {
  return context.getArgByIndex<HttpRequest>(0);
}
