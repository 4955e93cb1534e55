/** The caller of a request: by the access token of a session, or by an API key. */
import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../http/request/request.js';
import type { MaybePromise } from '../shared/work-in-pieces.js';
import { ANONYMOUS, CallerResolver, type Caller, type MemberCaller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { ProjectStore } from '../tenancy/project-store.js';
import { bearerOf } from './session/bearer.js';
import { SessionStore } from './session/session-store.js';
import { TokenService } from './session/token.service.js';
import { isApiKey, KeyStore } from './keys/key-store.js';

@Injectable()
export class RequestCallers extends CallerResolver {
  constructor(
    private readonly tokens: TokenService,
    private readonly keys: KeyStore,
    private readonly sessions: SessionStore,
    private readonly projects: ProjectStore,
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

  expiryOf({ headers: { authorization } }: HttpRequest): number {
    return authorization === undefined ? Infinity : this.tokens.expiryOf(authorization);
  }

  async current(
    known: Project,
    members: ReadonlySet<MemberCaller>,
  ): Promise<ReadonlyMap<MemberCaller, MemberCaller | undefined>> {
    // Its settings may hold members back who were not held when what they do began.
    const project = (await this.projects.find(known.id)) ?? known;
    const [sessions, scopes] = await Promise.all([
      this.sessions.alive(
        project,
        [...members].flatMap(({ key, sessionId }) => (key ? [] : [sessionId])),
      ),
      this.keys.scopesOf(
        project,
        [...members].flatMap(({ key }) => (key ? [key.id] : [])),
      ),
    ]);
    const now = (member: MemberCaller): MemberCaller | undefined => {
      const { key, sessionId } = member;
      if (!key) return sessions.has(sessionId) ? member : undefined;
      if (!scopes.has(key.id)) return undefined;
      const scope = scopes.get(key.id);
      return scope?.id === key.scope?.id ? member : { ...member, key: { ...key, scope } };
    };
    return new Map([...members].map((member) => [member, now(member)]));
  }
}
