import { Controller, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { DRY_RUN_QUERY } from '../http/route/query-names.js';
import { AnyInput, type BodyInput } from '../tenancy/body-input.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { WriteInterceptor } from '../unit/write/write.interceptor.js';
import { BatchService } from './batch.service.js';

/** Several operations in one transaction. */
@Controller('api/lib/batch')
@UseInterceptors(TenancyInterceptor, WriteInterceptor)
export class BatchController {
  constructor(private readonly batches: BatchService) {}

  @Post()
  @ApiRoute({
    id: 'batch',
    tag: 'Batch',
    needs: 'access',
    summary: 'Run several operations in one transaction',
    description:
      'All or none, in order. A refusal is the answer of the operation that failed, with its index as `operation` in ' +
      'each message. In a later `path`, `{author.id}` stands for what the operation with that name answered, in a ' +
      'later body the value `{"$from": "author.id"}`.',
    query: DRY_RUN_QUERY,
    form: 'batch',
    content: 'batch',
    refuses: [405, 409, 412],
  })
  async run(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @AnyInput('bodyLimitUnits') read: BodyInput,
  ): Promise<Answer> {
    await this.batches.checkMember(scope);
    return this.batches.run(scope, request, await read());
  }
}
