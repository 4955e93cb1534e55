import { Controller, Post, Req, UseInterceptors } from '@nestjs/common';
import { checkMemberKind } from '../../access/access.js';
import { parseBody } from '../../http/body/read-body.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { refuseQuery } from '../../http/route/parse-list-query.js';
import { reading, type Command } from '../../run/command.js';
import { RunInterceptor } from '../../run/run.interceptor.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { LiveLists } from './live-lists.js';
import { readLive } from './live.request.js';

@Controller('api/lib/live')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class LiveController {
  constructor(private readonly lists: LiveLists) {}

  @Post()
  @ApiRoute({
    id: 'live',
    tag: 'Changes',
    summary: 'Follow lists and units',
    description:
      'A stream of events: `page` replaces a list, `insert` and `update` put a unit in, `leave` and `delete` take it out, `end` says why the stream ends.',
    needs: 'access',
    form: 'live',
    media: 'text/event-stream',
    alone: true,
    refuses: [429],
  })
  follow(@Req() request: HttpRequest): Command {
    return reading(({ model, caller }) => {
      checkMemberKind(model, caller);
      return {
        body: 'bodyLimit',
        run: async (session, bytes) => {
          refuseQuery(request.url);
          const body = await parseBody(bytes, request.headers['content-type'], session.project.schema);
          return this.lists.open(session, request, readLive(body));
        },
      };
    });
  }
}
