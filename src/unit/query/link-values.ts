/** The values of links that a caller may read. Pure. */
import { readableFields } from '../../access/masks.js';
import type { Field, LinkTypeDef, Model } from '../../model/model.js';
import type { ShownLinkValues } from '../../sql/link/traversal-plan.js';
import type { Caller } from '../../tenancy/caller.js';

/** The parameters of a link type that a caller may read. */
export function readableLinkFields({ values, parameters }: LinkTypeDef, caller: Caller, model: Model): Field[] {
  const readable = readableFields(values, caller, model);
  return parameters.flatMap((id) => readable.get(id) ?? []);
}

/** The link types that have parameters which the caller may read. @param linkIds undefined for all types */
export function shownLinkValues(
  { model, caller }: { readonly model: Model; readonly caller: Caller },
  linkIds?: readonly string[],
): ShownLinkValues[] {
  const types = linkIds?.flatMap((id) => model.linkTypes.get(id) ?? []) ?? [...model.linkTypes.values()];
  return types.flatMap((type) => {
    const fields = type.parameters.length === 0 ? [] : readableLinkFields(type, caller, model);
    return fields.length > 0 ? [{ linkId: type.id, fields }] : [];
  });
}
