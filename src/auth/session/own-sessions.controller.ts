import { Controller, Delete, Get, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { parsePageQuery, refuseQuery } from '../../http/route/parse-list-query.js';
import { PAGE_QUERY } from '../../http/route/query-names.js';
import { CallerResolver } from '../../tenancy/caller.js';
import { ForHeldMembers, WithoutAccessToken } from '../../tenancy/route-options.js';
import { AnyInput, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import {
  authRequestOf,
  NoStore,
  refuseKey,
  requireMember,
  requireSession,
  WithoutKeyInterceptor,
} from '../auth-request.js';
import { OwnSessionsService } from './own-sessions.service.js';
import { RefreshCookies } from './refresh-cookie.js';
import { RefreshTokenGuard, refreshClaims } from './refresh-token.strategy.js';

const ROUTE = { tag: 'Authentication', needs: 'bearer' } as const;
const VERIFY = { ...ROUTE, content: 'nothing', summary: 'Verify an access token' } as const;
const REFRESH = {
  ...ROUTE,
  content: 'session',
  refuses: [403],
  summary: 'Refresh a session; the bearer is the refresh token, or its cookie',
} as const;

/**
 * The session of a token, its member, and the other sessions of that member. Routes without parameters ignore their
 * body, but it must be JSON.
 */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class OwnSessionsController {
  constructor(
    private readonly cookies: RefreshCookies,
    private readonly sessions: OwnSessionsService,
    private readonly callers: CallerResolver,
  ) {}

  @Get('verify')
  @ApiRoute({ id: 'auth.verify', ...VERIFY })
  @NoStore()
  async verify(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    const answer = await this.callers.runAsNow(scope, (now) => this.sessions.verify(now));
    refuseQuery(request.url);
    return answer;
  }

  @Post('verify')
  @ApiRoute({ id: 'auth.verify_by_post', ...VERIFY })
  @NoStore()
  async verifyByPost(@Scope() scope: RequestScope, @AnyInput() read: BodyInput): Promise<Answer> {
    const answer = await this.callers.runAsNow(scope, (now) => this.sessions.verify(now));
    await read();
    return answer;
  }

  @Get('refresh')
  @ApiRoute({ id: 'auth.refresh', ...REFRESH })
  @NoStore()
  @WithoutAccessToken()
  @UseGuards(RefreshTokenGuard)
  async refresh(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    refuseKey(request);
    const client = authRequestOf(request);
    this.cookies.checkOrigin(request);
    const claims = refreshClaims(request, project);
    refuseQuery(request.url);
    return this.sessions.refresh(project, client, claims);
  }

  @Post('refresh')
  @ApiRoute({ id: 'auth.refresh_by_post', ...REFRESH })
  @NoStore()
  @WithoutAccessToken()
  @UseGuards(RefreshTokenGuard)
  async refreshByPost(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    const client = authRequestOf(request);
    this.cookies.checkOrigin(request);
    const claims = refreshClaims(request, project);
    await read();
    return this.sessions.refresh(project, client, claims);
  }

  @Post('signout')
  @ApiRoute({ id: 'auth.signout', ...ROUTE, summary: 'Sign out', content: 'nothing' })
  @NoStore()
  signOut(@Scope() scope: RequestScope, @Req() request: HttpRequest, @AnyInput() read: BodyInput): Promise<Answer> {
    return this.sessions.signOut(scope, authRequestOf(request), read);
  }

  @Get('me')
  @ApiRoute({ id: 'auth.me', ...ROUTE, summary: 'Get the member that is signed in', content: 'me' })
  @NoStore()
  me(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    requireMember(scope.caller);
    refuseQuery(request.url);
    return this.callers.runAsNow(scope, ({ project, caller }) => this.sessions.me(project, requireMember(caller)));
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
  rights(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    requireMember(scope.caller);
    refuseQuery(request.url);
    return this.callers.runAsNow(scope, ({ project, caller }) => this.sessions.rights(project, requireMember(caller)));
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
