import { Controller, Delete, Get, Param, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { parsePageQuery, refuseQuery } from '../../http/route/parse-list-query.js';
import { PAGE_QUERY } from '../../http/route/query-names.js';
import { ForHeldMembers } from '../../tenancy/route-options.js';
import { AnyInput, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { NoStore, requireMember, requireSession, WithoutKeyInterceptor } from '../auth-request.js';
import { SessionService } from './own-sessions.service.js';

const ROUTE = { tag: 'Authentication', needs: 'bearer' } as const;

/** The member of a token, and its sessions. */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class SessionController {
  constructor(private readonly sessions: SessionService) {}

  @Get('me')
  @ApiRoute({ id: 'auth.me', ...ROUTE, summary: 'Get the member that is signed in', content: 'me' })
  @NoStore()
  me(@Scope() { project, caller }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    const member = requireMember(caller);
    refuseQuery(request.url);
    return this.sessions.me(project, member);
  }

  @Get('rights')
  @ApiRoute({
    id: 'auth.rights',
    ...ROUTE,
    summary: 'Tell what the member that is signed in may do',
    description: 'With the units of each kind, and with links of types that have access of their own; without rules.',
    content: 'rights',
  })
  @NoStore()
  rights(@Scope() { project, caller }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    const member = requireMember(caller);
    refuseQuery(request.url);
    return this.sessions.rights(project, member);
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
  list(@Scope() { project, caller }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.sessions.list(project, requireSession(caller), parsePageQuery(request.url));
  }

  @Delete('session')
  @ApiRoute({
    id: 'auth.end_other_sessions',
    ...ROUTE,
    summary: 'End all sessions of the member but that of the request',
    content: 'nothing',
  })
  @NoStore()
  async endOthers(@Scope() { project, caller }: RequestScope, @AnyInput() read: BodyInput): Promise<Answer> {
    const member = requireSession(caller);
    await read();
    return this.sessions.endOthers(project, member);
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
    @Scope() { project, caller }: RequestScope,
    @Param('session_id') id: string,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    const member = requireSession(caller);
    await read();
    return this.sessions.end(project, member, id);
  }
}
