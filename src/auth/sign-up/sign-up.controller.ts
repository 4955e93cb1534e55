import { Controller, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { ForHeldMembers, WithoutAccessToken } from '../../tenancy/route-options.js';
import { AnyInput, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, WithoutKeyInterceptor } from '../auth-request.js';
import { SignUpBody } from './sign-up.dto.js';
import { SignUpService } from './sign-up.service.js';

/** An access token that a client sends along is ignored. */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class SignUpController {
  constructor(private readonly signUps: SignUpService) {}

  @Post(':member_kind_id/signup')
  @ApiExtraModels(SignUpBody)
  @ApiRoute({
    id: 'signup',
    tag: 'Authentication',
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
    return this.signUps.signUp(project, authRequestOf(request), kind, read);
  }
}
