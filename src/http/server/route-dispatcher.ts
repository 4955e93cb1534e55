/**
 * Passes a request through the middleware of an Express application to its route, as Express would. Everything out of
 * the ordinary is left to Express: errors, handlers that call `next`, `OPTIONS`, paths without a simple route.
 */
import { tracingChannel } from 'node:diagnostics_channel';
import express, { type Express, type Router } from 'express';
import { type HttpRequest, type HttpResponse, RequestSlot } from '../request/request.js';
import { handleWith, insideOf, type RouterLayer } from './nest-internals.js';
import { RouteTable, type FoundRoute } from './route-table.js';

type Next = (error?: unknown) => void;
type Handle = (request: HttpRequest, response: HttpResponse, next: Next | undefined) => unknown;

/** Channels of Express for tools that trace requests. They get their events from Express alone. */
const tracing = tracingChannel('express.router.request');

/** What a handler has passed to `next`. */
const passedErrors = new RequestSlot<unknown>();

export class RouteDispatcher {
  #table: RouteTable | undefined;
  /** Applications that continue after a layer, by its position. */
  readonly #continued = new Map<number, Express>();

  constructor(private readonly app: Express) {}

  readonly dispatch = (request: HttpRequest, response: HttpResponse): void => {
    const layers = this.#layers();
    const found = layers && this.#tableOf(layers).find(request.method, request.url);
    if (layers && found) this.#run(request, response, layers, found);
    else this.app(request, response);
  };

  /** Undefined if only Express can walk its router. */
  #layers(): readonly RouterLayer[] | undefined {
    const { caseSensitive, strict, params, stack } = insideOf(this.app.router);
    const plain = caseSensitive === true && strict === true && Object.keys(params).length === 0;
    return plain && !isTraced() ? stack : undefined;
  }

  /** Made again if layers were added. */
  #tableOf(layers: readonly RouterLayer[]): RouteTable {
    if (this.#table?.size === layers.length) return this.#table;
    this.#continued.clear();
    return (this.#table = new RouteTable(layers));
  }

  #run(request: HttpRequest, response: HttpResponse, layers: readonly RouterLayer[], found: FoundRoute): void {
    let at = -1;
    const next = (error?: unknown): void => {
      if (error || at >= found.at) return this.#continue(request, response, at + 1, error);
      do at += 1;
      while (at < found.at && !isMiddleware(layers[at]));
      if (at === found.at) {
        request.route = found.route;
        request.params = found.params;
        call(found.route.stack[0]?.handle as Handle, request, response, next);
      } else {
        request.params = {};
        call(layers[at]?.handle as Handle, request, response, next);
      }
    };
    request.res = response;
    response.locals = Object.create(null) as HttpResponse['locals'];
    request.baseUrl = '';
    request.originalUrl = request.url;
    request.next = next;
    next();
  }

  /** Lets Express continue with the layers from a position on. */
  #continue(request: HttpRequest, response: HttpResponse, from: number, error: unknown): void {
    passedErrors.set(request, error);
    handleWith(this.app, this.#continuedFrom(from), request, response);
  }

  #continuedFrom(from: number): Express {
    const known = this.#continued.get(from);
    if (known) return known;
    const { app } = this;
    const router = express.Router({ caseSensitive: true, strict: true });
    router.use((request, _, next) => next(passedErrors.get(request)));
    insideOf(router).stack.push(...insideOf(app.router).stack.slice(from));
    const continued = Object.create(app, { router: { value: router satisfies Router } }) as Express;
    this.#continued.set(from, continued);
    return continued;
  }
}

function isTraced(): boolean {
  const { start, end, asyncStart, asyncEnd, error } = tracing;
  return (
    start.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers
  );
}

/** Middleware for all paths; functions with four parameters are for errors. */
function isMiddleware(layer: RouterLayer | undefined): boolean {
  return layer !== undefined && !layer.route && layer.slash && layer.handle.length <= 3;
}

function call(handle: Handle, request: HttpRequest, response: HttpResponse, next: Next): void {
  try {
    const result = handle(request, response, next) as PromiseLike<unknown> | null | undefined;
    if (typeof result?.then === 'function') {
      result.then(undefined, (error: unknown) => next(error || new Error('Rejected promise')));
    }
  } catch (error) {
    next(error);
  }
}
