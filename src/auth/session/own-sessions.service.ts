/** What members do with the session of a request, see and end of their others, and see of themselves. */
import { Injectable } from '@nestjs/common';
import { memberKindOf } from '../../access/access.js';
import { readableFields } from '../../access/masks.js';
import { ownRights } from '../../access/own-rights.js';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { jsonAnswer, NULL_ANSWER, pageAnswer, type Answer, jsonAnswerInPieces } from '../../http/answer/answer.js';
import type { PageQuery } from '../../http/route/parse-list-query.js';
import { afterPartialWrite, refusal } from '../../shared/errors.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { isUuid } from '../../shared/identifiers.js';
import { shortened } from '../../shared/texts.js';
import { runYielding } from '../../shared/work-in-pieces.js';
import { findMemberStatement } from '../../sql/member/credential.sql.js';
import { knowsWholeProject, type MemberCaller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import type { BodyInput } from '../../tenancy/request-bodies.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { UnitStores } from '../../unit/unit-stores.js';
import { type AuthRequest, requireMember, requireSession } from '../auth-request.js';
import { RefreshCookies } from './refresh-cookie.js';
import { SessionOpener } from './session-opener.js';
import { SessionStore } from './session-store.js';
import type { Claims } from './token.service.js';

@Injectable()
export class OwnSessionsService {
  constructor(
    private readonly catalog: Catalog,
    private readonly cookies: RefreshCookies,
    private readonly database: Database,
    private readonly opener: SessionOpener,
    private readonly sessions: SessionStore,
    private readonly stores: UnitStores,
  ) {}

  /** Continues the session of a refresh token with a new pair of tokens. @throws KindError 401 */
  refresh(project: Project, client: AuthRequest, { sub, sid, jti }: Claims): Promise<Answer> {
    return this.catalog.withCheckedModel({ project }, async (model) => {
      const grant = await this.sessions.rotate(project, sid, jti, client);
      const executor = this.database.ofProject(project);
      const member = { kindId: await this.sessions.memberKind(executor, project, sid), memberId: sub };
      const session = await afterPartialWrite(() => this.opener.resume(executor, project, model, member, grant));
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
    await this.catalog.inProject(project, () =>
      this.sessions.end(this.database.ofProject(project), project, { id: sessionId }),
    );
    return this.cookies.endedAnswer(project, inCookie);
  }

  /**
   * The fields of the member that it may read, whatever `read` of its kind says, with `administrator` and `groups`.
   * @throws KindError 401 if the member is deleted or its kind inactive
   */
  me(project: Project, member: MemberCaller): Promise<Answer> {
    return this.catalog.withCheckedModel({ project }, async (model) => {
      const kind = memberKindOf(model, member);
      const fields = [...readableFields(kind, member, model).values()];
      const statement = findMemberStatement(project.schema, kind, fields, member.id);
      const [row] = await this.database.ofProject(project).run<{ body: string }>(statement);
      if (!row) throw refusal('token.invalid', 'The member of this token is deleted');
      const record = JSON.parse(row.body) as Record<string, unknown>;
      return jsonAnswer({ ...record, administrator: member.admin, groups: kind.groups });
    });
  }

  /** What the member may do, also as an API key narrows it. @throws KindError 401 if its kind is inactive */
  rights(project: Project, member: MemberCaller): Promise<Answer> {
    return this.catalog.withCheckedModel({ project }, async (model) => {
      memberKindOf(model, member);
      const yielder = new EventLoopYield(project.schema);
      const found = ownRights(model, member, (kind, operation) => this.stores.of(kind).lacks(kind, project, operation));
      const rights = await runYielding(found, yielder);
      return jsonAnswerInPieces({ administrator: knowsWholeProject(member), ...rights }, yielder);
    });
  }

  /** The sessions of the member, the newest first. */
  async list(project: Project, member: MemberCaller, { limit, offset }: PageQuery): Promise<Answer> {
    const page = { memberId: member.id, currentId: member.sessionId, limit, offset };
    return pageAnswer(await this.catalog.inProject(project, () => this.sessions.list(project, page)));
  }

  /** Ends a session of the member, which may be the one of the request. @throws KindError 404 */
  async end(project: Project, { id: memberId }: MemberCaller, id: string): Promise<Answer> {
    const end = () => this.sessions.end(this.database.ofProject(project), project, { id, memberId });
    const ended = isUuid(id) ? await this.catalog.inProject(project, end) : 0;
    if (ended === 0) throw refusal('session.unknown', `You have no session '${shortened(id)}'`);
    return NULL_ANSWER;
  }

  /** Ends all sessions of the member but that of the request. */
  async endOthers(project: Project, { id: memberId, sessionId: but }: MemberCaller): Promise<Answer> {
    await this.catalog.inProject(project, () =>
      this.sessions.end(this.database.ofProject(project), project, { memberId, but }),
    );
    return NULL_ANSWER;
  }
}
