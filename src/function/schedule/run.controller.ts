import { Controller, Get, Post, Req, UseInterceptors } from '@nestjs/common';
import { checkAdministrator } from '../../access/access.js';
import { Answer, pageAnswer } from '../../http/answer/answer.js';
import { readDto, Text } from '../../http/body/dto.js';
import { parseBody } from '../../http/body/read-body.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { parseFunctionsQuery, refuseQuery } from '../../http/route/parse-list-query.js';
import { FUNCTIONS_QUERY } from '../../http/route/query-names.js';
import { reading, type Command } from '../../run/command.js';
import { RunInterceptor } from '../../run/run.interceptor.js';
import type { Caller } from '../../tenancy/caller.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { ScheduledRuns } from './scheduled-runs.js';
import { Schedules } from './schedules.js';

/** A scheduled function. */
class RunBody {
  @Text()
  kind_id!: string;

  @Text({ description: 'A function of the kind that has a schedule.' })
  function!: string;
}

const ROUTE = { tag: 'Functions', needs: 'bearer', administrators: true } as const;

/** What has run by itself, for administrators. */
@Controller('api/lib/function/run')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class RunController {
  constructor(
    private readonly runs: ScheduledRuns,
    private readonly schedules: Schedules,
  ) {}

  @Get()
  @ApiRoute({
    ...ROUTE,
    id: 'function.runs',
    summary: 'List the runs of scheduled functions, the newest first',
    query: FUNCTIONS_QUERY,
    content: 'functionRuns',
    alone: true,
  })
  list(@Req() { url }: HttpRequest): Command {
    return reading(({ caller }) => {
      authorize(caller);
      return {
        checked: true,
        run: async (session) => {
          const { offset, limit, kindIds: kinds } = parseFunctionsQuery(url);
          return pageAnswer(await this.runs.list(session, { offset, limit, kinds }));
        },
      };
    });
  }

  @Post()
  @ApiRoute({
    ...ROUTE,
    id: 'function.run',
    summary: 'Run a scheduled function now',
    description: 'It is answered when the run has begun; `GET` tells how it ended.',
    body: RunBody,
    content: 'functionRun',
    alone: true,
    refuses: [404, 409, 503],
  })
  run(@Req() { url, headers }: HttpRequest): Command {
    return {
      authorize: ({ caller }) => {
        authorize(caller);
        return {
          effect: 'write',
          body: 'small',
          checked: true,
          run: async ({ project, model }, bytes) => {
            refuseQuery(url);
            const body = await parseBody(bytes, headers['content-type'], project.schema);
            const { kind_id: kind, function: name } = readDto(RunBody, body);
            return new Answer(await this.schedules.runNow(project, model, { kind, name }));
          },
        };
      },
    };
  }
}

function authorize(caller: Caller): void {
  checkAdministrator(caller, 'Only administrators see and start runs');
}
