import { Controller, Delete, Get, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { checkAdministrator } from '../../access/access.js';
import type { Session } from '../../catalog/session/session.js';
import { Answer, NULL_ANSWER, pageAnswer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { parseFunctionsQuery, refuseQuery } from '../../http/route/parse-list-query.js';
import { FUNCTIONS_QUERY } from '../../http/route/query-names.js';
import { reading, type Command } from '../../run/command.js';
import { RunInterceptor } from '../../run/run.interceptor.js';
import type { Caller } from '../../tenancy/caller.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { Failures } from './failures.js';

const ROUTE = { tag: 'Functions', needs: 'bearer', administrators: true, alone: true } as const;

interface FailureParams {
  readonly failure_id: string;
}

/** What `after_commit` could not do, for administrators. */
@Controller('api/lib/function/failure')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class FailureController {
  constructor(private readonly failures: Failures) {}

  @Get()
  @ApiRoute({
    ...ROUTE,
    id: 'function.failures',
    summary: 'List what failed after a commit, the newest first',
    query: FUNCTIONS_QUERY,
    content: 'functionFailures',
  })
  list(@Req() { url }: HttpRequest): Command {
    return reading(({ caller }) => {
      authorize(caller);
      return {
        checked: true,
        run: async (session) => {
          const { offset, limit, kindIds: kinds } = parseFunctionsQuery(url);
          return pageAnswer(await this.failures.list(session, { offset, limit, kinds }));
        },
      };
    });
  }

  @Post(':failure_id/retry')
  @ApiRoute({
    ...ROUTE,
    id: 'function.retry',
    summary: 'Try again what failed after a commit',
    content: 'functionFailure',
    refuses: [404, 409],
  })
  retry(@Param() { failure_id: id }: FailureParams, @Req() { url }: HttpRequest): Command {
    return writing(url, async (session) => new Answer(await this.failures.retry(session, id)));
  }

  @Delete(':failure_id')
  @ApiRoute({
    ...ROUTE,
    id: 'function.discard',
    summary: 'Discard what failed after a commit',
    content: 'nothing',
    refuses: [404],
  })
  discard(@Param() { failure_id: id }: FailureParams, @Req() { url }: HttpRequest): Command {
    return writing(url, async (session) => {
      await this.failures.discard(session, id);
      return NULL_ANSWER;
    });
  }
}

function writing(url: string, work: (session: Session) => Promise<Answer>): Command {
  return {
    authorize: ({ caller }) => {
      authorize(caller);
      return {
        effect: 'write',
        checked: true,
        run: async (session) => {
          refuseQuery(url);
          return work(session);
        },
      };
    },
  };
}

function authorize(caller: Caller): void {
  checkAdministrator(caller, 'Only administrators see what failed after a commit');
}
