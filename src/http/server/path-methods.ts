/** Which methods a path takes, as the application's router has it: of the path alone, whatever its ids name. */
import type { RequestHandler } from 'express';
import { methodNotAllowed, refusal, type KindError } from '../../shared/errors.js';
import { loggedPath } from './request-log.js';
import type { HttpRequest } from '../request/request.js';

/** What of Express' router is used here. */
interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, unknown>> };
  match(path: string): unknown;
}

/** `GET`, `PUT`…; empty where there is no such path. @throws Error of status 400 where it is not well-formed */
function methodsOf({ app, path }: HttpRequest): string[] {
  const layers = app.router.stack as unknown as readonly Layer[];
  // The route for whatever has no other takes every path and method.
  const found = layers.filter((layer) => layer.route && !layer.route.path.includes('*') && layer.match(path));
  const methods = found.flatMap(({ route }) => Object.keys(route?.methods ?? {}));
  return [...new Set(methods.map((method) => method.toUpperCase()))];
}

/** The refusal of a request that no route takes: 405 where the path takes other methods, else 404. */
export function unknownRoute(request: HttpRequest): KindError {
  const path = loggedPath(request.path).slice(0, 200);
  const methods = methodsOf(request);
  if (methods.length === 0) return refusal('route.unknown', `No ${request.method} ${path}`);
  return methodNotAllowed(`${path} takes ${methods.join(', ')}, not ${request.method}`, methods);
}

/** `OPTIONS` tells the methods of a path. It asks nothing of a tenant, so it needs no project header. */
export const answerOptions: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS') return next();
  const refused = unknownRoute(request);
  if (!refused.allow) return next(refused);
  response.writeHead(204, { Allow: refused.allow.join(', ') });
  response.end();
};
