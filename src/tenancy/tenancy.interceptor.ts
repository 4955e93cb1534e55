/**
 * The interceptor that all modules share: it opens the context of the tenant that `kind-project-key` names, and reads
 * the body, now that the request was let in.
 */
import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.token.js';
import { readBody } from '../http/body.js';
import type { HttpRequest, HttpResponse } from '../http/request.js';
import { RESERVED_KINDS } from '../model/built-in.js';

const bodies = new WeakMap<object, Buffer>();
const UNIT_BODY = /^\/api\/lib\/([^/]+)\/unit(?:\/[^/]+)?\/?$/;

@Injectable()
export class TenancyInterceptor implements NestInterceptor {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    if (request.method === 'GET') return next.handle();
    const bytes = await readBody(request, http.getResponse<HttpResponse>(), this.#limit(request.path));
    if (bytes) bodies.set(request, bytes);
    return next.handle();
  }

  /** Units of users' kinds may be large, and many at once. */
  #limit(path: string): number {
    const kind = UNIT_BODY.exec(path)?.[1];
    const large = kind !== undefined && !RESERVED_KINDS.has(kind);
    return large ? this.config.bodyLimitUnits : this.config.bodyLimit;
  }
}

/** The bytes of a request's body; undefined where it has none. */
export function bodyOf(request: object): Buffer | undefined {
  return bodies.get(request);
}
