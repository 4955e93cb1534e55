import { Controller, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { ForHeldMembers, WithoutAccessToken } from '../../tenancy/route-options.js';
import { Input, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, WithoutKeyInterceptor } from '../auth-request.js';
import { ChangePasswordBody, RecoverPasswordBody, ResetPasswordBody } from './password.dto.js';
import { PasswordService } from './password.service.js';

const ROUTE = { tag: 'Authentication', content: 'nothing', refuses: [429] } as const;

/** Changes of passwords. A recovery ignores an access token that a client sends along. */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class PasswordController {
  constructor(private readonly passwords: PasswordService) {}

  @Post('change_password')
  @ApiRoute({
    id: 'auth.change_password',
    ...ROUTE,
    needs: 'bearer',
    summary: 'Change the password; every other session ends',
    body: ChangePasswordBody,
  })
  @NoStore()
  changePassword(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(ChangePasswordBody) read: BodyInput<ChangePasswordBody>,
  ): Promise<Answer> {
    return this.passwords.change(scope, authRequestOf(request), read);
  }

  @Post('recover_password')
  @ApiRoute({
    id: 'auth.recover_password',
    ...ROUTE,
    needs: 'project',
    summary: 'Ask for a mail to set a new password',
    body: RecoverPasswordBody,
  })
  @NoStore()
  @WithoutAccessToken()
  async recover(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @Input(RecoverPasswordBody) read: BodyInput<RecoverPasswordBody>,
  ): Promise<Answer> {
    return this.passwords.requestReset(project, authRequestOf(request), await read());
  }

  @Post('reset_password/:token')
  @ApiRoute({
    id: 'auth.reset_password',
    ...ROUTE,
    needs: 'project',
    summary: 'Set a new password',
    body: ResetPasswordBody,
  })
  @NoStore()
  @WithoutAccessToken()
  reset(
    @Scope() scope: RequestScope,
    @Param('token') token: string,
    @Req() request: HttpRequest,
    @Input(ResetPasswordBody) read: BodyInput<ResetPasswordBody>,
  ): Promise<Answer> {
    return this.passwords.reset(scope, authRequestOf(request), token, read);
  }
}
