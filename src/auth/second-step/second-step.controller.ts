import { Controller, Delete, Get, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { refuseQuery } from '../../http/route/parse-list-query.js';
import { ForHeldMembers } from '../../tenancy/route-options.js';
import { AnyInput, Input, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, readInSession, requireSession, WithoutKeyInterceptor } from '../auth-request.js';
import { CodeBody, ConfirmBody } from './second-step.dto.js';
import { ConfirmService } from './confirm.service.js';
import { SecondStepService } from './second-step.service.js';

const ROUTE = { tag: 'Authentication', needs: 'bearer' } as const;

/** The second step of the member that is signed in. */
@Controller('api/lib/auth')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class SecondStepController {
  constructor(
    private readonly confirms: ConfirmService,
    private readonly steps: SecondStepService,
  ) {}

  @Get('second_step')
  @ApiRoute({
    id: 'auth.second_step',
    ...ROUTE,
    summary: 'What the second step of the member is',
    content: 'secondStep',
  })
  @NoStore()
  state(@Scope() scope: RequestScope, @Req() request: HttpRequest): Promise<Answer> {
    requireSession(scope.caller);
    refuseQuery(request.url);
    return this.steps.state(scope);
  }

  @Post('totp')
  @ApiRoute({
    id: 'auth.totp',
    ...ROUTE,
    summary: 'Make a secret for an authenticator app',
    description: 'It is asked for when its first code has been given.',
    content: 'totp',
    refuses: [409],
  })
  @NoStore()
  async begin(@Scope() scope: RequestScope, @AnyInput() read: BodyInput): Promise<Answer> {
    await readInSession(scope, read);
    return this.steps.begin(scope);
  }

  @Post('totp/confirm')
  @ApiRoute({
    id: 'auth.confirm_totp',
    ...ROUTE,
    summary: 'Switch the authenticator app on by its first code; every other session ends',
    body: CodeBody,
    content: 'recoveryCodes',
    refuses: [409, 429],
  })
  @NoStore()
  async confirm(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(CodeBody) read: BodyInput<CodeBody>,
  ): Promise<Answer> {
    const { code } = await readInSession(scope, read);
    return this.steps.confirm(scope, authRequestOf(request), code);
  }

  @Delete('totp')
  @ApiRoute({
    id: 'auth.remove_totp',
    ...ROUTE,
    summary: 'Remove the authenticator app',
    content: 'nothing',
    refuses: [409],
  })
  @NoStore()
  async remove(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    await readInSession(scope, read);
    return this.steps.remove(scope, authRequestOf(request));
  }

  @Post('recovery_codes')
  @ApiRoute({
    id: 'auth.recovery_codes',
    ...ROUTE,
    summary: 'Make new recovery codes in place of the former ones',
    content: 'recoveryCodes',
    refuses: [409],
  })
  @NoStore()
  async renewCodes(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    await readInSession(scope, read);
    return this.steps.renewCodes(scope, authRequestOf(request));
  }

  @Post('confirm')
  @ApiRoute({
    id: 'auth.confirm',
    ...ROUTE,
    summary: 'Prove once more who you are',
    body: ConfirmBody,
    content: 'nothing',
    refuses: [429],
  })
  @NoStore()
  async prove(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(ConfirmBody) read: BodyInput<ConfirmBody>,
  ): Promise<Answer> {
    return this.confirms.prove(scope, authRequestOf(request), await readInSession(scope, read));
  }
}
