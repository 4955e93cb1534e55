/** Which deletions run hooks. Pure. */
import { isLinkable, type KindDef } from '../../../model/model.js';
import type { Behaviors } from '../../draft/behavior.js';
import { storedReferences } from '../../draft/references.js';
import type { Session } from '../../../catalog/session/session.js';

/** Whether hooks may run when a unit of the kind is deleted: its own, those of its links, or of units that refer to it. */
export function deletionRunsHooks(
  behaviors: Behaviors,
  session: Pick<Session, 'model' | 'project' | 'deployment'>,
  kind: KindDef,
  seen = new Set<KindDef>(),
): boolean {
  if (seen.has(kind)) return false;
  seen.add(kind);
  if (behaviors.haveHooks(kind, session)) return true;
  if (isLinkable(kind) && behaviors.unlinkingKinds(session).length > 0) return true;
  return storedReferences(session.model, kind.id).some(({ kind: other, field: { def } }) => {
    if (def.onDelete === 'cascade') return deletionRunsHooks(behaviors, session, other, seen);
    return def.onDelete === 'set_null' && behaviors.haveHooks(other, session);
  });
}
