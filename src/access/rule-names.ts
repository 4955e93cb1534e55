/** The names in access rules. Pure. */
import { type Field, isLinkable, type KindDef, type Model } from '../model/model.js';
import {
  type Names,
  type Reach,
  type Reached,
  type RelatedReach,
  type UserReach,
  unknownName,
} from '../model/predicate/path.js';
import { didYouMean, shortened } from '../shared/texts.js';
import { type KindError, refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';

/**
 * The names that a rule may use. Rules are written by owners, so they may use all stored parameters, also hidden ones
 * (but no secrets of the system), and follow all references, whatever the caller may read. So the check of a rule never
 * needs another rule, and cycles are impossible. The exception is `referred` in rules of kinds with contents, which looks
 * at what the caller may read of other kinds; rules of these can't have it.
 * @param users what it looks at
 */
export function namesInRules(kind: KindDef, model: Model, users?: UserReach): Names {
  const related = { ...relatedOfOwner(model, storedFields), ...(users && { users: { ...users, of: kind } }) };
  return { kind, visible: storedFields(kind), reach: { ...reachOfOwner(model), related } };
}

/** What `referred` looks at where a rule is checked: everything. */
export function usersOfOwner(model: Model): UserReach {
  const users = relatedOfOwner(model, storedFields);
  const withReadable = (reached: Reached) => ({ ...reached, readable: reached.visible });
  return {
    kinds: () => [...model.kinds.values()].filter(isUser).map((kind) => withReadable(users.open(kind.id, 1))),
    open(id, at) {
      const reached = users.open(id, at);
      checkUser(reached.kind, at);
      return withReadable(reached);
    },
    limited: false,
  };
}

/** Whether units of a kind count as users of others. */
export function isUser({ active, storage, traits }: KindDef): boolean {
  return active && storage.hasTable && !traits.sealed && !traits.contents;
}

/** @throws KindError 400 */
export function checkUser({ id, traits }: KindDef, at: number): void {
  if (!traits.contents) return;
  throw unknownName(id, `references and links of '${id}' don't count`, at);
}

/** Follows all references, without access rules. */
export function reachOfOwner(model: Model): Reach {
  return {
    follow({ reference }: Field) {
      const target = model.kinds.get(reference?.kind ?? '');
      // Only a forged import refers to credentials.
      if (!target || target.traits.sealed)
        throw refusal('filter.unknown_parameter', `no kind '${reference?.kind ?? ''}'`);
      return { kind: target, visible: storedFields(target), access: undefined };
    },
    checkField: () => undefined,
  };
}

export function storedFields(kind: KindDef): ReadonlyMap<string, Field> {
  return new Map([...kind.fields].filter(([, field]) => isStored(field)));
}

export function isStored(field: Field | undefined): boolean {
  if (field?.system && field.def.hidden) return false;
  return field?.column !== undefined || field?.id === 'kind_id';
}

/** Kinds and link types that access rules may name: all, with all their units, because rules belong to the owner. */
function relatedOfOwner(model: Model, visibleOf: (kind: KindDef) => Reached['visible']): RelatedReach {
  const reached = (kind: KindDef): Reached => ({ kind, visible: visibleOf(kind), access: undefined });
  return {
    open(id: string, at: number): Reached {
      const kind = model.kinds.get(id);
      if (!kind || kind.traits.sealed) throw unknownKind(id, at, didYouMean(id, model.kinds.keys()));
      checkStored(kind, at);
      return reached(kind);
    },
    linkable: () => ({ kinds: [...model.kinds.values()].filter(isLinkable).map(reached), complete: true }),
    openLinkType: linkTypesOf(model, visibleOf, (id) => didYouMean(id, model.linkTypes.keys())),
    spend: kindBudget(),
  };
}

export function unknownKind(id: string, at: number, hint: string): KindError {
  return unknownName(id, `no kind '${shortened(id)}' in this project${hint}`, at);
}

export function checkStored(kind: KindDef, at: number): void {
  if (kind.storage.hasTable) return;
  throw unknownName(kind.id, `the units of '${kind.id}' come from a remote source, which can't be looked up here`, at);
}

/** @param visibleOf the fields of a link type, as a kind, that may be named */
export function linkTypesOf(
  model: Model,
  visibleOf: (values: KindDef) => Reached['visible'],
  hintFor: (id: string) => string,
): RelatedReach['openLinkType'] {
  return (id, at) => {
    const values = model.linkTypes.get(id)?.values;
    if (!values) throw unknownName(id, `no link type '${shortened(id)}'${hintFor(id)}`, at);
    return { types: [values], visible: visibleOf(values) };
  };
}

export function kindBudget(): RelatedReach['spend'] {
  let left: number = LIMITS.relatedKinds;
  return (kinds, at) => {
    left -= kinds;
    if (left >= 0) return;
    const text = `linked units of more than ${LIMITS.relatedKinds} kinds would be tested: name the kinds, at character ${at}`;
    throw refusal('filter.too_large', text);
  };
}
