import { Controller, Delete, Param, Req, UseInterceptors } from '@nestjs/common';
import type { Answer } from '../../http/answer/answer.js';
import type { HttpRequest } from '../../http/request/request.js';
import { ApiRoute } from '../../http/route/api-route.js';
import { AnyInput, type BodyInput } from '../../tenancy/request-bodies.js';
import { Scope, type RequestScope } from '../../tenancy/request-scope.js';
import { TenancyInterceptor } from '../../tenancy/tenancy.interceptor.js';
import { authRequestOf, NoStore, requireAdministrator, WithoutKeyInterceptor } from '../auth-request.js';
import { SecondStepService } from './second-step.service.js';

/** What administrators do about the second step of others. */
@Controller('api/lib')
@UseInterceptors(TenancyInterceptor, WithoutKeyInterceptor)
export class MemberSecondStepController {
  constructor(private readonly steps: SecondStepService) {}

  @Delete(':kind_id/unit/:unit_id/second_step')
  @ApiRoute({
    id: 'auth.remove_second_step',
    tag: 'Authentication',
    needs: 'bearer',
    administrators: true,
    of: 'members',
    joint: true,
    summary: 'Remove the authenticator app of a member that has lost it',
    content: 'nothing',
    refuses: [404, 409],
  })
  @NoStore()
  async remove(
    @Scope() scope: RequestScope,
    @Param() { kind_id: kind, unit_id: id }: { readonly kind_id: string; readonly unit_id: string },
    @Req() request: HttpRequest,
    @AnyInput() read: BodyInput,
  ): Promise<Answer> {
    requireAdministrator(scope.caller);
    await read();
    return this.steps.removeOf(scope, authRequestOf(request), kind, id);
  }
}
