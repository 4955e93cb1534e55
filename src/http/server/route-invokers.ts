/** How the handler of a route is called for a request that did not come over HTTP, such as an operation of a batch. */
import type { HttpRequest } from '../request/request.js';

/** Calls the handler without interceptors, so that the scope of the request must be set. Returns what it returns. */
export type RouteInvoker = (request: HttpRequest) => Promise<unknown>;

const invokers = new WeakMap<object, RouteInvoker>();

/** @param handle a function of the router */
export function setInvoker(handle: object, invoke: RouteInvoker): void {
  invokers.set(handle, invoke);
}

/** Undefined for a handler that sends its answer itself. */
export function invokerOf(handle: object): RouteInvoker | undefined {
  return invokers.get(handle);
}
