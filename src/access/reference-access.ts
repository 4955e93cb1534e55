/** Who may follow a reference, and what of the unit behind it may be named: every step of a path asks here. Pure. */
import type { Field, KindDef, Model } from '../model/model.js';
import type { Reach, Reached } from '../model/predicate/path.js';
import type { Operation } from '../model/built-in-traits.js';
import { refusal } from '../shared/errors.js';
import type { Caller } from '../tenancy/caller.js';
import { checkHasTable, grantOf, authorizeKind, accessSettingOf, type Grant } from './access.js';
import { mayReadField, readableFields } from './masks.js';

/** The references that a caller may follow: to kinds that it may read, and there to the units that it may read. */
export function referenceAccess(caller: Caller, model: Model): Reach {
  const known = new Map<string, Reached>();
  return {
    follow({ reference }: Field): Reached {
      const id = reference?.kind ?? '';
      const before = known.get(id);
      if (before) return before;
      const { kind, grant } = authorizeKind(model, id, 'read', caller);
      checkHasTable(kind);
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

/** Rights of which any one opens the definition of a kind. */
export const STRUCT_RIGHTS: readonly Operation[] = ['read', 'create', 'signup'];

/** Whether a caller is told of a kind: who may read or create its units, or sign up. */
export function mayDescribe(kind: KindDef, caller: Caller, model: Model): boolean {
  return STRUCT_RIGHTS.some((operation) => grantOf(kind, operation, caller, model) !== undefined);
}

/** How a refusal names the kind that a reference leads to: ` of 'city'`, or nothing. */
export type TargetKindText = (kindId: string) => string;

/** Names the kinds of which a caller is told. */
export function targetKindTextFor(caller: Caller, model: Model): TargetKindText {
  return (kindId) => {
    const kind = model.kinds.get(kindId);
    return kind && mayDescribe(kind, caller, model) ? ` of '${kindId}'` : '';
  };
}

/**
 * The units of a kind that a caller may refer to: those that it may read. Of a member kind whose owner said nothing of
 * reading, all: nobody could send a message to another member otherwise, and their ids can not be guessed.
 */
export function referenceGrant(kind: KindDef, caller: Caller, model: Model): Grant | undefined {
  const grant = grantOf(kind, 'read', caller, model);
  const said = accessSettingOf(kind, 'read');
  return grant && 'level' in said && said.level === 'self' ? { predicate: undefined } : grant;
}
