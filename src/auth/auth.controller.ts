import { Controller, Get, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { ApiRoute } from '../http/route/api-route.js';
import { NULL_ANSWER, type Answer } from '../http/answer/answer.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import type { HttpRequest } from '../http/request/request.js';
import { ForHeldMembers, WithoutAccessToken } from '../tenancy/route-options.js';
import { AnyInput, Input, type BodyInput } from '../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { AuthService } from './auth.service.js';
import { ChangePasswordBody, RecoverPasswordBody, ResetPasswordBody, SignInBody, SignUpBody } from './auth.dto.js';
import { authRequestOf, NoStore, refuseKey, WithoutKeyInterceptor } from './auth-request.js';
import { VerificationMails } from './email/verification-mails.js';
import { PasswordService } from './password/password.service.js';
import { RefreshCookies } from './session/refresh-cookie.js';
import { RefreshTokenGuard, refreshClaims } from './session/refresh-token.strategy.js';
import { SignInService } from './sign-in.service.js';

const AUTH_ROUTE = { tag: 'Authentication', refuses: [429] } as const;
const BEARER_ONLY = { tag: 'Authentication', needs: 'bearer', content: 'nothing' } as const;
const VERIFY = { ...BEARER_ONLY, summary: 'Verify an access token' } as const;
const REFRESH = {
  tag: 'Authentication',
  needs: 'bearer',
  content: 'session',
  refuses: [403],
  summary: 'Refresh a session; the bearer is the refresh token, or its cookie',
} as const;

/**
 * Authentication. Routes without parameters ignore their body, but it must be JSON. Sign-up, sign-in and recovery
 * ignore an access token that a client sends along.
 */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly mails: VerificationMails,
    private readonly passwords: PasswordService,
    private readonly signIns: SignInService,
    private readonly cookies: RefreshCookies,
  ) {}

  @Post(':member_kind_id/signup')
  @ApiExtraModels(SignUpBody)
  @ApiRoute({
    id: 'signup',
    ...AUTH_ROUTE,
    of: 'members',
    rights: ['signup'],
    needs: 'project',
    summary: 'Sign up as %',
    form: 'signup',
    content: 'session',
    refuses: [429, 409],
  })
  @NoStore()
  @WithoutAccessToken()
  async signUp(
    @Scope() { project }: RequestScope,
    @Param('member_kind_id') kind: string,
    @Req() request: HttpRequest,
    @AnyInput('bodyLimit') read: BodyInput,
  ): Promise<Answer> {
    const client = authRequestOf(request);
    const made = await this.mails.afterSignUp(project, client, () => this.auth.signUp(project, client, kind, read));
    return made ? this.cookies.sessionAnswer(project, client.inCookie, made) : NULL_ANSWER;
  }

  @Post('signin')
  @ApiRoute({
    id: 'auth.signin',
    ...AUTH_ROUTE,
    needs: 'project',
    summary: 'Sign in',
    description:
      'Where a second step is missing, the answer is null, and `kind-second-step` says which; the next request sends its code along.',
    body: SignInBody,
    content: 'sessionOrCode',
  })
  @NoStore()
  @WithoutAccessToken()
  async signIn(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @Input(SignInBody) read: BodyInput<SignInBody>,
  ): Promise<Answer> {
    return this.signIns.signIn(project, authRequestOf(request), await read());
  }

  @Get('verify')
  @ApiRoute({ id: 'auth.verify', ...VERIFY })
  @NoStore()
  async verify(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    const answer = await this.auth.verify(scope);
    refuseQuery(request.url);
    return answer;
  }

  @Post('verify')
  @ApiRoute({ id: 'auth.verify_by_post', ...VERIFY })
  @NoStore()
  async verifyByPost(@Scope() scope: RequestScope, @AnyInput() read: BodyInput): Promise<Answer> {
    const answer = await this.auth.verify(scope);
    await read();
    return answer;
  }

  @Get('refresh')
  @ApiRoute({ id: 'auth.refresh', ...REFRESH })
  @NoStore()
  @WithoutAccessToken()
  @UseGuards(RefreshTokenGuard)
  async refresh(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    refuseKey(request);
    const client = authRequestOf(request);
    this.cookies.checkOrigin(request);
    const claims = refreshClaims(request, project);
    refuseQuery(request.url);
    return this.auth.refresh(project, client, claims);
  }

  @Post('refresh')
  @ApiRoute({ id: 'auth.refresh_by_post', ...REFRESH })
  @NoStore()
  @WithoutAccessToken()
  @UseGuards(RefreshTokenGuard)
  async refreshByPost(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    const client = authRequestOf(request);
    this.cookies.checkOrigin(request);
    const claims = refreshClaims(request, project);
    await read();
    return this.auth.refresh(project, client, claims);
  }

  @Post('signout')
  @ApiRoute({ id: 'auth.signout', ...BEARER_ONLY, summary: 'Sign out' })
  @NoStore()
  signOut(@Scope() scope: RequestScope, @Req() request: HttpRequest, @AnyInput() read: BodyInput): Promise<Answer> {
    return this.auth.signOut(scope, authRequestOf(request), read);
  }

  @Post('change_password')
  @ApiRoute({
    id: 'auth.change_password',
    ...BEARER_ONLY,
    summary: 'Change the password; every other session ends',
    body: ChangePasswordBody,
    refuses: [429],
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
    ...AUTH_ROUTE,
    needs: 'project',
    summary: 'Ask for a mail to set a new password',
    body: RecoverPasswordBody,
    content: 'nothing',
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
    ...AUTH_ROUTE,
    needs: 'project',
    summary: 'Set a new password',
    body: ResetPasswordBody,
    content: 'nothing',
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
