import { Controller, Get, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import type { HttpRequest } from '../http/request/request.js';
import type { Method } from '../kit/module.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { FunctionService } from './function.service.js';
import type { Answer } from '../http/answer/answer.js';
import { parseFunctionsQuery } from '../http/route/parse-list-query.js';
import { FUNCTIONS_QUERY } from '../http/route/query-names.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { FunctionList } from './function-list.js';

interface FunctionParams {
  readonly kind_id: string;
  readonly unit_id?: string;
  readonly function_name: string;
}

const FUNCTIONS = { tag: 'Functions', of: 'none', needs: 'access', content: 'function', refuses: [405] } as const;
const OF_KIND = { ...FUNCTIONS, summary: 'Call a function of %' } as const;
const OF_UNIT = {
  ...FUNCTIONS,
  sourceOperation: 'get',
  rights: ['read'],
  summary: 'Call a function of a unit of %',
} as const;
const IN_QUERY = 'Parameters are in the query.';

/** Custom functions of kinds and of units. */
@Controller('api/lib/:kind_id')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class FunctionController {
  constructor(private readonly functions: FunctionService) {}

  @Get('function/:function_name')
  @ApiRoute({ ...OF_KIND, id: 'function.query', description: IN_QUERY })
  get(@Param() path: FunctionParams, @Req() request: HttpRequest): Command {
    return this.#call('GET', path, request);
  }

  @Post('function/:function_name')
  @ApiRoute({ ...OF_KIND, id: 'function.post', form: 'function' })
  post(@Param() path: FunctionParams, @Req() request: HttpRequest): Command {
    return this.#call('POST', path, request);
  }

  @Get('unit/:unit_id/function/:function_name')
  @ApiRoute({ ...OF_UNIT, id: 'unit_function.query', description: IN_QUERY })
  getOfUnit(@Param() path: FunctionParams, @Req() request: HttpRequest): Command {
    return this.#call('GET', path, request);
  }

  @Post('unit/:unit_id/function/:function_name')
  @ApiRoute({ ...OF_UNIT, id: 'unit_function.post', form: 'function' })
  postOfUnit(@Param() path: FunctionParams, @Req() request: HttpRequest): Command {
    return this.#call('POST', path, request);
  }

  #call(
    method: Method,
    { kind_id: kind, unit_id: unit, function_name: name }: FunctionParams,
    request: HttpRequest,
  ): Command {
    const target = { method, kind, name, ...(unit !== undefined && { unit }) };
    return this.functions.call(target, { url: request.url, contentType: request.headers['content-type'] });
  }
}

/** What the project brings in code, of all its kinds. */
@Controller('api/lib/function')
@UseInterceptors(TenancyInterceptor)
export class FunctionListController {
  constructor(private readonly functions: FunctionList) {}

  @Get()
  @ApiRoute({
    id: 'functions',
    tag: 'Functions',
    needs: 'access',
    summary: 'List the functions that the caller may call',
    description:
      'Administrators also get the modules, with their hooks and with what is wrong in them, on the first page.',
    query: FUNCTIONS_QUERY,
    content: 'functions',
  })
  list(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.functions.list(scope, parseFunctionsQuery(request.url));
  }
}
