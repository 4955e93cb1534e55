import { Controller, Post, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { ForHeldMembers, WithoutAccessToken } from '../../tenancy/route-options.js';
import { AnyInput, Input, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, readInSession, WithoutKeyInterceptor } from '../auth-request.js';
import { PasskeyAnswerBody, PasskeyMadeBody } from './passkey.dto.js';
import { PasskeyService } from './passkey.service.js';

const ROUTE = { tag: 'Authentication' } as const;

/** Members enrol passkeys, and sign in with them. They are listed, renamed and deleted as units. */
@Controller('api/lib/auth/passkey')
@ForHeldMembers()
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class PasskeyController {
  constructor(private readonly passkeys: PasskeyService) {}

  @Post('options')
  @ApiRoute({
    id: 'auth.passkey_options',
    ...ROUTE,
    needs: 'bearer',
    summary: 'What a device needs to make a passkey',
    description: 'For `navigator.credentials.create`. Its challenge is used once, within five minutes.',
    content: 'passkeyOptions',
    refuses: [409],
  })
  @NoStore()
  async options(@Scope() scope: RequestScope, @AnyInput() read: BodyInput): Promise<Answer> {
    await readInSession(scope, read);
    return this.passkeys.options(scope);
  }

  @Post()
  @ApiRoute({
    id: 'auth.passkey',
    ...ROUTE,
    needs: 'bearer',
    summary: 'Enrol a passkey that a device has made',
    body: PasskeyMadeBody,
    content: 'passkey',
    refuses: [409],
  })
  @NoStore()
  async enrol(@Scope() scope: RequestScope, @Input(PasskeyMadeBody) read: BodyInput<PasskeyMadeBody>): Promise<Answer> {
    return this.passkeys.enrol(scope, await readInSession(scope, read));
  }

  @Post('signin/options')
  @ApiRoute({
    id: 'auth.passkey_signin_options',
    ...ROUTE,
    needs: 'project',
    summary: 'What a device needs to use a passkey',
    description: 'For `navigator.credentials.get`. Its challenge is used once, within five minutes.',
    content: 'passkeyOptions',
    refuses: [429],
  })
  @NoStore()
  @WithoutAccessToken()
  async signInOptions(
    @Scope() { project }: RequestScope,
    @Req() request: HttpRequest,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    await read();
    return this.passkeys.signInOptions(project, authRequestOf(request));
  }

  @Post('signin')
  @ApiRoute({
    id: 'auth.passkey_signin',
    ...ROUTE,
    needs: 'project',
    summary: 'Sign in with a passkey',
    body: PasskeyAnswerBody,
    content: 'session',
    refuses: [429],
  })
  @NoStore()
  @WithoutAccessToken()
  async signIn(
    @Scope() scope: RequestScope,
    @Req() request: HttpRequest,
    @Input(PasskeyAnswerBody) read: BodyInput<PasskeyAnswerBody>,
  ): Promise<Answer> {
    return this.passkeys.signIn(scope, authRequestOf(request), await read());
  }
}
