/**
 * Runs handlers of routes like Nest's `RouterExecutionContext`, with fewer promises and no observables. It takes over
 * routes whose interceptors are all `PreparingInterceptor`s and that have no guards; all other routes stay with Nest.
 * Nest creates four observables, a subject and ten promises per request for an interceptor, which took 25 µs.
 */
import type { ExecutionContext, NestInterceptor, INestApplication } from '@nestjs/common';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { Answer } from '../answer/answer.js';
import type { HttpRequest, HttpResponse } from '../request/request.js';
import {
  ContextUtils,
  ExecutionContextHost,
  markRejectedByPipes,
  RouteParamtypes,
  STATIC_CONTEXT,
  type CreateArguments,
  type NestExecutionContext,
  RouterProxy,
  type ExceptionsHandler,
  explorerOf,
  RouterExecutionContext,
} from './nest-internals.js';
import { PreparingInterceptor } from './preparing.interceptor.js';

/** Runs one route: extracts the arguments, calls the handler and sends its result. */
type RouteRunner = (request: HttpRequest, response: HttpResponse, next: () => void) => MaybePromise<unknown>;

/** Parameters with which a handler sends the answer itself. */
const RESPONSE_PARAMETERS: readonly unknown[] = [RouteParamtypes.RESPONSE, RouteParamtypes.NEXT];

class DirectExecutionContext {
  readonly #utils = new ContextUtils();

  constructor(private readonly nest: NestExecutionContext) {}

  create(...args: CreateArguments): RouteRunner {
    return this.#direct(...args) ?? (this.nest.create(...args) as RouteRunner);
  }

  /** Undefined if the route needs what only Nest's own implementation has. */
  #direct(...args: CreateArguments): RouteRunner | undefined {
    const [instance, callback, methodName, moduleKey, requestMethod, contextId = STATIC_CONTEXT] = args;
    const { nest } = this;
    if (contextId !== STATIC_CONTEXT) return undefined;
    if (nest.guardsContextCreator.create(instance, callback, moduleKey).length > 0) return undefined;
    const interceptors = nest.interceptorsContextCreator.create(instance, callback, moduleKey);
    if (!interceptors.every(isPreparing)) return undefined;
    const metadata = nest.getMetadata(instance, callback, methodName, moduleKey, requestMethod, 'http');
    if (metadata.isSseHandler || metadata.hasCustomHeaders) return undefined;

    const { argsLength, httpStatusCode, paramtypes } = metadata;
    const handleResponse = metadata.fnHandleResponse as (...args: unknown[]) => Promise<unknown>;
    const parameters = this.#utils.mergeParamsMetatypes(metadata.getParamsMetadata(moduleKey), paramtypes);
    const pipes = nest.pipesContextCreator.create(instance, callback, moduleKey);
    const applyPipes = nest.createPipesFn(pipes, parameters);
    const adapter = nest.applicationRef;
    // A handler of such a route may return an `Answer` that is not to be sent, or not as it is.
    const sendsItself =
      parameters.some(({ type }) => RESPONSE_PARAMETERS.includes(type)) ||
      nest.reflectRenderTemplate(callback) !== undefined ||
      nest.reflectRedirect(callback) !== undefined;

    const send = (result: unknown, request: HttpRequest, response: HttpResponse): MaybePromise<unknown> =>
      result instanceof Answer && !sendsItself
        ? adapter.reply(response, result, httpStatusCode)
        : handleResponse(result, response, request);

    const handle = (request: HttpRequest, response: HttpResponse, next: () => void): unknown => {
      const values = new Array<unknown>(argsLength).fill(undefined);
      const pending = applyPipes?.(values, request, response, next);
      return pending
        ? afterPipes(pending, request, () => callback.apply(instance, values))
        : callback.apply(instance, values);
    };
    const finish = (result: unknown, request: HttpRequest): unknown =>
      interceptors.reduceRight((value, interceptor) => interceptor.finish(request, value), result);
    const call = (context: ExecutionContextHost): MaybePromise<unknown> => {
      const [request, response, next] = context.getArgs<[HttpRequest, HttpResponse, () => void]>();
      const handled = handle(request, response, next);
      const result = isThenable(handled) ? handled.then((value) => finish(value, request)) : finish(handled, request);
      return isThenable(result)
        ? result.then((value) => send(value, request, response))
        : send(result, request, response);
    };

    const controller = instance.constructor as never;
    const runner: RouteRunner = (request, response, next) => {
      adapter.status(response, httpStatusCode);
      const context = new ExecutionContextHost([request, response, next], controller, callback);
      const prepared = prepareAll(interceptors, context, 0);
      return prepared ? prepared.then(() => call(context)) : call(context);
    };
    if (!sendsItself) {
      setInvoker(runner, async (request) => handle(request, undefined as never, () => undefined));
    }
    return runner;
  }
}

function isPreparing(interceptor: NestInterceptor): interceptor is PreparingInterceptor {
  return interceptor instanceof PreparingInterceptor;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** Runs the interceptors in their order, each after the one before has finished. */
function prepareAll(
  interceptors: readonly PreparingInterceptor[],
  context: ExecutionContext,
  from: number,
): Promise<void> | undefined {
  for (let at = from; at < interceptors.length; at++) {
    const prepared = interceptors[at]?.prepare(context);
    if (prepared instanceof Promise) return prepared.then(() => prepareAll(interceptors, context, at + 1));
  }
  return undefined;
}

/** Calls the handler when the pipes have transformed its arguments. Nest marks requests that they rejected. */
function afterPipes(pending: Promise<unknown>, request: HttpRequest, work: () => unknown): Promise<unknown> {
  const rejected = (error: unknown): never => {
    markRejectedByPipes(request);
    throw error;
  };
  return pending.then(undefined, rejected).then(work);
}

type Next = (error?: unknown) => void;

class DirectRouterProxy extends RouterProxy {
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

/** @throws Error if the installed version of Nest is built differently */
export function installDirectRoutes(app: INestApplication): void {
  const explorer = explorerOf(app);
  const nest = explorer?.executionContextCreator;
  if (!explorer || !(nest instanceof RouterExecutionContext) || !(explorer.routerProxy instanceof RouterProxy))
    throw new Error('this version of @nestjs/core has no RouterExplorer with the parts that are replaced');
  explorer.executionContextCreator = new DirectExecutionContext(nest as unknown as NestExecutionContext);
  explorer.routerProxy = new DirectRouterProxy();
}

/** Calls the handler without interceptors, so that the scope of the request must be set. Returns what it returns. */
export type RouteInvoker = (request: HttpRequest) => Promise<unknown>;

const invokers = new WeakMap<object, RouteInvoker>();

/** @param handle a function of the router */
function setInvoker(handle: object, invoke: RouteInvoker): void {
  invokers.set(handle, invoke);
}

/** Undefined for a handler that sends its answer itself. */
export function invokerOf(handle: object): RouteInvoker | undefined {
  return invokers.get(handle);
}
