/** Ids of definitions that an error text may suggest ("did you mean …?"): only those that the caller may read. Pure. */
import type { SuggestableIds } from '../model/check/check-model.js';
import type { Model } from '../model/model.js';
import { PARAMETER_TYPES } from '../model/parameter-type/type-by-id.js';
import type { Caller } from '../tenancy/caller.js';
import { idsIfAllReadable, suggestableKinds } from './access.js';

/** The ids that checks of definitions may suggest. */
export function suggestableIds(model: Model, caller: Caller): SuggestableIds {
  return {
    kinds: () => suggestableKinds(model, caller),
    parameters: () => suggestableParameters(model, caller),
  };
}

/** Those that kinds share. Access to parameters is set per parameter type. */
function suggestableParameters(model: Model, caller: Caller): string[] {
  const parameters = [...model.parameters.values()];
  return [...PARAMETER_TYPES.keys()].flatMap((typeId) => {
    const ids = parameters.filter(({ type, ownKind }) => type === typeId && ownKind === undefined).map(({ id }) => id);
    return idsIfAllReadable(model, typeId, ids, caller);
  });
}
