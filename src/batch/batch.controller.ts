import { Controller, Post, Req, UseInterceptors } from '@nestjs/common';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { DRY_RUN_QUERY } from '../http/route/query-names.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { BatchService } from './batch.service.js';

/** Several operations in one transaction. */
@Controller('api/lib/batch')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
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
  run(@Req() request: HttpRequest): Command {
    return this.batches.run(request);
  }
}
