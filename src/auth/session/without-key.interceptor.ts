/** Refuses idempotency keys: what these endpoints answer is secret, or counts attempts. */
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { KEY_HEADER } from '../../http/request/header-names.js';
import { requestOf } from '../../http/request/request.js';
import { PreparingInterceptor } from '../../http/server/preparing.interceptor.js';
import { refusal } from '../../shared/errors.js';

@Injectable()
export class WithoutKeyInterceptor extends PreparingInterceptor {
  /** @throws KindError 400 */
  prepare(context: ExecutionContext): void {
    const { method, headers } = requestOf(context);
    if (method === 'GET' || method === 'HEAD' || headers[KEY_HEADER] === undefined) return;
    throw refusal('idempotency.not_here', 'Authentication takes no Idempotency-Key', { parameter: KEY_HEADER });
  }
}
