import { Controller, Get, Req, UseInterceptors } from '@nestjs/common';
import { authorizeAdministrator } from '../access/access.js';
import { accessReport } from '../access/report.js';
import { reportJson } from '../access/report-changes.js';
import { Catalog } from '../catalog/catalog.service.js';
import { type Answer, jsonAnswerInPieces } from '../http/answer/answer.js';
import { ApiRoute } from '../http/route/api-route.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import type { HttpRequest } from '../http/request/request.js';
import { KIND_KIND } from '../model/built-in-traits.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { runYielding } from '../shared/work-in-pieces.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { FunctionRegistry } from './load/module-registry.js';

/** Who may do what in a project, also with custom functions, which no lower layer knows. */
@Controller('api/lib/kind')
@UseInterceptors(TenancyInterceptor)
export class AccessReportController {
  constructor(
    private readonly catalog: Catalog,
    private readonly registry: FunctionRegistry,
  ) {}

  @Get('access')
  @ApiRoute({
    id: 'kind.access_report',
    tag: 'Kinds',
    kind: KIND_KIND,
    needs: 'bearer',
    rights: ['read'],
    administrators: true,
    summary: 'Tell who may do what',
    description: 'With units, links, functions, endpoints and fields; the most open first.',
    content: 'accessReport',
  })
  report(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.catalog.withCheckedModel(scope, async (model) => {
      authorizeAdministrator(model, KIND_KIND, scope.caller);
      refuseQuery(request.url);
      const called = this.registry.current.calledIn(scope.project.id);
      const yielder = new EventLoopYield(scope.project.schema);
      const found = await runYielding(accessReport(model, called, { builtIn: true }), yielder);
      return jsonAnswerInPieces(reportJson(found, model), yielder);
    });
  }
}
