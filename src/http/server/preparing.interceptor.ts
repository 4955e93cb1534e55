/**
 * An interceptor that only works before the handler: it reads or checks the request, and leaves the handler's result as
 * it is. Nest runs it like any other interceptor. `DirectExecutionContext` runs it without creating observables.
 */
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js';

export abstract class PreparingInterceptor implements NestInterceptor {
  /** Called once per request. If it throws or rejects, the handler is not called. */
  abstract prepare(context: ExecutionContext): MaybePromise<void>;

  intercept(context: ExecutionContext, next: CallHandler): MaybePromise<Observable<unknown>> {
    return andThen(this.prepare(context), () => next.handle());
  }
}
