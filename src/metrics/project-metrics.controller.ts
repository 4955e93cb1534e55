import { Controller, Get, Req, UseInterceptors } from '@nestjs/common';
import { accessDenied } from '../access/access.js';
import { jsonAnswer, type Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { readQuery } from '../http/route/parse-list-query.js';
import { knowsWholeProject } from '../tenancy/caller.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { PROJECT_METRICS, ProjectLoads } from './project-loads.js';

/** The numbers of one project, for its administrators; never those of others. */
@Controller(PROJECT_METRICS)
@UseInterceptors(TenancyInterceptor)
export class ProjectMetricsController {
  constructor(private readonly loads: ProjectLoads) {}

  @Get()
  @ApiRoute({
    id: 'project.metrics',
    tag: 'Service',
    needs: 'bearer',
    administrators: true,
    summary: 'Requests of the project, by minute',
    description: 'Of the last hour, as far as the service has run, in all of its processes on this host.',
    content: 'minutes',
    alone: true,
    refuses: [403, 503],
  })
  async lastHour(@Scope() { project, caller }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    readQuery(request.url, []);
    if (!knowsWholeProject(caller)) throw accessDenied(caller, 'Only administrators see the numbers of the project');
    const items = await this.loads.lastHour(project.id);
    return jsonAnswer({ count: items.length, items });
  }
}
