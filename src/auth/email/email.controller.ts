import { Controller, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { ForHeldMembers } from '../../tenancy/route-options.js';
import { AnyInput, Input, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, requireSession, WithoutKeyInterceptor } from '../auth-request.js';
import { ChangeEmailBody, VerifyEmailBody } from './email.dto.js';
import { EmailService } from './email.service.js';

const ROUTE = { tag: 'Authentication', content: 'nothing' } as const;

/** The address of the member that is signed in. */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class EmailController {
  constructor(private readonly emails: EmailService) {}

  @Post('verify_email')
  @ApiRoute({
    id: 'auth.verify_email',
    ...ROUTE,
    needs: 'project',
    summary: 'Prove an e-mail address',
    description:
      'By the code or the token of a mail in the session of its member, or by the token and the password of its member.',
    body: VerifyEmailBody,
    refuses: [403, 409, 429],
  })
  @NoStore()
  async verify(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(VerifyEmailBody) read: BodyInput<VerifyEmailBody>,
  ): Promise<Answer> {
    return this.emails.verify(scope, authRequestOf(request), await read());
  }

  @Post('verify_email/mail')
  @ApiRoute({
    id: 'auth.verification_mail',
    ...ROUTE,
    needs: 'bearer',
    summary: 'Ask for a mail that proves the e-mail address',
    refuses: [429],
  })
  @NoStore()
  async requestMail(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    requireSession(scope.caller);
    await read();
    return this.emails.requestMail(scope, authRequestOf(request));
  }

  @Post('email')
  @ApiRoute({
    id: 'auth.email',
    ...ROUTE,
    needs: 'bearer',
    summary: 'Change the e-mail address, when the new one is proved',
    body: ChangeEmailBody,
    refuses: [429],
  })
  @NoStore()
  async requestChange(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(ChangeEmailBody) read: BodyInput<ChangeEmailBody>,
  ): Promise<Answer> {
    requireSession(scope.caller);
    return this.emails.requestChange(scope, authRequestOf(request), await read());
  }
}
