import { Controller, Get, Post, Req, UseInterceptors } from '@nestjs/common';
import { checkAdministrator } from '../access/access.js';
import type { Session } from '../catalog/session/session.js';
import { Answer, NULL_ANSWER, pageAnswer } from '../http/answer/answer.js';
import { readDto, Text } from '../http/body/dto.js';
import { parseBody, type ReceivedBody } from '../http/body/read-body.js';
import type { HttpRequest } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { parsePageQuery, refuseQuery } from '../http/route/parse-list-query.js';
import { PAGE_QUERY } from '../http/route/query-names.js';
import { reading, type Command } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import type { Caller } from '../tenancy/caller.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { DeliveryLog } from './delivery-log.js';
import { Pings } from './pings.js';

/** Where a paused webhook goes on. */
class ResumeBody {
  @Text({ description: '`stopped`, `now`, or a time: what was delivered since then is sent again, under the same id.' })
  from!: string;
}

const ROUTE = { tag: 'Webhooks', needs: 'bearer', administrators: true } as const;
const NO_STORE = { 'Cache-Control': 'no-store' };

/** What administrators do with webhooks beside writing them, which are units of `webhook`. */
@Controller('api/lib/webhook/unit/:webhook_id')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class WebhookController {
  constructor(
    private readonly pings: Pings,
    private readonly log: DeliveryLog,
  ) {}

  @Post('ping')
  @ApiRoute({
    ...ROUTE,
    id: 'webhook.ping',
    summary: 'Send a test message to a webhook',
    description: 'Once, whatever its state. It is answered when the receiver has answered, or the attempt has failed.',
    content: 'webhookPing',
    alone: true,
    refuses: [404, 409, 429],
  })
  ping(@Req() request: HttpRequest): Command {
    return writing(request, async (session, id) => {
      return new Answer(JSON.stringify(await this.pings.ping(session, id)));
    });
  }

  @Post('rotate')
  @ApiRoute({
    ...ROUTE,
    id: 'webhook.rotate',
    summary: 'Give a webhook another secret',
    description: 'This answer alone has it. The former one signs too for 24 hours.',
    content: 'webhookSecret',
    alone: true,
    refuses: [404],
  })
  rotate(@Req() request: HttpRequest): Command {
    return writing(request, async (session, id) => {
      const secret = await this.log.rotate(session, id);
      return new Answer(JSON.stringify({ id, secret }), undefined, NO_STORE);
    });
  }

  @Post('resume')
  @ApiRoute({
    ...ROUTE,
    id: 'webhook.resume',
    summary: 'Let a webhook go on',
    body: ResumeBody,
    content: 'nothing',
    alone: true,
    refuses: [404],
  })
  resume(@Req() request: HttpRequest): Command {
    return writing(request, async (session, id, bytes) => {
      const body = await parseBody(bytes, request.headers['content-type'], session.project.schema);
      await this.log.resume(session, id, readDto(ResumeBody, body).from);
      return NULL_ANSWER;
    });
  }

  @Get('delivery')
  @ApiRoute({
    ...ROUTE,
    id: 'webhook.deliveries',
    summary: 'List the deliveries of a webhook, the newest first',
    query: PAGE_QUERY,
    content: 'webhookDeliveries',
    alone: true,
    refuses: [404],
  })
  list(@Req() { url, params }: HttpRequest): Command {
    return reading(({ caller }) => {
      authorize(caller);
      return {
        checked: true,
        run: async (session) => {
          return pageAnswer(await this.log.list(session, idIn(params, 'webhook_id'), parsePageQuery(url)));
        },
      };
    });
  }

  @Get('delivery/:delivery_id')
  @ApiRoute({
    ...ROUTE,
    id: 'webhook.delivery',
    summary: 'Read a delivery, with what was sent',
    content: 'webhookDelivery',
    alone: true,
    refuses: [404],
  })
  get(@Req() { url, params }: HttpRequest): Command {
    return reading(({ caller }) => {
      authorize(caller);
      return {
        checked: true,
        run: async (session) => {
          refuseQuery(url);
          const [hook, id] = [idIn(params, 'webhook_id'), idIn(params, 'delivery_id')];
          return new Answer(await this.log.get(session, hook, id), undefined, NO_STORE);
        },
      };
    });
  }

  @Post('delivery/:delivery_id/retry')
  @ApiRoute({
    ...ROUTE,
    id: 'webhook.retry',
    summary: 'Send a delivery again',
    description: 'The same message, under the same id.',
    content: 'nothing',
    alone: true,
    refuses: [404],
  })
  retry(@Req() request: HttpRequest): Command {
    return writing(request, async (session, id) => {
      await this.log.retry(session, id, idIn(request.params, 'delivery_id'));
      return NULL_ANSWER;
    });
  }
}

/** A write of administrators that is no edit of the unit. */
function writing(
  { url, params }: HttpRequest,
  work: (session: Session, hookId: string, bytes: ReceivedBody) => Promise<Answer>,
): Command {
  return {
    authorize: ({ caller }) => {
      authorize(caller);
      return {
        effect: 'write',
        body: 'small',
        checked: true,
        run: async (session, bytes) => {
          refuseQuery(url);
          return work(session, idIn(params, 'webhook_id'), bytes);
        },
      };
    },
  };
}

function idIn(params: HttpRequest['params'], name: string): string {
  return String(params[name]);
}

function authorize(caller: Caller): void {
  checkAdministrator(caller, 'Only administrators use webhooks');
}
