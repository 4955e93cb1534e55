/** The caller of a request: by the access token of a session, or by an API key. */
import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../../http/request/request.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { ANONYMOUS, CallerResolver, type Caller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { bearerOf } from '../session/bearer.js';
import { TokenService } from '../session/token.service.js';
import { isApiKey, KeyStore } from './key-store.js';

@Injectable()
export class RequestCallers extends CallerResolver {
  constructor(
    private readonly tokens: TokenService,
    private readonly keys: KeyStore,
  ) {
    super();
  }

  resolve(request: HttpRequest, project: Project): MaybePromise<Caller> {
    const { authorization } = request.headers;
    if (authorization === undefined) return ANONYMOUS;
    const bearer = bearerOf(authorization);
    if (bearer !== null && isApiKey(bearer)) return this.keys.resolve(bearer, project, request);
    return this.tokens.resolve(authorization, project);
  }
}
