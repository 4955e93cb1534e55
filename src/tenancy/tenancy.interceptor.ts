/**
 * The interceptor that all modules share: for the tenant that `kind-project-key` names it makes the body ready to be
 * read, by whoever has checked that the caller may send one.
 */
import {
  Inject,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.token.js';
import { parseBody, readBody } from '../http/body.js';
import { clientAddress } from '../http/client-address.js';
import { RequestSlot } from '../http/request-slot.js';
import type { HttpRequest, HttpResponse } from '../http/request.js';
import { LIMITS } from '../shared/limits.js';
import { scopeOf } from './request-scope.js';

type Bytes = Promise<Buffer | undefined>;

/**
 * The setting that says how long a body may be: units of users' kinds may be large, and many at once. `small` is for what
 * needs little, and perhaps comes from anybody.
 */
export type BodyLimit = 'bodyLimit' | 'bodyLimitUnits' | 'small';

const bodies = new RequestSlot<(limit: BodyLimit) => Bytes>('body');

@Injectable()
export class TenancyInterceptor implements NestInterceptor {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    const response = http.getResponse<HttpResponse>();
    let bytes: Bytes | undefined;
    const read = (limit: BodyLimit): Bytes => {
      const { project, caller } = scopeOf(request);
      const address = caller.type === 'anonymous' ? clientAddress(request) : undefined;
      return readBody(request, response, { project: project.id, address, limit: this.#bytesOf(limit) });
    };
    bodies.set(request, (limit) => (bytes ??= read(limit)));
    return next.handle();
  }

  #bytesOf(limit: BodyLimit): number {
    return limit === 'small' ? Math.min(LIMITS.smallBody, this.config.bodyLimit) : this.config[limit];
  }
}

/**
 * For handlers, or whole controllers, that read a body. Those that don't go without: an interceptor costs a request some
 * 25 µs, a sixth of a get (measured: Nest puts four observables around a handler that has one).
 */
export const TakesBody = () => UseInterceptors(TenancyInterceptor);

/** Reads the bytes of a request's body, once; undefined where it has none. @throws KindError 400, 413, 415, 503 */
export function bytesOf(request: object, limit: BodyLimit = 'bodyLimit'): Bytes {
  const read = bodies.get(request);
  if (!read) throw new Error('the body can not be read: its route lacks @TakesBody()');
  return read(limit);
}

/** The body of a request as JSON; undefined where it has none. @throws KindError 400, 413, 415, 503 */
export async function jsonOf(request: HttpRequest, limit?: BodyLimit): Promise<unknown> {
  return parseBody(await bytesOf(request, limit), request.headers['content-type']);
}
