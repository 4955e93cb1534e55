/** Deletions of members: their files stay, without an owner. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { recordingOf } from '../catalog/session/recording.js';
import type { Session } from '../catalog/session/session.js';
import { contentionOn, trackContention } from '../database/transaction/contention.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import { isMemberKind, type KindDef } from '../model/model.js';
import { disownFilesStatement } from '../sql/file/owner.sql.js';
import { Behaviors, type RegisteredBehavior } from '../unit/draft/behavior.js';

@Injectable()
export class FileOwnerBehavior implements RegisteredBehavior, OnModuleInit {
  constructor(private readonly behaviors: Behaviors) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return isMemberKind(kind);
  }

  async afterDelete(_kind: KindDef, member: string, session: Session): Promise<void> {
    const { executor, model, project } = session;
    const kind = model.kinds.get(FILE_KIND);
    const owner = kind?.fields.get('owner');
    if (!kind?.traits.contents || !owner) return;
    const plan = { schema: project.schema, kind, recording: recordingOf({ ...session, cascade: true }, kind) };
    await trackContention(
      () => contentionOn(plan),
      () => executor.run(disownFilesStatement(plan, owner, { member })),
    );
  }
}
