/** How values of fields are shown, and in what they are typed. */
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import type { Field } from '../api/types.js';
import type { Text } from '../i18n/text.js';
import { textOf } from './console-field.js';
import { fieldOfType } from './fields.js';

type TypeOfField = Pick<Field, 'type' | 'multiple'>;

export function isNumeric({ type, multiple }: TypeOfField): boolean {
  return !multiple && PARAMETER_TYPES.get(type)?.numeric === true;
}

/** The text of a value in a cell. */
export function shownValue({ type, multiple }: TypeOfField, value: unknown, text: Text): string {
  if (value === null || value === undefined) return '';
  if (multiple && Array.isArray(value))
    return value.map((each) => shownValue({ type, multiple: false }, each, text)).join(', ');
  return fieldOfType(type).show?.(value, text) ?? textOf(value);
}

/** What is typed for fields that have no control of their own: JSON, and lists of texts that a comma may be part of. */
export function isTypedAsJson({ type, multiple }: TypeOfField): boolean {
  const { asJson } = fieldOfType(type);
  return asJson === 'always' || (asJson === 'lists' && multiple);
}

/** What ends an element of a list that is typed. */
export function separatorsOf(type: Field['type']): readonly string[] {
  return fieldOfType(type).separators ?? [',', ';', ' '];
}

/** The text, or other value of a control, in which a value is edited; '' is no value. */
export function inputOf(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return field.multiple && !isTypedAsJson(field) ? [] : '';
  if (isTypedAsJson(field)) return JSON.stringify(value, undefined, 2);
  const typed = (each: unknown): string => fieldOfType(field.type).typed?.(each, field) ?? textOf(each);
  return field.multiple ? (value as unknown[]).map(typed) : typed(value);
}
