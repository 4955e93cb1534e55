/**
 * Runs handlers of routes like Nest's `RouterExecutionContext`, with fewer promises and no observables. It takes over
 * routes whose interceptors are all `PreparingInterceptor`s and that have no guards; all other routes stay with Nest.
 * Nest creates four observables, a subject and ten promises per request for an interceptor, which took 25 µs.
 */
import type { ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { MaybePromise } from '../../shared/maybe-promise.js';
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
} from './nest-internals.js';
import { PreparingInterceptor } from './preparing.interceptor.js';
import { setInvoker } from './route-invokers.js';

/** Runs one route: extracts the arguments, calls the handler and sends its result. */
export type RouteRunner = (request: HttpRequest, response: HttpResponse, next: () => void) => MaybePromise<unknown>;

/** Parameters with which a handler sends the answer itself. */
const RESPONSE_PARAMETERS: readonly unknown[] = [RouteParamtypes.RESPONSE, RouteParamtypes.NEXT];

export class DirectExecutionContext {
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
