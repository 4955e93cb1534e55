import { Controller, Delete, Get, Param, Post, Put, Req, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { urlQueryParameters } from '../http/route/parse-list-query.js';
import {
  AGGREGATE_ENDPOINT_QUERY,
  CREATE_ENDPOINT_QUERY,
  DELETE_ENDPOINT_QUERY,
  GET_QUERY,
  LIST_ENDPOINT_QUERY,
  MATCHING_ENDPOINT_QUERY,
  STRUCT_QUERY,
} from '../http/route/query-names.js';
import type { Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { bodyBytes } from '../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { Structs } from './struct.js';
import { UnitReader } from './unit.reader.js';
import { UnitService, type WriteRequest } from './unit.service.js';
import { WriteInterceptor } from './write/write.interceptor.js';

/** The units of all kinds, with those of the model. */
@Controller('api/lib/:kind_id')
@UseInterceptors(TenancyInterceptor, WriteInterceptor)
export class UnitController {
  constructor(
    private readonly reader: UnitReader,
    private readonly units: UnitService,
    private readonly structs: Structs,
  ) {}

  @Get('unit')
  @ApiRoute({
    id: 'list',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    rights: ['read'],
    sourceOperation: 'list',
    summary: 'List units of %',
    query: LIST_ENDPOINT_QUERY,
    content: 'units',
  })
  list(@Scope() scope: RequestScope, @Param('kind_id') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.reader.list(scope, kind, urlQueryParameters(request.url));
  }

  @Get('aggregate')
  @ApiRoute({
    id: 'aggregate',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    rights: ['read'],
    sourceOperation: 'aggregate',
    summary: 'Group and count units of %',
    query: AGGREGATE_ENDPOINT_QUERY,
    content: 'groups',
  })
  aggregate(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.reader.aggregate(scope, kind, urlQueryParameters(request.url));
  }

  @Get('unit/:unit_id')
  @ApiRoute({
    id: 'get',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    rights: ['read'],
    sourceOperation: 'get',
    summary: 'Get a unit of %',
    query: GET_QUERY,
    content: 'unit',
    conditional: 'read',
  })
  get(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Param('unit_id') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.reader.get(scope, kind, unit, urlQueryParameters(request.url));
  }

  @Get('by/:unique_parameter/:value')
  @ApiRoute({
    id: 'getBy',
    tag: 'Units',
    of: 'keyed',
    needs: 'access',
    rights: ['read'],
    sourceOperation: 'get',
    summary: 'Get a unit of % by a unique parameter',
    query: GET_QUERY,
    content: 'unit',
    conditional: 'read',
  })
  getBy(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Param('unique_parameter') parameter: string,
    @Param('value') value: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.reader.getBy(scope, kind, { parameter, value }, urlQueryParameters(request.url));
  }

  @Post('unit')
  @ApiRoute({
    id: 'create',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    rights: ['create'],
    sourceOperation: 'create',
    summary: 'Create a unit of %',
    description: 'Who may not read what it creates is answered its `id` and `kind_id` alone.',
    query: CREATE_ENDPOINT_QUERY,
    form: 'create',
    content: 'created',
    refuses: [409],
    upserts: true,
  })
  create(@Scope() scope: RequestScope, @Param('kind_id') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.units.create(scope, kind, writeRequestOf(request));
  }

  @Put('unit')
  @ApiRoute({
    id: 'updateAll',
    tag: 'Units',
    of: 'bulk',
    needs: 'access',
    rights: ['update'],
    summary: 'Edit all units of % that match',
    description: 'Only what the body names is changed, in all units that match or in none.',
    query: MATCHING_ENDPOINT_QUERY,
    form: 'update',
    content: 'affected',
    refuses: [409],
  })
  updateMatching(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.units.updateMatching(scope, kind, writeRequestOf(request));
  }

  @Delete('unit')
  @ApiRoute({
    id: 'deleteAll',
    tag: 'Units',
    of: 'bulk',
    needs: 'access',
    rights: ['delete'],
    summary: 'Delete all units of % that match',
    query: MATCHING_ENDPOINT_QUERY,
    content: 'affected',
    refuses: [409],
  })
  removeMatching(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.units.removeMatching(scope, kind, writeRequestOf(request));
  }

  @Put('unit/:unit_id')
  @ApiRoute({
    id: 'update',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    rights: ['update'],
    sourceOperation: 'update',
    summary: 'Edit a unit of %',
    description: 'Only what the body names is changed.',
    query: DELETE_ENDPOINT_QUERY,
    form: 'update',
    content: 'unit',
    refuses: [409, 412],
    conditional: 'write',
  })
  update(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Param('unit_id') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.units.update(scope, kind, unit, writeRequestOf(request));
  }

  @Delete('unit/:unit_id')
  @ApiRoute({
    id: 'delete',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    rights: ['delete'],
    sourceOperation: 'delete',
    summary: 'Delete a unit of %',
    query: DELETE_ENDPOINT_QUERY,
    content: 'nothing',
    refuses: [409, 412],
    conditional: 'write',
  })
  remove(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Param('unit_id') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.units.remove(scope, kind, unit, writeRequestOf(request));
  }

  @Get('struct')
  @ApiRoute({
    id: 'struct',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    joint: true,
    rights: ['read', 'create', 'signup'],
    inactive: true,
    summary: 'Describe the parameters of %',
    query: STRUCT_QUERY,
    content: 'descriptors',
  })
  struct(@Scope() scope: RequestScope, @Param('kind_id') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.structs.ofKind(scope, kind, urlQueryParameters(request.url), false);
  }

  @Get('unit/:unit_id/struct')
  @ApiRoute({
    id: 'describe',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    joint: true,
    rights: ['read'],
    sourceOperation: 'get',
    summary: 'Describe a unit of %',
    query: STRUCT_QUERY,
    content: 'struct',
  })
  unitStruct(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Param('unit_id') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.structs.ofUnit(scope, kind, unit, urlQueryParameters(request.url));
  }
}

function writeRequestOf(request: HttpRequest): WriteRequest {
  return {
    url: request.url,
    bytes: (limit) => bodyBytes(request, limit),
    contentType: request.headers['content-type'],
    ifMatch: request.headers['if-match'],
  };
}
