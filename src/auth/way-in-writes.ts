/** What writes of units that are ways to sign in, or make one, ask for and lead to: a fresh proof before, a mail after. */
import { Injectable } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import type { OwnedKind } from '../model/built-in-traits.js';
import { ownerStatement } from '../sql/member/owned.sql.js';
import { Notices, type Notice } from './notices.js';
import { FreshProof } from './session/fresh-proof.js';
import { findCredential } from './credential.js';

@Injectable()
export class WayInWrites {
  constructor(
    private readonly fresh: FreshProof,
    private readonly notices: Notices,
  ) {}

  /** Asks members for a fresh proof. Functions that act as the system need none. @throws KindError 401, 403 */
  async begin({ project, caller, executor }: Session): Promise<void> {
    if (caller.type !== 'system') await this.fresh.require({ project, caller }, executor);
  }

  /** Before a way in of a member is removed, which is told of it. @throws KindError 401, 403, 503 */
  async beginRemoval(kind: OwnedKind, id: string, session: Session, notice: Notice): Promise<void> {
    await this.begin(session);
    const statement = ownerStatement(session.project.schema, kind, id);
    const [row] = await session.executor.run<{ member: string }>(statement);
    if (row) await this.tell(session, row.member, notice);
  }

  /** Tells the caller after the commit. @throws KindError 503 if the queue of mails is full */
  async tellCaller(session: Session, notice: Notice): Promise<void> {
    if (session.caller.type === 'member') await this.tell(session, session.caller.id, notice);
  }

  /** Tells a member after the commit. @throws KindError 503 if the queue of mails is full */
  async tell({ project, executor, dry }: Session, memberId: string, notice: Notice): Promise<void> {
    const member = dry ? undefined : await findCredential(executor, project, memberId);
    if (member && executor.tx) this.notices.afterCommit(executor.tx, project, [member], notice);
  }
}
