import { Controller, Inject, Post, Req, UseInterceptors } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';
import type { Answer } from '../http/answer/answer.js';
import { isOwnOrigin } from '../http/cors.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import { refusal } from '../shared/errors.js';
import { bodyBytes } from '../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { ForAgents } from '../tenancy/route-options.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { AgentServer } from './agent.server.js';

/** The one address of agents. What it answers, but to those who may not come in, is of the protocol. */
@Controller('api/lib/mcp')
@ForAgents()
@UseInterceptors(TenancyInterceptor)
export class AgentController {
  constructor(
    private readonly server: AgentServer,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post()
  @ApiRoute({
    id: 'agent',
    tag: 'Agents',
    needs: 'agent',
    summary: 'Send a message of the Model Context Protocol',
    description:
      'With the key of an agent, which names the project. What the protocol answers is JSON-RPC, also its errors.',
    form: 'message',
    media: 'application/json',
    alone: true,
  })
  async call(@Req() request: HttpRequest, @Scope() scope: RequestScope): Promise<Answer> {
    const { origin, host } = request.headers;
    if (origin !== undefined && !isOwnOrigin(this.config, origin, host)) {
      throw refusal('access.denied', 'Pages of other origins are not let in; CORS_ORIGINS names those that are');
    }
    if (scope.project.settings.agents === false) {
      throw refusal('agents.off', 'This project lets no agents in (agents=off)');
    }
    refuseQuery(request.url);
    return this.server.answer(scope, request.headers, await bodyBytes(request, 'bodyLimitUnits'));
  }
}
