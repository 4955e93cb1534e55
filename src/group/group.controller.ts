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
import type { HttpRequest } from '../http/request/request.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { GroupReader } from './group.reader.js';
import { GROUP_KIND, KIND_KIND } from '../model/built-in-traits.js';

/** The kinds and units of a group. Groups themselves are read and written as units of the kind `group`. */
@Controller('api/lib/group/:group_id')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
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
  struct(@Param('group_id') group: string, @Req() request: HttpRequest): Command {
    return this.groups.struct(group, urlQueryParameters(request.url));
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
  kinds(@Param('group_id') group: string, @Req() request: HttpRequest): Command {
    return this.groups.kinds(group, urlQueryParameters(request.url));
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
  list(@Param('group_id') group: string, @Req() request: HttpRequest): Command {
    return this.groups.list(group, urlQueryParameters(request.url));
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
  aggregate(@Param('group_id') group: string, @Req() request: HttpRequest): Command {
    return this.groups.aggregate(group, urlQueryParameters(request.url));
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
  get(@Param('group_id') group: string, @Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    return this.groups.get(group, unit, urlQueryParameters(request.url));
  }
}
