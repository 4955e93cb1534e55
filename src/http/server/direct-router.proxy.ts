/** Passes errors of a route to its exception filters, like Nest's `RouterProxy`, without a promise of its own. */
import type { HttpRequest, HttpResponse } from '../request/request.js';
import type { RouteRunner } from './direct-execution.context.js';
import { ExecutionContextHost, RouterProxy, type ExceptionsHandler } from './nest-internals.js';
import { invokerOf, setInvoker } from './route-invokers.js';

type Next = (error?: unknown) => void;

export class DirectRouterProxy extends RouterProxy {
  // Express uses the returned promise only for its rejection, which is passed to `next` here.
  override createProxy(run: RouteRunner, exceptions: ExceptionsHandler): never {
    const handle = (request: HttpRequest, response: HttpResponse, next: Next): void => {
      const fail = (error: unknown): void => {
        try {
          exceptions.next(error as Error, new ExecutionContextHost([request, response, next]));
        } catch (unhandled) {
          next(unhandled);
        }
      };
      try {
        const running = run(request, response, next);
        if (running instanceof Promise) running.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    const invoke = invokerOf(run);
    if (invoke) setInvoker(handle, invoke);
    return handle as never;
  }
}
