/** What units are called. */
import type { Field, Unit } from '../api/types.js';
import { isNumbered, isOfMember } from '../fields/made.js';

/** The field that names a unit best for people: a text of its own, or else its number. */
export function labelField(fields: readonly Field[]): string {
  const texts = fields
    .filter((field) => field.type === 'string' && !field.multiple && field.values === null && !isOfMember(field))
    .map(({ id }) => id);
  return NAMES.find((name) => texts.includes(name)) ?? texts[0] ?? fields.find(isNumbered)?.id ?? 'id';
}

const NAMES = ['label', 'name', 'title', 'username', 'display_name'];

/** What a unit is called by this field, or its id. */
export function nameOf(unit: Unit, name: string): string {
  const label = unit[name];
  return (typeof label === 'string' || typeof label === 'number') && label !== '' ? String(label) : unit.id;
}
