import { Controller, Get, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { EXPLANATION_QUERY, PREVIEW_QUERY } from '../../http/route/query-names.js';
import type { Command } from '../../run/command.js';
import { RunInterceptor } from '../../run/run.interceptor.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { AccessPreviewBody, AccessPreviews } from './access-previews.js';
import { Explanations } from './explanations.js';

/** What administrators are told of the access of members. */
@Controller('api/lib/:kind_id')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
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
  access(@Param('kind_id') kind: string, @Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    return this.explanations.ofUnit(kind, unit, request.url);
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
  preview(@Param('kind_id') kind: string, @Req() request: HttpRequest): Command {
    return this.previews.ofKind(kind, { url: request.url, contentType: request.headers['content-type'] });
  }
}
