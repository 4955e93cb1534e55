import { Controller, Delete, Get, Param, Post, Put, Req, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { urlQueryParameters } from '../http/route/parse-list-query.js';
import {
  DELETE_ENDPOINT_QUERY,
  DRY_RUN_QUERY,
  PATH_ENDPOINT_QUERY,
  WALK_ENDPOINT_QUERY,
} from '../http/route/query-names.js';
import { type Answer, NULL_ANSWER } from '../http/answer/answer.js';
import { hasBody } from '../http/body/read-body.js';
import type { HttpRequest } from '../http/request/request.js';
import { bodyBytes, bodyJson } from '../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { WriteInterceptor } from '../unit/write/write.interceptor.js';
import { LinkReader } from './walk/link.reader.js';
import type { LinkPath } from './link.plan.js';
import { LinkSetService } from './set/link-set.service.js';
import { LinkService } from './link.service.js';
import { ShortestPathReader } from './walk/shortest-path.reader.js';
import { GROUP_KIND, KIND_KIND } from '../model/built-in-traits.js';

interface LinkParams {
  readonly parent_kind_id: string;
  readonly parent_unit_id: string;
  readonly link_id: string;
  readonly child_kind_id: string;
  readonly child_unit_id: string;
}

interface WalkStart {
  readonly parent_kind_id: string;
  readonly parent_unit_id: string;
}

interface WalkParams extends WalkStart {
  readonly direction: string;
}

function linkPathOf(params: LinkParams): LinkPath {
  return {
    parentKind: params.parent_kind_id,
    parent: params.parent_unit_id,
    link: params.link_id,
    childKind: params.child_kind_id,
    child: params.child_unit_id,
  };
}

const LINKS = { tag: 'Links', of: 'linkable', joint: true, needs: 'access' } as const;
const SYSTEM = { needs: 'bearer', rights: ['link'] } as const;

/** The parameters of a kind and the kinds of a group have the same routes, as link types of the system. */
const KIND_PARAMETER_ROUTE = {
  ...SYSTEM,
  tag: 'Kinds',
  kind: KIND_KIND,
  path: '/api/lib/kind/unit/{kind_id}/link/parameter/{parameter_type_id}/unit/{parameter_id}',
} as const;
const GROUP_KIND_ROUTE = {
  ...SYSTEM,
  tag: 'Groups',
  kind: GROUP_KIND,
  reads: KIND_KIND,
  path: '/api/lib/group/unit/{group_id}/link/group/kind/unit/{kind_id}',
} as const;

/** Links from one unit to another. */
@Controller('api/lib/:parent_kind_id/unit/:parent_unit_id/link/:link_id/:child_kind_id/unit/:child_unit_id')
@UseInterceptors(TenancyInterceptor, WriteInterceptor)
export class LinkController {
  constructor(private readonly links: LinkService) {}

  /** A body has the values of the link. Where its type has no parameters, one that is sent has to be JSON, and is ignored. */
  @Post()
  @ApiRoute(
    {
      id: 'link',
      ...LINKS,
      rights: ['link'],
      onLinks: 'create',
      summary: 'Link a unit of % with another',
      description:
        'The body has values of the parameters of the link type, if it has any. A link that is there already, with these values, is answered as it is.',
      query: DRY_RUN_QUERY,
      form: 'newLink',
      content: 'link',
      refuses: [409],
    },
    {
      id: 'kind.add_parameter',
      ...KIND_PARAMETER_ROUTE,
      summary: 'Add a parameter to a kind',
      query: DRY_RUN_QUERY,
      content: 'kind',
      refuses: [409],
    },
    {
      id: 'group.add_kind',
      ...GROUP_KIND_ROUTE,
      summary: 'Add a kind to a group',
      query: DRY_RUN_QUERY,
      content: 'kind',
      refuses: [409],
    },
  )
  create(@Scope() scope: RequestScope, @Param() params: LinkParams, @Req() request: HttpRequest): Promise<Answer> {
    const path = linkPathOf(params);
    if (!hasBody(request)) return this.links.create(scope, path, request.url);
    return this.links.create(scope, path, request.url, () => bodyJson(request, 'small'));
  }

  @Put()
  @ApiRoute({
    id: 'update_link',
    ...LINKS,
    rights: ['link'],
    onLinks: 'create',
    summary: 'Change the values of a link of %',
    description: 'Only the parameters of the link type that are named change.',
    query: DRY_RUN_QUERY,
    form: 'link',
    content: 'link',
    refuses: [405],
  })
  update(@Scope() scope: RequestScope, @Param() params: LinkParams, @Req() request: HttpRequest): Promise<Answer> {
    return this.links.update(scope, linkPathOf(params), request.url, () => bodyJson(request, 'small'));
  }

  @Delete()
  @ApiRoute(
    {
      id: 'unlink',
      ...LINKS,
      rights: ['link'],
      onLinks: 'delete',
      summary: 'Take a link from a unit of %',
      query: DRY_RUN_QUERY,
      content: 'nothing',
      refuses: [409],
    },
    {
      id: 'kind.remove_parameter',
      ...KIND_PARAMETER_ROUTE,
      summary: 'Take a parameter from a kind',
      query: DELETE_ENDPOINT_QUERY,
      content: 'nothing',
      refuses: [409],
    },
    {
      id: 'group.remove_kind',
      ...GROUP_KIND_ROUTE,
      summary: 'Remove a kind from a group',
      query: DELETE_ENDPOINT_QUERY,
      content: 'nothing',
      refuses: [409],
    },
  )
  async remove(
    @Scope() scope: RequestScope,
    @Param() params: LinkParams,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    await this.links.remove(scope, linkPathOf(params), request.url);
    return NULL_ANSWER;
  }
}

/** The shortest path from one unit to another. */
@Controller('api/lib/:parent_kind_id/unit/:parent_unit_id/link/path')
@UseInterceptors(TenancyInterceptor)
export class ShortestPathController {
  constructor(private readonly reader: ShortestPathReader) {}

  @Get()
  @ApiRoute({
    id: 'path',
    ...LINKS,
    rights: ['read'],
    summary: 'Find the shortest path from a unit of % to another unit',
    description:
      'The units on the way, the target last, each with the link that leads to it. Empty if both are the same unit; 404 `link.no_path` if there is no path.',
    query: PATH_ENDPOINT_QUERY,
    content: 'linkedUnits',
  })
  find(@Scope() scope: RequestScope, @Param() params: WalkStart, @Req() request: HttpRequest): Promise<Answer> {
    const { parent_kind_id: kind, parent_unit_id: unit } = params;
    return this.reader.find(scope, { kind, unit }, urlQueryParameters(request.url));
  }
}

/** Many links of one unit at once. */
@Controller('api/lib/:parent_kind_id/unit/:parent_unit_id/link/:link_id/:direction')
@UseInterceptors(TenancyInterceptor, WriteInterceptor)
export class LinkSetController {
  constructor(private readonly links: LinkSetService) {}

  @Post()
  @ApiRoute({
    id: 'link_many',
    ...LINKS,
    rights: ['link'],
    onLinks: 'create',
    summary: 'Link a unit of % with many others',
    description:
      'All or none, with the values of each link. With `replace`, all other links of the type in this direction are ' +
      'deleted, except those with units that the caller may not read.',
    query: DRY_RUN_QUERY,
    form: 'links',
    content: 'links',
    refuses: [409],
  })
  create(
    @Scope() scope: RequestScope,
    @Param() params: WalkParams & Pick<LinkParams, 'link_id'>,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    const { parent_kind_id: kind, parent_unit_id: unit, link_id: link, direction } = params;
    return this.links.create(
      scope,
      { kind, unit, link, direction },
      {
        url: request.url,
        bytes: () => bodyBytes(request, 'bodyLimitUnits'),
        contentType: request.headers['content-type'],
      },
    );
  }
}

/** The units that a unit is linked with, over one or more steps. */
@Controller('api/lib/:parent_kind_id/unit/:parent_unit_id/link/:direction')
@UseInterceptors(TenancyInterceptor)
export class LinkedController {
  constructor(private readonly reader: LinkReader) {}

  @Get()
  @ApiRoute({
    id: 'linked',
    ...LINKS,
    rights: ['read'],
    summary: 'List the units that a unit of % is linked with',
    description: 'Each once, the nearest first, with the link by which it was reached.',
    query: WALK_ENDPOINT_QUERY,
    content: 'linkedUnits',
  })
  list(@Scope() scope: RequestScope, @Param() params: WalkParams, @Req() request: HttpRequest): Promise<Answer> {
    const { parent_kind_id: kind, parent_unit_id: unit, direction } = params;
    return this.reader.list(scope, { kind, unit, direction }, urlQueryParameters(request.url));
  }
}
