/**
 * Nest's Express adapter, made fast in two places:
 * Express sets the prototype of every request and response, which costs V8 far more than all else it does; here the
 * server makes them with the right prototype from the start, so that setting it changes nothing. And answers are
 * written with one `writeHead` and `end`.
 */
import http, { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { Answer, envelope } from '../answer/answer.js';
import { etagMatches } from '../answer/etag.js';
import { deferContinue } from '../request/expectation.js';
import { answerMalformed, MAX_HEAD, writeRefusal } from './malformed-request.js';
import { varyOf } from '../answer/vary.js';

const JSON_TYPE = 'application/json; charset=utf-8';

const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEAD,
  /** A request without it is told so, in the envelope. */
  requireHostHeader: false,
  /** Milliseconds for the head of a request, from the first byte of it or from the beginning of its connection. */
  headersTimeout: LIMITS.headSeconds * 1000,
  connectionsCheckingInterval: 1000,
} as const;

/**
 * Constructors whose instances have Express' prototypes. They call Node's own on themselves: `Reflect.construct` would
 * make an object of another shape, and costs more than it saves (measured: 7,800 against 46,900 requests a second for
 * a constant, 13,000 without either).
 */
function constructors(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  function FastRequest(this: IncomingMessage, socket: Socket): void {
    callableRequest.call(this, socket);
  }
  FastRequest.prototype = app.request;
  function FastResponse(this: ServerResponse, request: IncomingMessage, options: object): void {
    callableResponse.call(this, request, options);
  }
  FastResponse.prototype = app.response;
  return {
    IncomingMessage: FastRequest as unknown as typeof IncomingMessage,
    ServerResponse: FastResponse as unknown as typeof ServerResponse,
  };
}

/** Node's constructors are functions, not classes, whatever their types say. */
const callableRequest = IncomingMessage as unknown as (this: IncomingMessage, socket: Socket) => void;
const callableResponse = ServerResponse as unknown as (
  this: ServerResponse,
  request: IncomingMessage,
  options: object,
) => void;

export class FastExpressAdapter extends ExpressAdapter {
  /** A path has one spelling, so that what a proxy says of it holds. The router is made with the first thing put into it. */
  constructor() {
    const app = express();
    app.enable('case sensitive routing');
    app.enable('strict routing');
    super(app);
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    app.disable('etag');
    app.disable('x-powered-by');
    const server = http.createServer({ ...constructors(app), ...SERVER_OPTIONS }, app);
    // The parser would leave the others out; `headFault` counts them.
    server.maxHeadersCount = 0;
    server.on('clientError', answerMalformed);
    server.on('connect', (_, socket) =>
      writeRefusal(socket as Socket, refusal('request.malformed', 'The service is no proxy')),
    );
    server.on('checkContinue', (request, response) => {
      deferContinue(request, response);
      server.emit('request', request, response);
    });
    // Whatever else a client expects is not for this service to judge.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    this.httpServer = server;
  }

  override status(response: Response, statusCode: number): Response {
    response.statusCode = statusCode;
    return response;
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (!(body instanceof Answer)) return super.reply(response, body, statusCode);
    writeAnswer(response.req, response, body);
    return undefined;
  }
}

/** Writes an answer: 200, or 304 where `If-None-Match` still fits. */
function writeAnswer(request: Request, response: Response, answer: Answer): void {
  const { etag } = answer;
  const vary = varyOf(response);
  if (etag !== undefined && READS.has(request.method) && etagMatches(request.headers['if-none-match'], etag)) {
    response.writeHead(304, { ETag: etag, Vary: vary });
    response.end();
    return;
  }
  const text = envelope(answer.content);
  const headers: Record<string, string | number> = {
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(text),
    Vary: vary,
    'X-Content-Type-Options': 'nosniff',
  };
  if (etag !== undefined) headers['ETag'] = etag;
  response.writeHead(200, headers);
  response.end(request.method === 'HEAD' ? undefined : text);
}

const READS = new Set(['GET', 'HEAD']);
