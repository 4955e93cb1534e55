import { Controller, Get, Inject, Req, UseInterceptors } from '@nestjs/common';
import { type Config, CONFIG } from '../../config/config.js';
import { type Answer, jsonAnswer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { refuseQuery } from '../../http/route/parse-list-query.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { ForHeldMembers } from '../../tenancy/route-options.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { NoStore, requireAdministrator } from '../auth-request.js';

/** Whether mails are sent, or only written to the outbox. */
@Controller('api/lib/auth')
@UseInterceptors(TenancyInterceptor)
@ForHeldMembers()
export class MailController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  @Get('mail')
  @ApiRoute({
    id: 'auth.mail',
    tag: 'Authentication',
    needs: 'bearer',
    administrators: true,
    summary: 'Whether mails are sent',
    content: 'mail',
  })
  @NoStore()
  mail(@Scope() { caller }: RequestScope, @Req() request: HttpRequest): Answer {
    requireAdministrator(caller);
    refuseQuery(request.url);
    return jsonAnswer({ sent: this.config.mailUrl !== undefined });
  }
}
