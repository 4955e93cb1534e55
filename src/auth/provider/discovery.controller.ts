import { Controller, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { type Answer, jsonAnswer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { refusal } from '../../shared/errors.js';
import { AnyInput, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, requireAdministrator, WithoutKeyInterceptor } from '../auth-request.js';
import { Throttle } from '../throttle.js';
import { OpenId } from './openid/openid.js';
import { ProviderFailure } from './openid/provider-failure.js';
import { ProviderStore } from './provider-store.js';

/** Administrators try whether a provider can be used, active or not, before members do. */
@Controller('api/lib/identity_provider/unit/:provider_id/discovery')
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class DiscoveryController {
  constructor(
    private readonly openId: OpenId,
    private readonly providers: ProviderStore,
    private readonly throttle: Throttle,
  ) {}

  @Post()
  @ApiRoute({
    id: 'provider.discovery',
    tag: 'Authentication',
    needs: 'bearer',
    administrators: true,
    alone: true,
    summary: 'Read the discovery of an identity provider anew',
    description: 'It tells whether the issuer is right, and why it cannot be used. It does not try the client.',
    content: 'discovery',
    refuses: [404, 429, 503],
  })
  @NoStore()
  async discover(
    @Scope() { project, caller }: RequestScope,
    @Param('provider_id') id: string,
    @Req() request: HttpRequest,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    requireAdministrator(caller);
    await read();
    const issuer = await this.providers.issuerOf(project, id);
    await this.throttle.count(project, authRequestOf(request));
    try {
      const { authorizationEndpoint, tokenEndpoint } = await this.openId.discover(project.schema, issuer);
      return jsonAnswer({ issuer, authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint });
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      throw refusal(error.code, `The identity provider at ${issuer} cannot be used: ${error.reason}`);
    }
  }
}
