import { Controller, Delete, Get, Param, Post, Put, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import type { HttpRequest } from '../http/request.js';
import { bytesOf } from '../tenancy/bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { Explanations } from './explanations.js';
import { Structs } from './struct.js';
import { UnitReader } from './unit.reader.js';
import { UnitService, type WriteRequest } from './unit.service.js';

/** The units of every kind, those of the model included. */
@Controller('api/lib/:kind')
@UseInterceptors(TenancyInterceptor)
export class UnitController {
  constructor(
    private readonly reader: UnitReader,
    private readonly units: UnitService,
    private readonly structs: Structs,
    private readonly explanations: Explanations,
  ) {}

  @Get('unit')
  list(@Scope() scope: RequestScope, @Param('kind') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.reader.list(scope, kind, request.url);
  }

  @Get('unit/:unit')
  get(
    @Scope() scope: RequestScope,
    @Param('kind') kind: string,
    @Param('unit') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.reader.get(scope, kind, unit, request.url);
  }

  @Post('unit')
  create(@Scope() scope: RequestScope, @Param('kind') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.units.create(scope, kind, writeRequestOf(request));
  }

  @Put('unit/:unit')
  update(
    @Scope() scope: RequestScope,
    @Param('kind') kind: string,
    @Param('unit') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.units.update(scope, kind, unit, writeRequestOf(request));
  }

  @Delete('unit/:unit')
  remove(
    @Scope() scope: RequestScope,
    @Param('kind') kind: string,
    @Param('unit') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.units.remove(scope, kind, unit, writeRequestOf(request));
  }

  @Get('struct')
  struct(@Scope() scope: RequestScope, @Param('kind') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.structs.ofKind(scope, kind, request.url, false);
  }

  @Get('unit/:unit/struct')
  unitStruct(
    @Scope() scope: RequestScope,
    @Param('kind') kind: string,
    @Param('unit') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.structs.ofUnit(scope, kind, unit, request.url);
  }

  @Get('unit/:unit/access')
  access(
    @Scope() scope: RequestScope,
    @Param('kind') kind: string,
    @Param('unit') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.explanations.ofUnit(scope, kind, unit, request.url);
  }
}

export function writeRequestOf(request: HttpRequest): WriteRequest {
  return {
    url: request.url,
    bytes: (limit) => bytesOf(request, limit),
    contentType: request.headers['content-type'],
    ifMatch: request.headers['if-match'],
  };
}
