/** Finds the methods of a path in the router. Only the path counts, not whether its ids exist. */
import type { RequestHandler } from 'express';
import { methodNotAllowed, refusal, type KindError } from '../../shared/errors.js';
import { loggedPath } from './request-log.js';
import type { HttpRequest } from '../request/request.js';

/** The part of Express' router that is used here. */
interface RouterLayer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, unknown>> };
  match(path: string): { readonly params: Readonly<Record<string, unknown>> } | false;
}

/** `GET`, `PUT`…; empty if there is no such path. @throws Error with status 400 if the path is malformed */
function methodsOf({ app, path }: Pick<HttpRequest, 'app' | 'path'>): string[] {
  const layers = app.router.stack as unknown as readonly RouterLayer[];
  const found = layers.filter((layer) => layer.route && isPath(layer.match(path)));
  const methods = found.flatMap(({ route }) => Object.keys(route?.methods ?? {}));
  return [...new Set(methods.map((method) => method.toUpperCase()))];
}

/** Whether a path was matched without a wildcard, which stands for paths that are not there. */
function isPath(match: ReturnType<RouterLayer['match']>): boolean {
  return match !== false && !Object.values(match.params).some(Array.isArray);
}

/** The error for a request without a route: 405 if the path has other methods, else 404. */
export function unknownRoute(request: Pick<HttpRequest, 'app' | 'path' | 'method'>): KindError {
  const path = loggedPath(request.path).slice(0, 200);
  const methods = methodsOf(request);
  if (methods.length === 0) return refusal('route.unknown', `No ${request.method} ${path}`);
  return methodNotAllowed(`${path} takes ${methods.join(', ')}, not ${request.method}`, methods);
}

/** Answers `OPTIONS` with the methods of a path. It needs no project header. */
export const answerOptions: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS') return next();
  const refused = unknownRoute(request);
  if (!refused.allow) return next(refused);
  response.writeHead(204, { Allow: refused.allow.join(', ') });
  response.end();
};
