import { Controller, Get, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer/answer.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { EXPLANATION_QUERY, PREVIEW_QUERY } from '../http/route/query-names.js';
import { bodyJson } from '../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { AccessPreviewBody } from './access-preview.body.js';
import { AccessPreviews } from './access-previews.js';
import { Explanations } from './explanations.js';
import { WriteInterceptor } from './write/write.interceptor.js';

/** What administrators are told of the access of members. */
@Controller('api/lib/:kind_id')
@UseInterceptors(TenancyInterceptor, WriteInterceptor)
export class ExplanationController {
  constructor(
    private readonly explanations: Explanations,
    private readonly previews: AccessPreviews,
  ) {}

  @Get('unit/:unit_id/access')
  @ApiRoute({
    id: 'access',
    tag: 'Units',
    of: 'all',
    needs: 'access',
    joint: true,
    rights: ['read'],
    administrators: true,
    sourceOperation: 'get',
    summary: 'Tell why a member may do something with it',
    query: EXPLANATION_QUERY,
    content: 'explanation',
  })
  access(
    @Scope() scope: RequestScope,
    @Param('kind_id') kind: string,
    @Param('unit_id') unit: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.explanations.ofUnit(scope, kind, unit, request.url);
  }

  @Post('access/preview')
  @ApiRoute({
    id: 'access_preview',
    tag: 'Units',
    of: 'all',
    needs: 'bearer',
    joint: true,
    rights: ['read'],
    administrators: true,
    sourceOperation: 'list',
    alone: true,
    summary: 'List the units that a member could use',
    description: 'With the access of the kind as it is, or as it would be. Nothing is changed.',
    query: PREVIEW_QUERY,
    body: AccessPreviewBody,
    content: 'units',
  })
  preview(@Scope() scope: RequestScope, @Param('kind_id') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.previews.ofKind(scope, kind, { url: request.url, body: () => bodyJson(request, 'small') });
  }
}
