/** The caller of a request: by the access token of a session, or by an API key. */
import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../http/request/request.js';
import { isApiKey } from '../shared/key-secret.js';
import type { MaybePromise } from '../shared/work-in-pieces.js';
import { ANONYMOUS, CallerResolver, type Caller, type MemberCaller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { ProjectStore } from '../tenancy/project-store.js';
import { bearerOf } from '../http/request/bearer.js';
import { SessionStore } from './session/session-store.js';
import { TokenService } from './session/token.service.js';
import { KeyStore } from './keys/key-store.js';

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
    const [sessions, keys] = await Promise.all([
      this.sessions.alive(
        project,
        [...members].flatMap(({ key, sessionId }) => (key ? [] : [sessionId])),
      ),
      this.keys.alive(
        project,
        [...members].flatMap(({ key }) => (key ? [key.id] : [])),
      ),
    ]);
    const now = (member: MemberCaller): MemberCaller | undefined => {
      const { key, sessionId } = member;
      if (!key) return ofKind(member, sessions.get(sessionId));
      const found = keys.get(key.id);
      const named = ofKind(member, found?.memberKind);
      // What goes on with another key than an agent's does not with that of an agent.
      if (!named || found?.agent?.writes !== key.agent?.writes) return undefined;
      return found?.scope?.id === key.scope?.id ? named : { ...named, key: { ...key, scope: found?.scope } };
    };
    return new Map([...members].map((member) => [member, now(member)]));
  }
}

/** The member with the id that its kind has now; undefined if that is not known. */
function ofKind(member: MemberCaller, kindId: string | undefined): MemberCaller | undefined {
  if (kindId === undefined) return undefined;
  return member.kindId === kindId ? member : { ...member, kindId };
}
