/** Who may follow a reference, and what of the unit behind it may be named: every step of a path asks here. Pure. */
import type { Field, KindDef, Model } from '../model/model.js';
import type { Reach, Reached } from '../model/path.js';
import { refusal } from '../shared/errors.js';
import type { Caller } from '../tenancy/caller.js';
import { checkState, mayReadField, openKind, readableFields } from './access.js';

/** The references that a caller may follow: to kinds that it may read, and there to the units that it may read. */
export function reachOf(caller: Caller, model: Model): Reach {
  const known = new Map<string, Reached>();
  return {
    follow({ reference }: Field): Reached {
      const id = reference?.kind ?? '';
      const before = known.get(id);
      if (before) return before;
      const { kind, grant } = openKind(model, id, 'read', caller);
      checkState(kind);
      const reached = { kind, visible: readableFields(kind, caller), access: grant.predicate };
      known.set(id, reached);
      return reached;
    },
    // Without a token a field that is missing and one that is not open are alike, as kinds are.
    checkField(kind: KindDef, name: string): void {
      const field = kind.fields.get(name);
      if (!field || field.def.hidden || caller.type === 'anonymous' || mayReadField(field, caller)) return;
      throw refusal('access.denied', `You may not read '${field.id}' of '${kind.id}'`);
    },
  };
}
