/**
 * Ids of the model stand in a path as they are: `/%6Eote/unit` is not the address of `note`, so that what a proxy says of a
 * path holds for all its spellings. Ids of units can have any characters, and are percent-decoded once.
 */
import type { HttpRequest } from './request.js';

/** Names of route parameters that are decoded. */
const DECODED: ReadonlySet<string> = new Set(['unit', 'parent', 'child', 'token']);

/** Gives the route parameters of a request that are not to be decoded as they were written. */
export function keepLiteral(request: HttpRequest): void {
  const { path, params } = request;
  const route = request.route as { readonly path?: unknown } | undefined;
  if (!path.includes('%') || typeof route?.path !== 'string') return;
  const written = path.split('/');
  for (const [at, part] of route.path.split('/').entries()) {
    const name = part.slice(1);
    if (part.startsWith(':') && !DECODED.has(name)) params[name] = written[at] ?? '';
  }
}
