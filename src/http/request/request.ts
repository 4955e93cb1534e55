/** The types of requests and responses. */
import type { Request, Response } from 'express';

export type HttpRequest = Request;
export type HttpResponse = Response;

/** The header with the request id. */
export const REQUEST_ID = 'x-request-id';
