/** What members see and end of their own sessions, and what they see of themselves. */
import { Injectable } from '@nestjs/common';
import { readableFields } from '../../access/masks.js';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { jsonAnswer, NULL_ANSWER, pageAnswer, type Answer } from '../../http/answer/answer.js';
import type { PageQuery } from '../../http/route/parse-list-query.js';
import { isMemberKind } from '../../model/model.js';
import { refusal } from '../../shared/errors.js';
import { isUuid } from '../../shared/identifiers.js';
import { findMemberStatement } from '../../sql/credential.sql.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { requireMember } from './required-member.js';
import { SessionStore } from './session-store.js';

@Injectable()
export class SessionService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * The fields of the member that it may read, whatever `read` of its kind says, with `administrator` and `groups`.
   * @throws KindError 401
   */
  me({ project, caller }: RequestScope): Promise<Answer> {
    const member = requireMember(caller);
    return this.catalog.withCheckedModel(project, async (model) => {
      const kind = model.kinds.get(member.kindId);
      if (!kind?.active || !isMemberKind(kind)) throw refusal('token.invalid', 'The kind of this member is inactive');
      const fields = [...readableFields(kind, member).values()];
      const statement = findMemberStatement(project.schema, kind, fields, member.id);
      const [row] = await this.database.run<{ body: string }>(statement);
      if (!row) throw refusal('token.invalid', 'The member of this token is deleted');
      const record = JSON.parse(row.body) as Record<string, unknown>;
      return jsonAnswer({ ...record, administrator: member.admin, groups: kind.groups });
    });
  }

  /** The sessions of the member, the newest first. @throws KindError 401 */
  async list({ project, caller }: RequestScope, { limit, offset }: PageQuery): Promise<Answer> {
    const { id: memberId, sessionId: currentId } = requireMember(caller);
    const page = { memberId, currentId, limit, offset };
    return pageAnswer(await this.catalog.inProject(project, () => this.sessions.list(project, page)));
  }

  /** Ends a session of the member, which may be the one of the request. @throws KindError 401, 404 */
  async end({ project, caller }: RequestScope, id: string): Promise<Answer> {
    const { id: memberId } = requireMember(caller);
    const end = () => this.sessions.end(this.database, project, { id, memberId });
    const ended = isUuid(id) ? await this.catalog.inProject(project, end) : 0;
    if (ended === 0) throw refusal('session.unknown', `You have no session '${id.slice(0, 80)}'`);
    return NULL_ANSWER;
  }
}
