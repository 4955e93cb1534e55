import { Controller, Get, Header, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import { refuseQuery } from '../http/list-query.js';
import type { HttpRequest } from '../http/request.js';
import { WithoutAccessToken } from '../tenancy/route-options.js';
import { AnyInput, Input, type ReadInput } from '../tenancy/input.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { AuthService } from './auth.service.js';
import { ChangePasswordBody } from './dto/change-password.dto.js';
import { RecoverPasswordBody } from './dto/recover-password.dto.js';
import { ResetPasswordBody } from './dto/reset-password.dto.js';
import { SignInBody } from './dto/sign-in.dto.js';
import { RecoveryService } from './recovery.service.js';
import { RefreshTokenGuard, refreshClaims } from './refresh-token.strategy.js';
import { SignInService } from './sign-in.service.js';
import { visitOf } from './visit.js';

const NoStore = () => Header('Cache-Control', 'no-store');

/**
 * Authentication. A body that a route does not need is passed over, but it has to be JSON. Who signs up, signs in or
 * recovers a password is nobody yet: a token that is sent along all the same, by a client that always sends one, is not
 * looked at.
 */
@Controller('api/lib/auth')
@UseInterceptors(TenancyInterceptor)
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly recovery: RecoveryService,
    private readonly signIns: SignInService,
  ) {}

  @Post(':kind/signup')
  @NoStore()
  @WithoutAccessToken()
  signUp(
    @Scope() { project }: RequestScope,
    @Param('kind') kind: string,
    @Req() request: HttpRequest,
    @AnyInput('bodyLimit') read: ReadInput,
  ): Promise<Answer> {
    return this.auth.signUp(project, visitOf(request), kind, read);
  }

  @Post('signin')
  @NoStore()
  @WithoutAccessToken()
  async signIn(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @Input(SignInBody) read: ReadInput<SignInBody>,
  ): Promise<Answer> {
    return this.signIns.signIn(project, visitOf(request), await read());
  }

  @Get('verify')
  @NoStore()
  async verify(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    const answer = await this.auth.verify(scope);
    refuseQuery(request.url);
    return answer;
  }

  @Post('verify')
  @NoStore()
  async verifyByPost(@Scope() scope: RequestScope, @AnyInput() read: ReadInput): Promise<Answer> {
    const answer = await this.auth.verify(scope);
    await read();
    return answer;
  }

  @Get('refresh')
  @NoStore()
  @WithoutAccessToken()
  @UseGuards(RefreshTokenGuard)
  async refresh(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    const claims = refreshClaims(request, project);
    refuseQuery(request.url);
    return this.auth.refresh(project, claims);
  }

  @Post('refresh')
  @NoStore()
  @WithoutAccessToken()
  @UseGuards(RefreshTokenGuard)
  async refreshByPost(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @AnyInput() read: ReadInput,
  ): Promise<Answer> {
    const claims = refreshClaims(request, project);
    await read();
    return this.auth.refresh(project, claims);
  }

  @Post('signout')
  @NoStore()
  signOut(@Scope() scope: RequestScope, @AnyInput() read: ReadInput): Promise<Answer> {
    return this.auth.signOut(scope, read);
  }

  @Post('change_password')
  @NoStore()
  changePassword(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(ChangePasswordBody) read: ReadInput<ChangePasswordBody>,
  ): Promise<Answer> {
    return this.auth.changePassword(scope, visitOf(request), read);
  }

  @Post('recover_password')
  @NoStore()
  @WithoutAccessToken()
  async recover(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @Input(RecoverPasswordBody) read: ReadInput<RecoverPasswordBody>,
  ): Promise<Answer> {
    return this.recovery.request(project, visitOf(request), await read());
  }

  @Post('reset_password/:token')
  @NoStore()
  @WithoutAccessToken()
  reset(
    @Scope() { project }: RequestScope,
    @Param('token') token: string,
    @Req() request: HttpRequest,
    @Input(ResetPasswordBody) read: ReadInput<ResetPasswordBody>,
  ): Promise<Answer> {
    return this.recovery.reset(project, visitOf(request), token, read);
  }
}
