/** The request as the service's own code sees it: Express' one, with the request context on it. */
import type { Request, Response } from 'express';

export type HttpRequest = Request;
export type HttpResponse = Response;

/** The header with the id of a request: what the client (or a proxy) sent where it is harmless, else a new one. */
export const REQUEST_ID = 'x-request-id';
