/** The path of a route, for metrics and traces. */

/** The route of a request: an object of Express' router, the same for all its requests. */
export interface Route {
  readonly path: unknown;
}

/** With the names of its parameters in braces, as in the API document; undefined without a route. */
export function routePath(route: Route | undefined): string | undefined {
  return typeof route?.path === 'string' ? route.path.replace(/:(\w+)/g, '{$1}') : undefined;
}
