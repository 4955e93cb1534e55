/** Which values of a unit are recorded with its changes. */
import { getOrInsert } from '../shared/maps.js';
import { fieldsOfRules } from './check/stored-rules.js';
import { uniqueColumns } from './field.js';
import type { Field, KindDef, Model } from './model.js';

const recorded = new WeakMap<KindDef, readonly Field[]>();

/**
 * The fields whose values are recorded: those that are stored. Hidden ones only if a rule of the kind tests them, so that
 * the rule can be judged for a unit as it was; no answer has them.
 */
export function recordedFields(kind: KindDef, model: Model): readonly Field[] {
  return getOrInsert(recorded, kind, () => {
    const ruled = new Set<string>();
    for (const step of fieldsOfRules(kind, model)) if (step.kind === kind) ruled.add(step.field.id);
    const fields = [...kind.fields.values()].filter(({ id, def, column, unversioned }) => {
      return column !== undefined && !unversioned && id !== 'kind_id' && (!def.hidden || ruled.has(id));
    });
    return uniqueColumns(fields);
  });
}
