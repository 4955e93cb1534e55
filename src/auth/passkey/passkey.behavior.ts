/** A new passkey may let its member go further, which is told of it. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { originalCallerOf, type Session, transactionOf } from '../../catalog/session/session.js';
import { PASSKEY_KIND } from '../../model/built-in-traits.js';
import type { KindDef } from '../../model/model.js';
import { scalarText } from '../../shared/json.js';
import { Behaviors, type RegisteredBehavior, type WrittenBy } from '../../unit/draft/behavior.js';
import type { Draft } from '../../unit/draft/draft.js';
import { SessionStore } from '../session/session-store.js';
import { WayInWrites } from '../way-in-writes.js';

@Injectable()
export class PasskeyBehavior implements RegisteredBehavior, OnModuleInit {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly changes: WayInWrites,
    private readonly sessions: SessionStore,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies({ id, builtIn }: KindDef): boolean {
    return builtIn && id === PASSKEY_KIND;
  }

  async afterWrite(_kind: KindDef, _id: string, draft: Draft, session: Session, written: WrittenBy): Promise<void> {
    const caller = originalCallerOf(session);
    if (written === 'edit' || caller.type !== 'member') return;
    await this.changes.tell(session, scalarText(draft.values.get('member')), 'passkey_on');
    await this.sessions.recordSecondStep(transactionOf(session), session.project, caller.sessionId);
  }

  /** Which sessions are held back may be another matter now. */
  beforeDelete(_kind: KindDef, _id: string, { executor }: Session): Promise<void> {
    this.sessions.forgetAll(executor);
    return Promise.resolve();
  }
}
