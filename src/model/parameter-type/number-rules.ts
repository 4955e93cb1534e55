/** What `integer` and `float` share. */
import type { ValueRules } from './parameter-def.js';
import type { Constraint, Report } from './parameter-type.js';
import { list } from './text-rules.js';

/** Checks a number against the rules; undefined after a fault was reported. */
export function acceptInRange(value: number, rules: ValueRules, report: Report): number | undefined {
  if (rules.minValue !== undefined && value < Number(rules.minValue)) {
    report('parameter.too_small', `at least ${rules.minValue}, got ${value}`);
  } else if (rules.maxValue !== undefined && value > Number(rules.maxValue)) {
    report('parameter.too_large', `at most ${rules.maxValue}, got ${value}`);
  } else if (rules.values && !rules.values.includes(value)) {
    report('parameter.not_allowed', `must be one of ${list(rules.values)}`);
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
