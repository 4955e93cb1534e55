/**
 * An interceptor that works before the handler, where it reads or checks the request, and may replace the handler's
 * result after it. Nest runs it like any other interceptor. `DirectExecutionContext` runs it without creating observables.
 */
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { mergeMap, type Observable } from 'rxjs';
import { andThen, type MaybePromise } from '../../shared/work-in-pieces.js';
import { requestOf, type HttpRequest } from '../request/request.js';

export abstract class PreparingInterceptor implements NestInterceptor {
  /** Called once per request. If it throws or rejects, the handler is not called. */
  abstract prepare(context: ExecutionContext): MaybePromise<void>;

  /** What is answered in place of the handler's result. */
  finish(_request: HttpRequest, result: unknown): unknown {
    return result;
  }

  intercept(context: ExecutionContext, next: CallHandler): MaybePromise<Observable<unknown>> {
    const request = requestOf(context);
    return andThen(this.prepare(context), () =>
      next.handle().pipe(mergeMap(async (result) => this.finish(request, result))),
    );
  }
}
