import { Controller, Delete, Get, Header, Param, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { parsePageQuery, refuseQuery } from '../../http/route/parse-list-query.js';
import { PAGE_QUERY } from '../../http/route/query-names.js';
import { AnyInput, type BodyInput } from '../../tenancy/body-input.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { requireMember } from './required-member.js';
import { SessionService } from './session.service.js';

const NoStore = () => Header('Cache-Control', 'no-store');

const ROUTE = { tag: 'Authentication', needs: 'bearer' } as const;

/** The member of a token, and its sessions. */
@Controller('api/lib/auth')
@UseInterceptors(TenancyInterceptor)
export class SessionController {
  constructor(private readonly sessions: SessionService) {}

  @Get('me')
  @ApiRoute({ id: 'auth.me', ...ROUTE, summary: 'Get the member that is signed in', content: 'me' })
  @NoStore()
  me(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    requireMember(scope.caller);
    refuseQuery(request.url);
    return this.sessions.me(scope);
  }

  @Get('session')
  @ApiRoute({
    id: 'auth.sessions',
    ...ROUTE,
    summary: 'List the sessions of the member, the newest first',
    query: PAGE_QUERY,
    content: 'sessions',
  })
  @NoStore()
  list(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    requireMember(scope.caller);
    return this.sessions.list(scope, parsePageQuery(request.url));
  }

  @Delete('session/:session_id')
  @ApiRoute({
    id: 'auth.end_session',
    ...ROUTE,
    summary: 'End a session of the member',
    content: 'nothing',
    refuses: [404],
  })
  @NoStore()
  async end(
    @Scope() scope: RequestScope,
    @Param('session_id') id: string,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    requireMember(scope.caller);
    await read();
    return this.sessions.end(scope, id);
  }
}
