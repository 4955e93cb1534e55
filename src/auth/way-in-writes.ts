/** What writes of units that are ways to sign in, or make one, ask for and lead to: a fresh proof before, a mail after. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import type { Executor } from '../database/database.js';
import { IDENTITY_KIND, PASSKEY_KIND } from '../model/built-in-traits.js';
import type { KindDef } from '../model/model.js';
import { passkeyUse } from '../model/passkeys.js';
import { type MoreWays, moreWaysStatement, ownerStatement } from '../sql/member/owned.sql.js';
import type { Project } from '../tenancy/project.js';
import { Behaviors, type RegisteredBehavior } from '../unit/draft/behavior.js';
import { requireSession } from './auth-request.js';
import { administratorsOf, findCredential } from './credential.js';
import { Notices, type Notice } from './notices.js';
import { FreshProof } from './session/fresh-proof.js';

/** What a member is told of when it is removed. */
const REMOVED = { [PASSKEY_KIND]: 'passkey_off', [IDENTITY_KIND]: 'identity_off' } as const;

@Injectable()
export class WayInWrites implements RegisteredBehavior, OnModuleInit {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly fresh: FreshProof,
    private readonly notices: Notices,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies({ id, builtIn }: KindDef): boolean {
    return builtIn && id in REMOVED;
  }

  /** Asks members for a fresh proof. Functions that act as the system need none. @throws KindError 401, 403 */
  async begin({ project, caller, executor }: Session): Promise<void> {
    if (caller.type !== 'system') await this.fresh.require({ project, caller }, executor);
  }

  /**
   * Before an administrator gives a member another address, or makes an administrator. With passwords alone this is as it
   * was before there were other ways in, but for API keys.
   * @returns whether there are, so that it is to be told @throws KindError 401, 403
   */
  async beginForOther(session: Session, memberId?: string): Promise<boolean> {
    const { caller, project, executor } = session;
    if (caller.type === 'system') return false;
    const by = caller.type === 'member' ? requireSession(caller).id : undefined;
    const members = [by, memberId].filter((id) => id !== undefined);
    if (!(await isMoreInUse(executor, project, members))) return false;
    await this.begin(session);
    return true;
  }

  /** A removal asks for a fresh proof, and the member is told. @throws KindError 401, 403, 503 */
  async beforeDelete({ id: kindId }: KindDef, id: string, session: Session): Promise<void> {
    const kind = kindId as keyof typeof REMOVED;
    await this.begin(session);
    const statement = ownerStatement(session.project.schema, kind, id);
    const [row] = await session.executor.run<{ member: string }>(statement);
    if (row) await this.tell(session, row.member, REMOVED[kind]);
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

  /** Tells the administrators that there are now. @throws KindError 503 if the queue of mails is full */
  async tellAdministrators({ project, executor, dry }: Session, notice: Notice): Promise<void> {
    if (dry || !executor.tx) return;
    this.notices.afterCommit(executor.tx, project, await administratorsOf(executor, project), notice);
  }
}

/** Whether one of some members has a way in or a second step beside its password. */
export async function haveMoreWays(executor: Executor, { schema }: Project, memberIds: readonly string[]) {
  const [row] = await executor.run<MoreWays>(moreWaysStatement(schema, memberIds));
  return row?.members === true;
}

/** Whether they have, or their project has switched such a thing on. */
export async function isMoreInUse(executor: Executor, { schema, settings }: Project, memberIds: readonly string[]) {
  const { mailSignIn = false, verifyEmail = false, secondStep = 'optional' } = settings;
  if (mailSignIn || verifyEmail || secondStep !== 'optional' || passkeyUse(settings)) return true;
  const [row] = await executor.run<MoreWays>(moreWaysStatement(schema, memberIds));
  return row?.members === true || row?.provider === true;
}
