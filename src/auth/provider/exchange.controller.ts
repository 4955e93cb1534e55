import { Controller, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { ForHeldMembers } from '../../tenancy/route-options.js';
import { Input, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, readInSession, WithoutKeyInterceptor } from '../auth-request.js';
import { ExchangeBody, LinkBody } from './exchange.dto.js';
import { ExchangeService } from './exchange.service.js';

/** Applications exchange the code of a sign-in with an identity provider; members link their accounts there. */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class ExchangeController {
  constructor(private readonly service: ExchangeService) {}

  @Post('exchange')
  @ApiRoute({
    id: 'auth.exchange',
    tag: 'Authentication',
    needs: 'access',
    summary: 'Exchange the code of a sign-in with an identity provider for a session',
    description:
      'Once, within a minute. Where a second step is missing, the answer is null, and `kind-second-step` says which; the next request, within five minutes, sends its code along. With a `link` ticket it links the account, and needs the bearer of the session that made the ticket.',
    body: ExchangeBody,
    content: 'sessionOrCode',
    refuses: [409, 429],
  })
  @NoStore()
  async exchange(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(ExchangeBody) read: BodyInput<ExchangeBody>,
  ): Promise<Answer> {
    return this.service.exchange(scope, authRequestOf(request), await read());
  }

  @Post('identity/link')
  @ApiRoute({
    id: 'auth.link_identity',
    tag: 'Authentication',
    needs: 'bearer',
    summary: 'Make a ticket to link an account of an identity provider',
    description: 'It is the query parameter `link` of the start, once, within five minutes.',
    body: LinkBody,
    content: 'ticket',
    refuses: [404],
  })
  @NoStore()
  async link(@Scope() scope: RequestScope, @Input(LinkBody) read: BodyInput<LinkBody>): Promise<Answer> {
    return this.service.ticket(scope, await readInSession(scope, read));
  }
}
