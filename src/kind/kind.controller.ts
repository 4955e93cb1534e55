import { Controller, Get, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import type { HttpRequest } from '../http/request.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { Structs } from '../unit/struct.js';

/** Kinds are units of `kind`; what is their own is the struct of their body. */
@Controller('api/lib/kind')
@UseInterceptors(TenancyInterceptor)
export class KindController {
  constructor(private readonly structs: Structs) {}

  @Get('struct')
  struct(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.structs.ofKind(scope, 'kind', request.url, true);
  }
}
