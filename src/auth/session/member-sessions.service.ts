/** What administrators see and end of the sessions of members. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { NULL_ANSWER, pageAnswer, type Answer } from '../../http/answer/answer.js';
import type { PageQuery } from '../../http/route/parse-list-query.js';
import { refusal } from '../../shared/errors.js';
import { isUuid } from '../../shared/identifiers.js';
import { shortened } from '../../shared/texts.js';
import type { EndedSessions } from '../../sql/member/session.sql.js';
import { AuditLog } from '../../tenancy/audit-log.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { type Credential, findCredential } from '../credential.js';
import { requireAdministrator } from '../auth-request.js';
import { SessionStore } from './session-store.js';
import { usedBy } from '../../catalog/session/executors.js';

@Injectable()
export class MemberSessionsService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly sessions: SessionStore,
    private readonly audit: AuditLog,
  ) {}

  /** The sessions of a member, the newest first. @throws KindError 404 */
  async list({ project, caller }: RequestScope, memberId: string, page: PageQuery): Promise<Answer> {
    const { sessionId: currentId } = requireAdministrator(caller);
    return this.catalog.inProject(project, async () => {
      await this.#find(project, memberId);
      return pageAnswer(await this.sessions.list(project, { ...page, memberId, currentId }));
    });
  }

  /** Ends one session of a member, or all. @throws KindError 404 */
  async end(scope: RequestScope, memberId: string, sessionId?: string): Promise<Answer> {
    const { project, caller, requestId } = scope;
    await this.catalog.inProject(project, async () => {
      const { member_kind: kind, member_id: id } = await this.#find(project, memberId);
      const which: EndedSessions = sessionId === undefined ? { memberId } : { id: sessionId, memberId };
      const end = (): Promise<number> =>
        this.database.transaction(async (tx) => {
          const sessions = await this.sessions.end(tx, project, which);
          const entry = { action: 'member.signed_out', project: project.id, caller, requestId } as const;
          if (sessions > 0) this.audit.record({ ...entry, details: { kind, id, sessions } }, tx);
          return sessions;
        }, usedBy(scope));
      const isKnown = sessionId === undefined || isUuid(sessionId);
      const count = isKnown ? await end() : 0;
      if (sessionId !== undefined && count === 0) {
        throw refusal('session.unknown', `That member has no session '${shortened(sessionId)}'`);
      }
    });
    return NULL_ANSWER;
  }

  async #find(project: Project, memberId: string): Promise<Credential> {
    const found = await findCredential(this.database.ofProject(project), project, memberId);
    if (!found) throw refusal('unit.unknown', `No member has the id '${shortened(memberId)}'`);
    return found;
  }
}
