import { Controller, Get, Header, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import type { HttpRequest } from '../http/request.js';
import { WithOwnBearer } from '../tenancy/project.guard.js';
import { jsonOf } from '../tenancy/bodies.js';
import { Scope, type RequestScope } from '../tenancy/request-scope.js';
import { TakesBody } from '../tenancy/tenancy.interceptor.js';
import { AuthService } from './auth.service.js';
import { RecoveryService } from './recovery.service.js';
import { RefreshTokenGuard, refreshClaims } from './refresh-token.strategy.js';
import { SignInService } from './sign-in.service.js';
import { visitOf } from './visit.js';

const NoStore = () => Header('Cache-Control', 'no-store');

/** Authentication. A body that a route does not need is passed over, but it has to be JSON. */
@Controller('api/lib/auth')
@TakesBody()
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly recovery: RecoveryService,
    private readonly signIns: SignInService,
  ) {}

  @Post(':kind/signup')
  @NoStore()
  signUp(@Scope() scope: RequestScope, @Param('kind') kind: string, @Req() request: HttpRequest): Promise<Answer> {
    return this.auth.signUp(scope, visitOf(request), kind, () => jsonOf(request));
  }

  @Post('signin')
  @NoStore()
  async signIn(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.signIns.signIn(project, visitOf(request), await jsonOf(request, 'small'));
  }

  @Get('verify')
  @NoStore()
  verify(@Scope() scope: RequestScope): Promise<Answer> {
    return this.auth.verify(scope);
  }

  @Post('verify')
  @NoStore()
  async verifyByPost(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    const answer = await this.auth.verify(scope);
    await jsonOf(request, 'small');
    return answer;
  }

  @Get('refresh')
  @NoStore()
  @WithOwnBearer()
  @UseGuards(RefreshTokenGuard)
  refresh(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.auth.refresh(project, refreshClaims(request));
  }

  @Post('refresh')
  @NoStore()
  @WithOwnBearer()
  @UseGuards(RefreshTokenGuard)
  async refreshByPost(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    await jsonOf(request, 'small');
    return this.auth.refresh(project, refreshClaims(request));
  }

  @Post('signout')
  @NoStore()
  signOut(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.auth.signOut(scope, () => jsonOf(request, 'small'));
  }

  @Post('change_password')
  @NoStore()
  changePassword(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.auth.changePassword(scope, visitOf(request), () => jsonOf(request, 'small'));
  }

  @Post('recover_password')
  @NoStore()
  async recover(@Scope() { project }: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    return this.recovery.request(project, visitOf(request), await jsonOf(request, 'small'));
  }

  @Post('reset_password/:token')
  @NoStore()
  reset(
    @Scope() { project }: RequestScope,
    @Param('token') token: string,
    @Req() request: HttpRequest,
  ): Promise<Answer> {
    return this.recovery.reset(project, visitOf(request), token, () => jsonOf(request, 'small'));
  }
}
