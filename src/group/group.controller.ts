import { Controller, Get, Param, Req, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { urlQueryParameters } from '../http/route/parse-list-query.js';
import {
  AGGREGATE_ENDPOINT_QUERY,
  GET_QUERY,
  LIST_ENDPOINT_QUERY,
  LIST_QUERY,
  STRUCT_QUERY,
} from '../http/route/query-names.js';
import type { Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { GroupReader } from './group.reader.js';
import { GROUP_KIND, KIND_KIND } from '../model/built-in-traits.js';

/** The kinds and units of a group. Groups themselves are read and written as units of the kind `group`. */
@Controller('api/lib/group/:group_id')
@UseInterceptors(TenancyInterceptor)
export class GroupController {
  constructor(private readonly groups: GroupReader) {}

  @Get('struct')
  @ApiRoute({
    id: 'group.kinds_struct',
    tag: 'Groups',
    kind: GROUP_KIND,
    needs: 'access',
    rights: ['read'],
    summary: 'Describe the parameters of all kinds of a group',
    query: STRUCT_QUERY,
    content: 'struct',
  })
  struct(@Scope() scope: RequestScope, @Param('group_id') group: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.groups.struct(scope, group, urlQueryParameters(request.url));
  }

  @Get('kind')
  @ApiRoute({
    id: 'group.kinds',
    tag: 'Groups',
    kind: KIND_KIND,
    reads: GROUP_KIND,
    needs: 'access',
    rights: ['read'],
    summary: 'List the kinds of a group',
    description: 'Those of the group `parameter` are the parameter types.',
    query: LIST_QUERY,
    content: 'kinds',
  })
  kinds(@Scope() scope: RequestScope, @Param('group_id') group: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.groups.kinds(scope, group, urlQueryParameters(request.url));
  }

  @Get('unit')
  @ApiRoute({
    id: 'group.units',
    tag: 'Groups',
    kind: GROUP_KIND,
    needs: 'access',
    rights: ['read'],
    summary: 'List the units of all kinds of a group',
    query: LIST_ENDPOINT_QUERY,
    content: 'anyUnits',
  })
  list(@Scope() scope: RequestScope, @Param('group_id') group: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.groups.list(scope, group, urlQueryParameters(request.url));
  }

  @Get('aggregate')
  @ApiRoute({
    id: 'group.aggregate_units',
    tag: 'Groups',
    kind: GROUP_KIND,
    needs: 'access',
    rights: ['read'],
    summary: 'Group and count the units of all kinds of a group',
    query: AGGREGATE_ENDPOINT_QUERY,
    content: 'groups',
  })
  aggregate(
    @Scope() scope: RequestScope,
    @Param('group_id') group: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.groups.aggregate(scope, group, urlQueryParameters(request.url));
  }

  @Get('unit/:unit_id')
  @ApiRoute({
    id: 'group.get_unit',
    tag: 'Groups',
    kind: GROUP_KIND,
    needs: 'access',
    rights: ['read'],
    summary: 'Get a unit of any kind of a group',
    query: GET_QUERY,
    content: 'anyUnit',
    conditional: 'read',
  })
  get(
    @Scope() scope: RequestScope,
    @Param('group_id') group: string,
    @Param('unit_id') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.groups.get(scope, group, unit, urlQueryParameters(request.url));
  }
}
