/** Sign-up, refresh, verification and sign-out. */
import { Injectable } from '@nestjs/common';
import { memberKindOf } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { NULL_ANSWER, type Answer } from '../http/answer/answer.js';
import { Faults, KindError, afterPartialWrite, refusal } from '../shared/errors.js';
import { setPasswordStatement } from '../sql/member/credential.sql.js';
import type { BodyInput } from '../tenancy/request-bodies.js';
import type { Project } from '../tenancy/project.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { atSignUpPath, readSignUp } from './auth.dto.js';
import { authorizeSignUp, NewMembers } from './new-members.js';
import { type MemberSession, MemberSessions } from './session/member-session.js';
import { type AuthRequest, requireMember, requireSession } from './auth-request.js';
import { addPasswordFaults, hashPassword } from './password/password-hash.js';
import { RefreshCookies } from './session/refresh-cookie.js';
import { SessionStore } from './session/session-store.js';
import { Throttle } from './throttle.js';
import type { Claims } from './session/token.service.js';

@Injectable()
export class AuthService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly members: MemberSessions,
    private readonly cookies: RefreshCookies,
    private readonly sessions: SessionStore,
    private readonly throttle: Throttle,
    private readonly newMembers: NewMembers,
  ) {}

  /**
   * Creates a member and signs it in, in one transaction. Needs the right `signup` of the kind, not `create`. The
   * password is hashed before the transaction, and only if the body has no fault so far. @throws KindError 400, 403,
   * 404, 409, 429
   */
  async signUp(
    project: Project,
    request: AuthRequest,
    kindId: string,
    read: BodyInput,
  ): Promise<MemberSession | undefined> {
    await this.catalog.withCheckedModel({ project }, (model) => void authorizeSignUp(model, kindId));
    const faults = new Faults();
    const { password, names, rest } = readSignUp(await read(), faults);
    if (password !== undefined) addPasswordFaults(password, [...names.values()], faults);
    let hash = '';
    if (password !== undefined && !faults.any) {
      const { address } = request;
      hash = await this.throttle.countAndRun(project, { address }, () => hashPassword(password, project.id));
    }
    const body = new Map<string, unknown>([...rest, ...names]);
    // Faults of these names are reported already, and the unit lacks them.
    const reported = ['username', 'email'].filter((name) => !names.has(name));
    const member = { kindId, body, faults: faults.except(reported) };
    return this.catalog.withCheckedModel({ project }, async (model) => {
      try {
        return await this.newMembers.create(project, model, member, async (tx, memberId) => {
          await tx.run(setPasswordStatement(project.schema, memberId, hash));
          return this.members.open(tx, project, model, { kindId, memberId, client: request });
        });
      } catch (error) {
        throw error instanceof KindError ? atSignUpPath(error) : error;
      }
    });
  }

  /** Continues the session of a refresh token with a new pair of tokens. @throws KindError 401 */
  refresh(project: Project, client: AuthRequest, { sub, kind, sid, jti }: Claims): Promise<Answer> {
    return this.catalog.withCheckedModel({ project }, async (model) => {
      const grant = await this.sessions.rotate(project, sid, jti, client);
      const member = { kindId: kind, memberId: sub };
      const session = await afterPartialWrite(() => this.members.resume(this.database, project, model, member, grant));
      if (!session) throw refusal('token.invalid', 'The member of this token is gone or inactive');
      return this.cookies.sessionAnswer(project, client.inCookie, session);
    });
  }

  /** Answers null if the token is valid. @throws KindError 401 */
  verify(scope: RequestScope): Promise<Answer> {
    const member = requireMember(scope.caller);
    return this.catalog.withCheckedModel(scope, (model) => {
      memberKindOf(model, member);
      return NULL_ANSWER;
    });
  }

  async signOut({ project, caller }: RequestScope, { inCookie }: AuthRequest, read: BodyInput): Promise<Answer> {
    const { sessionId } = requireSession(caller);
    await read();
    await this.catalog.inProject(project, () => this.sessions.end(this.database, project, { id: sessionId }));
    return this.cookies.endedAnswer(project, inCookie);
  }
}
