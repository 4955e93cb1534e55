import { Controller, Delete, Get, Param, Post, Put, Req, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { urlQueryParameters } from '../http/route/parse-list-query.js';
import {
  AGGREGATE_ENDPOINT_QUERY,
  CREATE_ENDPOINT_QUERY,
  DELETE_ENDPOINT_QUERY,
  GET_ENDPOINT_QUERY,
  GET_QUERY,
  LIST_ENDPOINT_QUERY,
  MATCHING_ENDPOINT_QUERY,
  STRUCT_QUERY,
  UPDATE_ENDPOINT_QUERY,
} from '../http/route/query-names.js';
import type { HttpRequest } from '../http/request/request.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { PastUnits } from './past-units.js';
import { Structs } from './struct.js';
import { ReadCommands } from './read.commands.js';
import { WriteCommands, type WriteRequest } from './write.commands.js';

/** The units of all kinds, with those of the model. */
@Controller('api/lib/:kind_id')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class UnitController {
  constructor(
    private readonly reader: ReadCommands,
    private readonly units: WriteCommands,
    private readonly structs: Structs,
    private readonly past: PastUnits,
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
  list(@Param('kind_id') kind: string, @Req() request: HttpRequest): Command {
    return this.reader.list(kind, urlQueryParameters(request.url));
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
  aggregate(@Param('kind_id') kind: string, @Req() request: HttpRequest): Command {
    return this.reader.aggregate(kind, urlQueryParameters(request.url));
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
    query: GET_ENDPOINT_QUERY,
    content: 'unit',
    conditional: 'read',
  })
  get(@Param('kind_id') kind: string, @Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    const parameters = urlQueryParameters(request.url);
    const reader = parameters.some(([name]) => name === 'as_of') ? this.past : this.reader;
    return reader.get(kind, unit, parameters);
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
    @Param('kind_id') kind: string,
    @Param('unique_parameter') parameter: string,
    @Param('value') value: string,
    @Req() request: HttpRequest,
  ): Command {
    return this.reader.getBy(kind, { parameter, value }, urlQueryParameters(request.url));
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
  create(@Param('kind_id') kind: string, @Req() request: HttpRequest): Command {
    return this.units.create(kind, writeRequestOf(request));
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
  updateMatching(@Param('kind_id') kind: string, @Req() request: HttpRequest): Command {
    return this.units.updateMatching(kind, writeRequestOf(request));
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
  removeMatching(@Param('kind_id') kind: string, @Req() request: HttpRequest): Command {
    return this.units.removeMatching(kind, writeRequestOf(request));
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
    query: UPDATE_ENDPOINT_QUERY,
    form: 'update',
    content: 'unit',
    refuses: [409, 412],
    conditional: 'write',
  })
  update(@Param('kind_id') kind: string, @Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    return this.units.update(kind, unit, writeRequestOf(request));
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
  remove(@Param('kind_id') kind: string, @Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    return this.units.remove(kind, unit, writeRequestOf(request));
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
  struct(@Param('kind_id') kind: string, @Req() request: HttpRequest): Command {
    return this.structs.ofKind(kind, urlQueryParameters(request.url), false);
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
  unitStruct(@Param('kind_id') kind: string, @Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    return this.structs.ofUnit(kind, unit, urlQueryParameters(request.url));
  }
}

function writeRequestOf(request: HttpRequest): WriteRequest {
  return {
    url: request.url,
    contentType: request.headers['content-type'],
    ifMatch: request.headers['if-match'],
  };
}
