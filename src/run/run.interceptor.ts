/** Runs the command that a handler returns. Handlers that return an answer have done all themselves. */
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { KEY_HEADER } from '../http/header-names.js';
import { RequestSlot, requestOf, type HttpRequest } from '../http/request/request.js';
import { routeOf } from '../http/route/api-route.js';
import { takeDryRun } from '../http/route/dry-run.js';
import { PreparingInterceptor } from '../http/server/preparing.interceptor.js';
import { refusal } from '../shared/errors.js';
import { CallerResolver } from '../tenancy/caller.js';
import { bodyBytes } from '../tenancy/request-bodies.js';
import { scopeOf } from '../tenancy/request-scope.js';
import { isCommand } from './command.js';
import { KeyedRuns, type RunOptions } from './keyed-run.js';

const optionsOf = new RequestSlot<RunOptions>();

@Injectable()
export class RunInterceptor extends PreparingInterceptor {
  constructor(
    private readonly keyed: KeyedRuns,
    private readonly callers: CallerResolver,
  ) {
    super();
  }

  /** Reads the key, and takes `dry_run` off the URL, before the handler reads it. */
  prepare(context: ExecutionContext): void {
    const request = requestOf(context);
    const key = request.headers[KEY_HEADER] as string | undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead || (key === undefined && !request.url.includes('dry_run'))) return;
    const route = routeOf(context.getHandler());
    if (route?.alone) {
      if (key === undefined || route.keepsAnswers) return;
      throw refusal('idempotency.not_here', 'This address takes no Idempotency-Key');
    }
    const line = `${request.method} ${request.url}`;
    const dryRun = route?.query.includes('dry_run') ? takeDryRun(request) : undefined;
    if (dryRun?.dry || key !== undefined) optionsOf.set(request, { line, dryRun, key });
  }

  override finish(request: HttpRequest, result: unknown): unknown {
    if (!isCommand(result)) return result;
    const options = optionsOf.get(request);
    return this.callers.runAsNow(scopeOf(request), (scope) => {
      const work = this.keyed.runner.begin(scope, result);
      if (options) return this.keyed.run(request, work, options);
      return this.keyed.runner.run(work, (limit) => bodyBytes(request, limit));
    });
  }
}
