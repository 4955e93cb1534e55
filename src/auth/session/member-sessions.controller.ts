import { Controller, Delete, Get, Param, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { parsePageQuery } from '../../http/route/parse-list-query.js';
import { PAGE_QUERY } from '../../http/route/query-names.js';
import { AnyInput, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { ForHeldMembers } from '../../tenancy/route-options.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { NoStore, requireAdministrator, WithoutKeyInterceptor } from '../auth-request.js';
import { MemberSessionsService } from './member-sessions.service.js';

const ROUTE = { tag: 'Authentication', needs: 'bearer', administrators: true } as const;
const SESSIONS = 'member/:member_id/session';

/** What administrators see and end of other members' sessions. */
@Controller('api/lib/auth')
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
@ForHeldMembers()
export class MemberSessionsController {
  constructor(private readonly sessions: MemberSessionsService) {}

  @Get(SESSIONS)
  @ApiRoute({
    id: 'auth.member_sessions',
    ...ROUTE,
    summary: 'List the sessions of a member, the newest first',
    query: PAGE_QUERY,
    content: 'sessions',
    refuses: [404],
  })
  @NoStore()
  list(@Scope() scope: RequestScope, @Param('member_id') member: string, @Req() request: HttpRequest): Promise<Answer> {
    requireAdministrator(scope.caller);
    return this.sessions.list(scope, member, parsePageQuery(request.url));
  }

  @Delete(SESSIONS)
  @ApiRoute({
    id: 'auth.end_member_sessions',
    ...ROUTE,
    summary: 'End all sessions of a member',
    content: 'nothing',
    refuses: [404],
  })
  @NoStore()
  endAll(
    @Scope() scope: RequestScope,
    @Param('member_id') member: string,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    return this.#end(scope, read, member);
  }

  @Delete(`${SESSIONS}/:session_id`)
  @ApiRoute({
    id: 'auth.end_member_session',
    ...ROUTE,
    summary: 'End a session of a member',
    content: 'nothing',
    refuses: [404],
  })
  @NoStore()
  end(
    @Scope() scope: RequestScope,
    @Param() { member_id: member, session_id: id }: { readonly member_id: string; readonly session_id: string },
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    return this.#end(scope, read, member, id);
  }

  async #end(scope: RequestScope, read: BodyInput, member: string, session?: string): Promise<Answer> {
    requireAdministrator(scope.caller);
    await read();
    return this.sessions.end(scope, member, session);
  }
}
