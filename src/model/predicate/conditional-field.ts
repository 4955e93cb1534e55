/** Fields that a caller may read or write in some units only, by the rules of their `read_access` or `write_access`. */
import type { KindError } from '../../shared/errors.js';
import type { Field } from '../model.js';
import type { Predicate, Visible } from './predicate.js';

/** A field as a caller sees it that may use it in the units that match `condition`. */
export interface ConditionalField extends Field {
  /** The field itself. */
  readonly plain: Field;
  readonly condition: Predicate;
  /** The error for a query that would reveal values of other units: a filter, an order, an aggregation or a search. */
  readonly refusal: () => KindError;
}

export function isConditional(field: Field): field is ConditionalField {
  return 'condition' in field;
}

/** The condition under which a unit shows the field; undefined if every unit does. */
export function conditionOf(field: Field): Predicate | undefined {
  return isConditional(field) ? field.condition : undefined;
}

/** The field itself, without a condition. */
export function plainField(field: Field): Field {
  return isConditional(field) ? field.plain : field;
}

/** Refuses a query by a field that only some units show. @throws KindError 401, 403 */
export function checkUnconditional(field: Field): void {
  if (isConditional(field)) throw field.refusal();
}

/** The fields that every unit shows. */
export function unconditional(visible: Visible): Visible {
  const fields = [...visible].filter(([, field]) => !isConditional(field));
  return fields.length === visible.size ? visible : new Map(fields);
}

/** The fields of a mask, without conditions. */
export function plainFields(visible: Visible): Field[] {
  return [...visible.values()].map(plainField);
}
