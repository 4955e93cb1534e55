import { Controller, Get, Req, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { urlQueryParameters } from '../http/route/parse-list-query.js';
import { STRUCT_QUERY } from '../http/route/query-names.js';
import type { HttpRequest } from '../http/request/request.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { Structs } from '../unit/struct.js';
import { KIND_KIND } from '../model/built-in-traits.js';

/** Kinds are units of `kind`, so only the struct of their body has a route here. */
@Controller('api/lib/kind')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class KindController {
  constructor(private readonly structs: Structs) {}

  @Get('struct')
  @ApiRoute({
    id: 'kind.struct',
    tag: 'Kinds',
    kind: KIND_KIND,
    needs: 'access',
    rights: ['read'],
    summary: 'Describe the body of a kind',
    query: STRUCT_QUERY,
    content: 'struct',
  })
  struct(@Req() request: HttpRequest): Command {
    return this.structs.ofKind(KIND_KIND, urlQueryParameters(request.url), true);
  }
}
