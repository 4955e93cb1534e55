import { Controller, Delete, Get, Param, Post, Put, Req, UseInterceptors } from '@nestjs/common';
import { ApiRoute } from '../http/route/api-route.js';
import { urlQueryParameters } from '../http/route/parse-list-query.js';
import {
  DELETE_ENDPOINT_QUERY,
  DRY_RUN_QUERY,
  PATH_ENDPOINT_QUERY,
  WALK_ENDPOINT_QUERY,
} from '../http/route/query-names.js';
import { hasBody } from '../http/body/read-body.js';
import type { HttpRequest } from '../http/request/request.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { LinkReader } from './walk/link.reader.js';
import type { LinkPath } from './link.plan.js';
import { LinkSetService } from './many/link-set.service.js';
import { LinkService, type LinkRequest } from './link.service.js';
import { GROUP_KIND, KIND_KIND } from '../model/built-in-traits.js';
import { MEMBER_GROUP } from '../model/model.js';

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

function linkRequestOf(request: HttpRequest): LinkRequest {
  return { url: request.url, contentType: request.headers['content-type'], body: hasBody(request) };
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
@UseInterceptors(TenancyInterceptor, RunInterceptor)
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
      description: `A kind in \`${MEMBER_GROUP}\` is a member kind: its units get a username and an e-mail, and sign in; \`signup\` in its \`access\` says who may sign up. Rules name the member of a request as \`@member.id\`.`,
      query: DRY_RUN_QUERY,
      content: 'kind',
      refuses: [409],
    },
  )
  create(@Param() params: LinkParams, @Req() request: HttpRequest): Command {
    return this.links.create(linkPathOf(params), linkRequestOf(request));
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
  update(@Param() params: LinkParams, @Req() request: HttpRequest): Command {
    return this.links.update(linkPathOf(params), linkRequestOf(request));
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
  remove(@Param() params: LinkParams, @Req() request: HttpRequest): Command {
    return this.links.remove(linkPathOf(params), request);
  }
}

/** The shortest path from one unit to another. */
@Controller('api/lib/:parent_kind_id/unit/:parent_unit_id/link/path')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class ShortestPathController {
  constructor(private readonly reader: LinkReader) {}

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
  find(@Param() params: WalkStart, @Req() request: HttpRequest): Command {
    const { parent_kind_id: kind, parent_unit_id: unit } = params;
    return this.reader.shortestPath({ kind, unit }, urlQueryParameters(request.url));
  }
}

/** Many links of one unit at once. */
@Controller('api/lib/:parent_kind_id/unit/:parent_unit_id/link/:link_id/:direction')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
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
  create(@Param() params: WalkParams & Pick<LinkParams, 'link_id'>, @Req() request: HttpRequest): Command {
    const { parent_kind_id: kind, parent_unit_id: unit, link_id: link, direction } = params;
    const path = { kind, unit, link, direction };
    return this.links.create(path, { url: request.url, contentType: request.headers['content-type'] });
  }
}

/** The units that a unit is linked with, over one or more steps. */
@Controller('api/lib/:parent_kind_id/unit/:parent_unit_id/link/:direction')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
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
  list(@Param() params: WalkParams, @Req() request: HttpRequest): Command {
    const { parent_kind_id: kind, parent_unit_id: unit, direction } = params;
    return this.reader.list({ kind, unit, direction }, urlQueryParameters(request.url));
  }
}
