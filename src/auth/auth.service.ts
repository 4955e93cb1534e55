/** Sign-up, refresh, verification and sign-out. */
import { Injectable } from '@nestjs/common';
import { checkHasTable, grantOf, memberKindOf } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { withOrigin } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { NULL_ANSWER, type Answer } from '../http/answer/answer.js';
import { isMemberKind, type Model } from '../model/model.js';
import { Faults, KindError, afterPartialWrite, refusal } from '../shared/errors.js';
import { shortened } from '../shared/texts.js';
import { setPasswordStatement } from '../sql/member/credential.sql.js';
import { ANONYMOUS, SYSTEM } from '../tenancy/caller.js';
import type { BodyInput } from '../tenancy/request-bodies.js';
import type { Project } from '../tenancy/project.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { Behaviors } from '../unit/draft/behavior.js';
import { usedBy } from '../catalog/session/executors.js';
import { UnitStores } from '../unit/unit-stores.js';
import { atSignUpPath, readSignUp } from './auth.dto.js';
import { insertedId } from './password/credential.js';
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
    private readonly stores: UnitStores,
    private readonly behaviors: Behaviors,
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
    const createMember = (model: Model) => {
      const { kind, access } = authorizeSignUp(model, kindId);
      const { deployment } = this.behaviors;
      return this.database.transaction(
        async (tx) => {
          const scope = { project, caller: SYSTEM, originalCaller: ANONYMOUS, model, executor: tx, ...deployment };
          const session = withOrigin(scope, 'signup');
          const rows = await this.stores.of(kind).creates.create(session, kind, [body], {
            writer: ANONYMOUS,
            access,
            faults: faults.except(reported),
          });
          const id = insertedId(rows);
          await tx.run(setPasswordStatement(project.schema, id, hash));
          return this.members.open(tx, project, model, { kindId, memberId: id, client: request });
        },
        usedBy({ project, caller: ANONYMOUS }),
      );
    };
    return this.catalog.withCheckedModel({ project }, async (model) => {
      try {
        return await createMember(model);
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

/**
 * The member kind of a sign-up path. Other kinds are 404 and a closed sign-up is 403, never 401: a token would not
 * help.
 */
function authorizeSignUp(model: Model, kindId: string) {
  const kind = model.kinds.get(kindId);
  if (!kind || !isMemberKind(kind)) throw refusal('kind.unknown', `No member kind '${shortened(kindId)}'`);
  const grant = grantOf(kind, 'signup', ANONYMOUS, model);
  if (!grant) throw refusal('access.denied', `Sign-up to '${kind.id}' is closed`);
  checkHasTable(kind);
  return { kind, access: grant.predicate };
}
