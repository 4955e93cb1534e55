import { Controller, Get, Param, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import type { HttpRequest } from '../http/request.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { GroupReader } from './group.reader.js';

/** What is the groups' own; they are units of `group` for all else. */
@Controller('api/lib/group/:group')
@UseInterceptors(TenancyInterceptor)
export class GroupController {
  constructor(private readonly groups: GroupReader) {}

  @Get('struct')
  struct(@Scope() scope: RequestScope, @Param('group') group: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.groups.struct(scope, group, request.url);
  }

  @Get('kind')
  kinds(@Scope() scope: RequestScope, @Param('group') group: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.groups.kinds(scope, group, request.url);
  }

  @Get('unit')
  list(@Scope() scope: RequestScope, @Param('group') group: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.groups.list(scope, group, request.url);
  }

  @Get('unit/:unit')
  get(
    @Scope() scope: RequestScope,
    @Param('group') group: string,
    @Param('unit') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.groups.get(scope, group, unit, request.url);
  }
}
