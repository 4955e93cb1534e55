import { Controller, Delete, Get, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { urlQueryParameters } from '../http/route/parse-list-query.js';
import { CASCADE_QUERY, DRY_RUN_QUERY, HISTORY_QUERY } from '../http/route/query-names.js';
import type { Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { Erasures } from './erasures.js';
import { HistoryCommands } from './history.commands.js';
import { RevertBody } from './revert.body.js';
import { RevertCommands } from './revert.commands.js';

/** What units were. */
@Controller('api/lib/:kind_id')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class HistoryController {
  constructor(
    private readonly history: HistoryCommands,
    private readonly reverts: RevertCommands,
    private readonly erasures: Erasures,
  ) {}

  @Get('history')
  @ApiRoute({
    id: 'history',
    tag: 'Changes',
    of: 'recorded',
    needs: 'access',
    rights: ['history'],
    summary: 'List the versions of all units of %',
    description: 'The newest first, of deleted units too.',
    query: HISTORY_QUERY,
    content: 'versions',
  })
  ofKind(@Param('kind_id') kind: string, @Req() { url }: HttpRequest): Command {
    return this.history.list(kind, undefined, urlQueryParameters(url));
  }

  @Get('unit/:unit_id/history')
  @ApiRoute({
    id: 'unitHistory',
    tag: 'Changes',
    of: 'recorded',
    needs: 'access',
    rights: ['history'],
    summary: 'List the versions of a unit of %',
    description: 'The newest first; also of a unit that was deleted.',
    query: HISTORY_QUERY,
    content: 'versions',
  })
  ofUnit(@Param('kind_id') kind: string, @Param('unit_id') unit: string, @Req() { url }: HttpRequest): Command {
    return this.history.list(kind, unit, urlQueryParameters(url));
  }

  @Post('unit/:unit_id/revert')
  @ApiRoute({
    id: 'revert',
    tag: 'Changes',
    of: 'recorded',
    needs: 'access',
    rights: ['history'],
    summary: 'Put a unit of % back as it was',
    description:
      'An edit of the parameters whose values differ, or of a deleted unit a create with its id. Needs the right to do that.',
    query: [...CASCADE_QUERY, ...DRY_RUN_QUERY],
    body: RevertBody,
    content: 'reverted',
    refuses: [409, 412],
    conditional: 'write',
  })
  revert(@Param('kind_id') kind: string, @Param('unit_id') unit: string, @Req() request: HttpRequest): Command {
    const { url, headers } = request;
    return this.reverts.revert(kind, unit, {
      url,
      contentType: headers['content-type'],
      ifMatch: headers['if-match'],
    });
  }

  @Delete('unit/:unit_id/history')
  @ApiRoute({
    id: 'eraseHistory',
    tag: 'Changes',
    of: 'recorded',
    needs: 'access',
    rights: ['read'],
    administrators: true,
    summary: 'Remove the values in the history of a unit of % for good',
    description: 'What happened when, by whom and to which parameters stays, with `erased`.',
    query: DRY_RUN_QUERY,
    content: 'nothing',
  })
  erase(@Param('kind_id') kind: string, @Param('unit_id') unit: string, @Req() { url }: HttpRequest): Command {
    return this.erasures.erase(kind, unit, url);
  }
}
