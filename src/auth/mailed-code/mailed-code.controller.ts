import { Controller, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { ForHeldMembers, WithoutAccessToken } from '../../tenancy/route-options.js';
import { Input, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, WithoutKeyInterceptor } from '../auth-request.js';
import { MailedCodeBody, MailedCodeRequestBody } from './mailed-code.dto.js';
import { MailedCodeService } from './mailed-code.service.js';

const ROUTE = { tag: 'Authentication', needs: 'project', refuses: [429] } as const;

/** Sign-in with a code that is mailed. */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class MailedCodeController {
  constructor(private readonly codes: MailedCodeService) {}

  @Post('code')
  @ApiRoute({
    id: 'auth.code',
    ...ROUTE,
    summary: 'Ask for a mail with a code to sign in',
    description: 'The answer is the same whoever has the address.',
    body: MailedCodeRequestBody,
    content: 'nothing',
  })
  @NoStore()
  @WithoutAccessToken()
  async request(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @Input(MailedCodeRequestBody) read: BodyInput<MailedCodeRequestBody>,
  ): Promise<Answer> {
    return this.codes.request(project, authRequestOf(request), await read());
  }

  @Post('code/signin')
  @ApiRoute({
    id: 'auth.code_signin',
    ...ROUTE,
    summary: 'Sign in with a mailed code',
    description:
      'Where a second step is missing, the answer is null, and `kind-second-step` says which; the next request sends its code along.',
    body: MailedCodeBody,
    content: 'sessionOrCode',
  })
  @NoStore()
  @WithoutAccessToken()
  async signIn(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(MailedCodeBody) read: BodyInput<MailedCodeBody>,
  ): Promise<Answer> {
    return this.codes.signIn(scope, authRequestOf(request), await read());
  }
}
