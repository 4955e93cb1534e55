import { Controller, Get, Param, Req, UseInterceptors } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { ADDRESS_QUERY } from '../http/route/query-names.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { WithoutAccessToken, WithProjectInPath } from '../tenancy/route-options.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { ContentCommands, isSigned, unknownFile } from './content.commands.js';

/** Contents at addresses that need no header, for pages and mails. A signature takes the place of a token. */
@Controller('api/lib/project/:project_id/file/:file_id')
@WithProjectInPath(({ params }) => unknownFile(String(params['file_id'])))
@WithoutAccessToken(isSigned)
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class AddressController {
  constructor(private readonly contents: ContentCommands) {}

  @Get()
  @ApiRoute({
    id: 'address',
    tag: 'Files',
    of: 'contents',
    needs: 'nothing',
    summary: 'Download a content by an address without headers',
    description:
      'With `expires` and `signature`, with a token, or as a stranger. A name may follow the id, for whoever saves the content.',
    query: ADDRESS_QUERY,
    media: '*/*',
    alone: true,
    conditional: 'read',
    ranged: true,
    refuses: [401, 403, 404, 416, 429, 503],
  })
  unnamed(@Param('file_id') id: string, @Req() request: HttpRequest): Command {
    return this.contents.addressed(id, request);
  }

  /** The name is not looked at. */
  @Get(':file_name')
  @ApiExcludeEndpoint()
  named(@Param('file_id') id: string, @Req() request: HttpRequest): Command {
    return this.contents.addressed(id, request);
  }
}
