/**
 * Nest's Express adapter with three optimisations. Express changes the prototype of every request and response, which is
 * slow in V8; here the server creates them with the right prototype. Routes are found by `RouteDispatcher`. And answers
 * are written by `AnswerWriter`.
 */
import http, { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { Answer } from '../answer/answer.js';
import { AnswerWriter } from '../answer/answer.writer.js';
import { deferContinue } from '../body/read-body.js';
import { answerMalformed, MAX_HEAD, writeRefusal } from './malformed-request.js';
import { RouteDispatcher } from './route-dispatcher.js';

const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEAD,
  /** A missing Host header is answered by `headFault`, in the envelope. */
  requireHostHeader: false,
  /** Milliseconds for the headers of a request, from its first byte or the start of the connection. */
  headersTimeout: LIMITS.headSeconds * 1000,
  /**
   * Milliseconds for a whole request, of which Node allows five minutes by default: more than an import may take. All
   * that read a body have deadlines of their own.
   */
  requestTimeout: (LIMITS.transferSeconds + 60) * 1000,
  connectionsCheckingInterval: 1000,
} as const;

/**
 * Constructors whose instances have Express' prototypes. They call Node's constructors on `this`; with
 * `Reflect.construct` objects would have another hidden class, which is slower (measured: 7,800 instead of 46,900
 * requests a second for a constant; 13,000 without either).
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

/** Node's constructors are functions, although their types say classes. */
const callableRequest = IncomingMessage as unknown as (this: IncomingMessage, socket: Socket) => void;
const callableResponse = ServerResponse as unknown as (
  this: ServerResponse,
  request: IncomingMessage,
  options: object,
) => void;

export class FastExpressAdapter extends ExpressAdapter {
  readonly #writer: AnswerWriter;

  /**
   * Exact paths (case and trailing slash), so that rules of a proxy on paths hold. The options must be set before the
   * router is created, with its first route.
   *
   * @param compression whether answers are compressed
   */
  constructor({ compression }: { readonly compression: boolean }) {
    const app = express();
    app.enable('case sensitive routing');
    app.enable('strict routing');
    super(app);
    this.#writer = new AnswerWriter(compression);
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    app.disable('etag');
    app.disable('x-powered-by');
    const { dispatch } = new RouteDispatcher(app);
    const server = http.createServer({ ...constructors(app), ...SERVER_OPTIONS }, (request, response) =>
      dispatch(request as Request, response as Response),
    );
    // 0 means no limit: beyond a limit the parser would drop headers silently. `headFault` counts them.
    server.maxHeadersCount = 0;
    server.on('clientError', answerMalformed);
    server.on('connect', (_, socket) =>
      writeRefusal(socket as Socket, refusal('request.malformed', 'The service is no proxy')),
    );
    server.on('checkContinue', (request, response) => {
      deferContinue(request, response);
      server.emit('request', request, response);
    });
    // Other expectations are ignored.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    this.httpServer = server;
  }

  override status(response: Response, statusCode: number): Response {
    response.statusCode = statusCode;
    return response;
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (!(body instanceof Answer)) return super.reply(response, body, statusCode);
    return this.#writer.write(response.req, response, body);
  }
}
