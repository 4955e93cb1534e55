import { Controller, Get, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import { ForHeldMembers, WithoutAccessToken } from '../tenancy/route-options.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { NoStore } from './auth-request.js';
import { WaysService } from './ways.service.js';

@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor)
export class WaysController {
  constructor(private readonly service: WaysService) {}

  @Get('ways')
  @ApiRoute({
    id: 'auth.ways',
    tag: 'Authentication',
    needs: 'project',
    summary: 'By which ways one signs in, and who may sign up',
    description: 'What a sign-in page asks for first. It says nothing about members.',
    content: 'ways',
  })
  @NoStore()
  @WithoutAccessToken()
  ways(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    refuseQuery(request.url);
    return this.service.ways(project);
  }
}
