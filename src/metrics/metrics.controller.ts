import { Controller, Get, Header, Req, UseInterceptors } from '@nestjs/common';
import { checkAdministrator } from '../access/access.js';
import { type Answer, jsonAnswer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { readQuery } from '../http/route/parse-list-query.js';
import { type RequestScope, Scope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { Metrics, METRICS_TYPE } from './metrics.js';
import { PROJECT_METRICS, ProjectLoads } from './project-loads.js';
import { Readiness } from './readiness.js';

/** Not registered if metrics have a separate address. */
@Controller()
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @ApiRoute({ id: 'metrics', tag: 'Service', needs: 'nothing', summary: 'Numbers for Prometheus', media: 'text/plain' })
  @Header('Content-Type', METRICS_TYPE)
  scrape(): Promise<string> {
    return this.metrics.text();
  }
}

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('health/live')
  @ApiRoute({ id: 'health.live', tag: 'Service', needs: 'nothing', summary: 'Whether it runs', content: 'health' })
  live(): Answer {
    return jsonAnswer({ status: 'ok' });
  }

  @Get('health/ready')
  @ApiRoute({
    id: 'health.ready',
    tag: 'Service',
    needs: 'nothing',
    summary: 'Whether it can serve',
    content: 'health',
    refuses: [503],
  })
  async ready(): Promise<Answer> {
    await this.readiness.check();
    return jsonAnswer({ status: 'ok' });
  }
}

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
    checkAdministrator(caller, 'Only administrators see the numbers of the project');
    const items = await this.loads.lastHour(project.id);
    return jsonAnswer({ count: items.length, items });
  }
}
