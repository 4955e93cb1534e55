/** The values that links of a type have, as fields. */
import type { Field } from '../api/types.js';
import { shownValue } from '../fields/values.js';
import type { Text } from '../i18n/text.js';
import { fieldOf } from '../model/field-of.js';
import type { Model } from '../model/use-model.js';

export function linkFields(model: Model | undefined, type: string): readonly Field[] {
  const ids = model?.linkTypes.get(type)?.parameters ?? [];
  return ids.flatMap((id) => {
    const definition = model?.parameters.get(id);
    return definition ? [fieldOf(definition)] : [];
  });
}

/** Those that a link has, such as `Lanes: 4, Toll: 3.5`. */
export function linkValues(fields: readonly Field[], record: Readonly<Record<string, unknown>>, text: Text): string {
  const shown = fields.map((field) => [field.label, shownValue(field, record[field.id], text)] as const);
  return shown.flatMap(([label, value]) => (value === '' ? [] : [`${label}: ${value}`])).join(', ');
}
