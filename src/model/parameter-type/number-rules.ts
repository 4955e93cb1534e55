/** Validation and schemas that the number types share. */
import type { ValueRules } from '../parameter-setting/parameter-settings.js';
import type { Constraint, JsonSchema, ReportValueFault } from './parameter-type.js';
import { allowedValuesText } from './text-rules.js';

/** Checks a number against the rules. Returns undefined if a fault was reported. */
export function acceptInRange(value: number, rules: ValueRules, report: ReportValueFault): number | undefined {
  if (rules.minValue !== undefined && value < Number(rules.minValue)) {
    report('parameter.too_small', `at least ${rules.minValue}, got ${value}`);
  } else if (rules.maxValue !== undefined && value > Number(rules.maxValue)) {
    report('parameter.too_large', `at most ${rules.maxValue}, got ${value}`);
  } else if (rules.values && !rules.values.includes(value)) {
    report('parameter.not_allowed', `must be one of ${allowedValuesText(rules.values)}`);
  } else return value === 0 ? 0 : value;
  return undefined;
}

export function rangeConstraints(rules: ValueRules): Constraint[] {
  const found: Constraint[] = [];
  if (rules.minValue !== undefined) found.push({ type: 'min_value', limit: rules.minValue });
  if (rules.maxValue !== undefined) found.push({ type: 'max_value', limit: rules.maxValue });
  if (rules.values) found.push({ type: 'values', values: rules.values });
  return found;
}

export function rangeSchema({ minValue, maxValue }: ValueRules): JsonSchema {
  return {
    ...(typeof minValue === 'number' && { minimum: minValue }),
    ...(typeof maxValue === 'number' && { maximum: maxValue }),
  };
}

export function numberSchema(rules: ValueRules): JsonSchema {
  return { ...rangeSchema(rules), ...(rules.values && { enum: rules.values }) };
}

/** The number, or the limit that it exceeds. */
export function withinRange(value: number, { minValue, maxValue }: ValueRules): number {
  const least = Math.max(value, Number(minValue ?? value));
  return Math.min(least, Number(maxValue ?? least));
}
