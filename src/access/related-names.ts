/**
 * The names that functions over related units, such as `exists` and `linked`, may use: kinds and link types. Those of
 * access rules, which belong to the owner, are here; those of callers in `related-access.ts`. Pure.
 */
import { isLinkable, type KindDef, type Model } from '../model/model.js';
import { unknownName, type Reached, type RelatedReach } from '../model/predicate/path.js';
import { didYouMean } from '../shared/did-you-mean.js';
import { refusal, type KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { shortened } from '../shared/shortened.js';

/** Kinds and link types that access rules may name: all, with all their units, because rules belong to the owner. */
export function relatedOfOwner(model: Model, visibleOf: (kind: KindDef) => Reached['visible']): RelatedReach {
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
