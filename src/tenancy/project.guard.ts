import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { HttpRequest } from '../http/request.js';
import { ScopeResolver } from './request-scope.js';

const NO_PROJECT = 'kind:no-project';
const OWN_BEARER = 'kind:own-bearer';

/** For routes outside the tenants: health, metrics, the documentation page. */
export const WithoutProject = () => SetMetadata(NO_PROJECT, true);

/** For routes whose bearer is no access token: they check it themselves. */
export const WithOwnBearer = () => SetMetadata(OWN_BEARER, true);

/** Lets a request in that names a project and carries no bad token. */
@Injectable()
export class ProjectGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly resolver: ScopeResolver,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.reflector.getAllAndOverride(NO_PROJECT, [context.getHandler(), context.getClass()])) return true;
    const ownBearer = this.reflector.getAllAndOverride<boolean>(OWN_BEARER, [context.getHandler(), context.getClass()]);
    const request = context.switchToHttp().getRequest<HttpRequest>();
    return this.resolver.resolve(request, !ownBearer).then(() => true);
  }
}
