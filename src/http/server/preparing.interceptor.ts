/**
 * An interceptor that only works before the handler: it reads or checks the request, and leaves the handler's result as
 * it is. Nest runs it like any other interceptor. `DirectExecutionContext` runs it without creating observables.
 */
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js';

export abstract class PreparingInterceptor implements NestInterceptor {
  /** Called once per request. If it throws or rejects, the handler is not called. */
  abstract prepare(context: ExecutionContext): MaybePromise<void>;

  intercept(context: ExecutionContext, next: CallHandler): MaybePromise<Observable<unknown>> {
    return andThen(this.prepare(context), () => next.handle());
  }
}

/** Runs a handler, more than once if need be, and returns the answer. */
export type RunAround = (invoke: () => Promise<unknown>) => Promise<unknown>;

/** An interceptor that may run the handler inside something else, such as a transaction. */
export abstract class AroundInterceptor extends PreparingInterceptor {
  /** Undefined if the handler of this request runs as usual, which costs nothing. */
  abstract around(context: ExecutionContext): RunAround | undefined;

  prepare(): void {
    // Works around the handler only.
  }

  override intercept(context: ExecutionContext, next: CallHandler): MaybePromise<Observable<unknown>> {
    const run = this.around(context);
    return run ? from(run(() => firstValueFrom(next.handle()))) : next.handle();
  }
}
