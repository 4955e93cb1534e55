/** The types of requests and responses. */
import type { Request, Response } from 'express';

export type HttpRequest = Request;
export type HttpResponse = Response;
