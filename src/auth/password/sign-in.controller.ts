import { Controller, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { ForHeldMembers, WithoutAccessToken } from '../../tenancy/route-options.js';
import { Input, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, WithoutKeyInterceptor } from '../auth-request.js';
import { SignInBody } from './password.dto.js';
import { SignInService } from './sign-in.service.js';

/** An access token that a client sends along is ignored. */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class SignInController {
  constructor(private readonly signIns: SignInService) {}

  @Post('signin')
  @ApiRoute({
    id: 'auth.signin',
    tag: 'Authentication',
    needs: 'project',
    summary: 'Sign in',
    description:
      'Where a second step is missing, the answer is null, and `kind-second-step` says which; the next request sends its code along.',
    body: SignInBody,
    content: 'sessionOrCode',
    refuses: [429],
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
}
