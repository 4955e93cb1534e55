/** Access to related units: which kinds and link types functions such as `exists` and `linked` may name. Pure. */
import { isLinkable, type Model } from '../model/model.js';
import type { Reached, RelatedReach } from '../model/predicate/path.js';
import { didYouMean } from '../shared/did-you-mean.js';
import type { Caller } from '../tenancy/caller.js';
import { authorizeKind, checkActive, grantOf, suggestableKinds, suggestableLinkTypes } from './access.js';
import { readableFields } from './masks.js';
import { checkStored, kindBudget, linkTypesOf, unknownKind } from './related-names.js';

/** Kinds that the caller may read, and there the units that it may read. */
export function relatedAccess(caller: Caller, model: Model): RelatedReach {
  const known = new Map<string, Reached>();
  let linkable: ReturnType<RelatedReach['linkable']> | undefined;
  return {
    open(id: string, at: number): Reached {
      const before = known.get(id);
      if (before) return before;
      // Without a token a missing kind and a closed one are reported alike.
      if (!model.kinds.has(id) && caller.type !== 'anonymous') {
        throw unknownKind(id, at, didYouMean(id, suggestableKinds(model, caller)));
      }
      const { kind, grant } = authorizeKind(model, id, 'read', caller);
      checkActive(kind);
      checkStored(kind, at);
      const reached = { kind, visible: readableFields(kind, caller, model), access: grant.predicate };
      known.set(id, reached);
      return reached;
    },
    linkable: () => (linkable ??= linkableKinds(caller, model)),
    openLinkType: linkTypesOf(
      model,
      (values) => readableFields(values, caller, model),
      (id) => didYouMean(id, suggestableLinkTypes(model, caller)),
    ),
    spend: kindBudget(),
  };
}

function linkableKinds(caller: Caller, model: Model): ReturnType<RelatedReach['linkable']> {
  const all = [...model.kinds.values()].filter(isLinkable);
  const kinds = all.flatMap((kind): Reached[] => {
    const grant = kind.active ? grantOf(kind, 'read', caller, model) : undefined;
    return grant ? [{ kind, visible: readableFields(kind, caller, model), access: grant.predicate }] : [];
  });
  return { kinds, complete: kinds.length === all.length };
}
