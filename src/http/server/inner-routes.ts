/** Finds routes for operations of batches, in the router of the application, and makes the requests for them. */
import { Injectable } from '@nestjs/common';
import type { Express } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { routeOf, type DescribedRoute } from '../route/api-route.js';
import type { HttpRequest } from '../request/request.js';
import { unknownRoute } from './path-methods.js';
import { invokerOf, type RouteInvoker } from './direct-execution.context.js';
import { insideOf, type RouterRoute } from './nest-internals.js';
import { RouteTable } from './route-table.js';

/** A route, and the request with which it is called. */
export interface InnerRoute {
  /** Undefined for routes that the API document does not describe. */
  readonly description: DescribedRoute | undefined;
  /** Undefined for routes that send their answer themselves. */
  readonly invoke: RouteInvoker | undefined;
  readonly request: HttpRequest;
}

interface InnerRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

@Injectable()
export class InnerRoutes {
  #app: Express | undefined;
  #table: RouteTable | undefined;

  /** Called once, when the routes of the application are registered. */
  use(app: Express): void {
    this.#app = app;
  }

  /** @throws KindError 404, 405 if there is no such route; Error with status 400 for a malformed path */
  find({ method, url, headers }: InnerRequest): InnerRoute {
    if (!this.#app) throw new Error('there is no application with routes');
    const request = Object.create(this.#app.request) as HttpRequest;
    Object.assign(request, { method, url, originalUrl: url, headers });
    const found = this.#find(request);
    const handle = found?.route.stack[0]?.handle;
    if (!found || !handle || isFallback(found.route)) throw unknownRoute(request);
    request.params = found.params;
    return { description: routeOf(handle), invoke: invokerOf(handle), request };
  }

  #find(request: HttpRequest): { route: RouterRoute; params: Record<string, string> } | undefined {
    const layers = insideOf(request.app.router).stack;
    if (this.#table?.size !== layers.length) this.#table = new RouteTable(layers);
    const simple = this.#table.find(request.method, request.url);
    if (simple) return simple;
    for (const layer of layers) {
      const { route } = layer;
      const match = route?._handlesMethod(request.method) === true && layer.match(request.path);
      if (route && match) return { route, params: match.params };
    }
    return undefined;
  }
}

/** The route of all paths without another one. */
function isFallback({ path }: RouterRoute): boolean {
  return typeof path === 'string' && path.includes('*');
}
