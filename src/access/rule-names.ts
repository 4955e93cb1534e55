/** The names in access rules. Pure. */
import type { Field, KindDef, Model } from '../model/model.js';
import type { Names, Reach } from '../model/predicate/path.js';
import { refusal } from '../shared/errors.js';
import { relatedOfOwner } from './related-names.js';

/**
 * The names that a rule may use. Rules are written by owners, so they may use all stored parameters, also hidden ones
 * (but no secrets of the system), and follow all references, whatever the caller may read. So the check of a rule never needs another rule, and cycles
 * are impossible.
 */
export function namesInRules(kind: KindDef, model: Model): Names {
  const reach = { ...reachOfOwner(model), related: relatedOfOwner(model, storedFields) };
  return { kind, visible: storedFields(kind), reach };
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
