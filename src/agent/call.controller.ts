import { Controller, Get, Param, Req, UseInterceptors } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import { pageAnswer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { parsePageQuery } from '../http/route/parse-list-query.js';
import { PAGE_QUERY } from '../http/route/query-names.js';
import { API_KEY_KIND } from '../model/built-in-traits.js';
import { reading, type Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { ReadCommands } from '../unit/read.commands.js';
import { CallLog } from './call-log.js';

/** What an agent has done with its key, for whoever may read the key. */
@Controller('api/lib/api_key/unit/:key_id/call')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class AgentCallController {
  constructor(
    private readonly log: CallLog,
    private readonly units: ReadCommands,
  ) {}

  @Get()
  @ApiRoute({
    id: 'agent.calls',
    tag: 'Agents',
    needs: 'bearer',
    summary: "List the calls of an agent's key, the newest first",
    description: 'Of the last 30 days, without arguments and stored text.',
    query: PAGE_QUERY,
    content: 'agentCalls',
    alone: true,
    refuses: [404],
  })
  list(@Param('key_id') id: string, @Req() { url }: HttpRequest): Command {
    return reading(({ model, caller }) => {
      const { kind } = authorizeKind(model, API_KEY_KIND, 'read', caller);
      return {
        checked: true,
        run: async (session) => {
          const page = parsePageQuery(url);
          await this.units.checkExists(session, kind, id);
          return pageAnswer(await this.log.list(session, id, page));
        },
      };
    });
  }
}
