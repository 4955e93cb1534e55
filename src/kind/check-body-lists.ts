/**
 * Checks the lists in the body of a kind that has other faults, so that all are reported together. A body without
 * faults is checked by `checkModel`, after everything has been written.
 */
import { suggestableIds } from '../access/suggestable-ids.js';
import { checkLists, checkReference, type Listed } from '../model/check/check-model.js';
import { isReference } from '../model/parameter-type/parameter-type.js';
import { isParameterTypeId, parameterType } from '../model/parameter-type/type-by-id.js';
import { isPlainObject, type Json } from '../shared/json.js';
import { bodyOf, type Body } from '../unit/draft/draft.js';
import type { PendingWrite } from '../unit/draft/behavior.js';
import { idOfBody, withLabel } from '../unit/draft/client-ids.js';
import { originalCallerOf } from '../catalog/session/session.js';

/** @param id of the kind @param values the valid values of the body */
export function checkBodyLists(
  id: string,
  body: Body,
  values: ReadonlyMap<string, Json>,
  { session, faults }: Pick<PendingWrite, 'session' | 'faults'>,
): void {
  const { model } = session;
  const stored = model.kinds.get(id);
  const suggestable = suggestableIds(model, originalCallerOf(session));
  const given = body.get('parameters');
  const entries: readonly unknown[] = Array.isArray(given) ? given : (stored?.parameters ?? []);
  const known = new Map<string, Listed>(model.parameters);
  const names: string[] = [];
  for (const [at, entry] of entries.entries()) {
    if (typeof entry === 'string') names.push(entry);
    if (!isPlainObject(entry)) continue;
    const definition = withLabel(bodyOf(entry));
    const [name, type, target] = [idOfBody(definition), definition.get('kind_id'), definition.get('reference_kind')];
    // Duplicate definitions are reported already.
    if (name !== undefined && !names.includes(name)) names.push(name);
    if (name === undefined || known.has(name) || typeof type !== 'string' || !isParameterTypeId(type)) continue;
    const is = (key: string) => definition.get(key) === true;
    known.set(name, { type, primary: is('is_primary'), multiple: is('multiple'), runTime: is('only_run_time') });
    if (isReference(parameterType(type)) && typeof target === 'string' && target !== id) {
      checkReference({ referenceKind: target }, model, suggestable, faults, at);
    }
  }
  // Unknown names are reported with their position in the list of parameters.
  const unknown = names.filter((name) => !known.has(name));
  for (const name of unknown) known.set(name, { type: 'string', primary: false, multiple: false, runTime: false });
  const listed = (key: 'unique' | 'indexes') =>
    values.has(key) ? stringLists(values.get(key)) : (stored?.[key] ?? []);
  checkLists({ parameters: names, unique: listed('unique'), indexes: listed('indexes') }, known, faults);
}

function stringLists(value: Json | undefined): string[][] {
  if (!Array.isArray(value)) return [];
  return (value as Json[]).flatMap((list) =>
    Array.isArray(list) ? [(list as Json[]).filter((each) => typeof each === 'string')] : [],
  );
}
