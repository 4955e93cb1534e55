/** Removals of identities: they ask for a fresh proof, and the member is told. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Session } from '../../catalog/session/session.js';
import { IDENTITY_KIND } from '../../model/built-in-traits.js';
import type { KindDef } from '../../model/model.js';
import { Behaviors, type RegisteredBehavior } from '../../unit/draft/behavior.js';
import { WayInWrites } from '../way-in-writes.js';

@Injectable()
export class IdentityBehavior implements RegisteredBehavior, OnModuleInit {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly changes: WayInWrites,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies({ id, builtIn }: KindDef): boolean {
    return builtIn && id === IDENTITY_KIND;
  }

  /** @throws KindError 403 */
  beforeDelete(_kind: KindDef, id: string, session: Session): Promise<void> {
    return this.changes.beginRemoval(IDENTITY_KIND, id, session, 'identity_off');
  }
}
