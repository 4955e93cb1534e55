/** Finds the methods of a path in the router. Only the path counts, not whether its ids exist. */
import type { RequestHandler } from 'express';
import { FIXED_KINDS } from '../../model/built-in/built-in.js';
import { methodNotAllowed, refusal, type KindError } from '../../shared/errors.js';
import { routeOf } from '../route/api-route.js';
import { insideOf, type RouterRoute } from './nest-internals.js';
import { loggedPath } from './request-log.js';
import type { HttpRequest } from '../request/request.js';

type Params = Readonly<Record<string, unknown>>;

const BUILT_IN: ReadonlySet<unknown> = new Set(FIXED_KINDS);
/** Routes that built-in kinds have only as a variant: writes of many units, links, functions. */
const OF_USERS_KINDS: ReadonlySet<unknown> = new Set(['bulk', 'imported', 'linkable', 'none']);

/** `GET`, `PUT`…; empty if there is no such path. @throws Error with status 400 if the path is malformed */
function methodsOf({ app, path }: Pick<HttpRequest, 'app' | 'path'>): string[] {
  const methods = insideOf(app.router).stack.flatMap((layer) => {
    const match = layer.route && layer.match(path);
    return layer.route &&
      match &&
      !refusesAll(layer.route) &&
      isPath(match.params) &&
      isAnswered(layer.route, match.params)
      ? Object.keys(layer.route.methods)
      : [];
  });
  return [...new Set(methods.map((method) => method.toUpperCase()))];
}

/** Whether a route is for all methods, which it refuses. No other one takes TRACE. */
function refusesAll({ methods }: RouterRoute): boolean {
  return '_all' in methods || 'trace' in methods;
}

/** Whether a path was matched without a wildcard, which stands for paths that are not there. */
function isPath(params: Params): boolean {
  return !Object.values(params).some(Array.isArray);
}

/** False for what a built-in kind always refuses. */
function isAnswered({ path, stack }: RouterRoute, params: Params): boolean {
  const described = stack[0] && routeOf(stack[0].handle);
  if (!BUILT_IN.has(params['kind_id'] ?? params['parent_kind_id']) || !OF_USERS_KINDS.has(described?.of)) return true;
  const segments = String(path)
    .split('/')
    .map((segment) => (segment.startsWith(':') ? params[segment.slice(1)] : segment));
  return described?.variants.some((variant) => isOf(segments, variant.split('/'))) ?? false;
}

/** Whether a path has the form of one whose parameters are in braces. */
function isOf(segments: readonly unknown[], form: readonly string[]): boolean {
  return form.every((expected, at) => expected.startsWith('{') || expected === segments[at]);
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
