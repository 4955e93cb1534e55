import { Controller, Delete, Get, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { type Answer, NULL_ANSWER } from '../http/answer.js';
import { hasBody } from '../http/body.js';
import type { HttpRequest } from '../http/request.js';
import { jsonOf } from '../tenancy/bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { LinkReader, type WalkPath } from './link.reader.js';
import { LinkService, type LinkPath } from './link.service.js';

/** Links from one unit to another. */
@Controller('api/lib/:parentKind/unit/:parent/link/:link/:childKind/unit/:child')
@UseInterceptors(TenancyInterceptor)
export class LinkController {
  constructor(private readonly links: LinkService) {}

  /** Needs no body. One that comes all the same is passed over, but it has to be JSON. */
  @Post()
  create(@Scope() scope: RequestScope, @Param() path: LinkPath, @Req() request: HttpRequest): Promise<Answer> {
    if (!hasBody(request)) return this.links.create(scope, path, request.url);
    return this.links.create(scope, path, request.url, () => jsonOf(request, 'small'));
  }

  @Delete()
  async remove(@Scope() scope: RequestScope, @Param() path: LinkPath, @Req() request: HttpRequest): Promise<Answer> {
    await this.links.remove(scope, path, request.url);
    return NULL_ANSWER;
  }
}

/** The units that a unit is linked with. */
@Controller('api/lib/:kind/unit/:unit/link/:direction')
@UseInterceptors(TenancyInterceptor)
export class LinkedController {
  constructor(private readonly reader: LinkReader) {}

  @Get()
  list(@Scope() scope: RequestScope, @Param() path: WalkPath, @Req() request: HttpRequest): Promise<Answer> {
    return this.reader.list(scope, path, request.url);
  }
}
