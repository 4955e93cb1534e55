import { Controller, Get, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import type { HttpRequest } from '../http/request.js';
import type { Method } from '../kit/module.js';
import { bytesOf } from '../tenancy/bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { FunctionService } from './function.service.js';

interface FunctionPath {
  readonly kind: string;
  readonly unit?: string;
  readonly name: string;
}

/** Custom functions of kinds and of units. */
@Controller('api/lib/:kind')
@UseInterceptors(TenancyInterceptor)
export class FunctionController {
  constructor(private readonly functions: FunctionService) {}

  @Get('function/:name')
  get(@Scope() scope: RequestScope, @Param() path: FunctionPath, @Req() request: HttpRequest): Promise<Answer> {
    return this.#call(scope, 'GET', path, request);
  }

  @Post('function/:name')
  post(@Scope() scope: RequestScope, @Param() path: FunctionPath, @Req() request: HttpRequest): Promise<Answer> {
    return this.#call(scope, 'POST', path, request);
  }

  @Get('unit/:unit/function/:name')
  getOfUnit(@Scope() scope: RequestScope, @Param() path: FunctionPath, @Req() request: HttpRequest): Promise<Answer> {
    return this.#call(scope, 'GET', path, request);
  }

  @Post('unit/:unit/function/:name')
  postOfUnit(@Scope() scope: RequestScope, @Param() path: FunctionPath, @Req() request: HttpRequest): Promise<Answer> {
    return this.#call(scope, 'POST', path, request);
  }

  #call(
    scope: RequestScope,
    method: Method,
    { kind, unit, name }: FunctionPath,
    request: HttpRequest,
  ): Promise<Answer> {
    return this.functions.call(
      scope,
      { method, kind, name, ...(unit !== undefined && { unit }) },
      { url: request.url, contentType: request.headers['content-type'], bytes: () => bytesOf(request) },
    );
  }
}
