/** What members see and end of their own sessions, and what they see of themselves. */
import { Injectable } from '@nestjs/common';
import { memberKindOf } from '../../access/access.js';
import { readableFields } from '../../access/masks.js';
import { ownRights } from '../../access/own-rights.js';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { jsonAnswer, NULL_ANSWER, pageAnswer, type Answer, jsonAnswerInPieces } from '../../http/answer/answer.js';
import type { PageQuery } from '../../http/route/parse-list-query.js';
import { refusal } from '../../shared/errors.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { isUuid } from '../../shared/identifiers.js';
import { shortened } from '../../shared/texts.js';
import { runYielding } from '../../shared/work-in-pieces.js';
import { findMemberStatement } from '../../sql/member/credential.sql.js';
import { knowsWholeProject, type MemberCaller } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { UnitStores } from '../../unit/unit-stores.js';
import { SessionStore } from './session-store.js';

@Injectable()
export class SessionService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly sessions: SessionStore,
    private readonly stores: UnitStores,
  ) {}

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
    const end = () => this.sessions.end(this.database, project, { id, memberId });
    const ended = isUuid(id) ? await this.catalog.inProject(project, end) : 0;
    if (ended === 0) throw refusal('session.unknown', `You have no session '${shortened(id)}'`);
    return NULL_ANSWER;
  }

  /** Ends all sessions of the member but that of the request. */
  async endOthers(project: Project, { id: memberId, sessionId: but }: MemberCaller): Promise<Answer> {
    await this.catalog.inProject(project, () => this.sessions.end(this.database, project, { memberId, but }));
    return NULL_ANSWER;
  }
}
