import { Controller, Get, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { parseFunctionsQuery } from '../http/route/parse-list-query.js';
import { FUNCTIONS_QUERY } from '../http/route/query-names.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { FunctionList } from './function-list.js';

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
