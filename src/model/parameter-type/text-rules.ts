/**
 * Validation and schemas that `string` and `text` share: Unicode, lengths in code points, allowed values. Patterns are
 * checked apart (`check/pattern-checks.ts`).
 */
import { textFault, typeName } from '../../shared/json.js';
import { plural } from '../../shared/texts.js';
import type { ParameterSettings, ValueRules } from '../parameter-setting/parameter-settings.js';
import type { Constraint, JsonSchema, ReportValueFault } from './parameter-type.js';

/** The number of code points of a text. */
export function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}

export function acceptText(value: unknown, rules: ValueRules, report: ReportValueFault): string | undefined {
  if (typeof value !== 'string') {
    report('parameter.bad_type', `must be a string, got ${typeName(value)}`);
    return undefined;
  }
  const fault = textFault(value);
  if (fault) {
    report('parameter.bad_value', fault);
    return undefined;
  }
  const text = rules.strip ? value.trim() : value;
  const { minLength = 0, maxLength = Infinity } = rules;
  // A code point is one or two UTF-16 units, so the length in units often suffices, without counting code points.
  if (text.length < 2 * minLength && codePoints(text) < minLength) {
    report('parameter.too_short', `at least ${plural(minLength, 'character')}, got ${codePoints(text)}`);
  } else if (text.length > maxLength && codePoints(text) > maxLength) {
    report('parameter.too_long', `at most ${plural(maxLength, 'character')}, got ${codePoints(text)}`);
  } else if (rules.values && !rules.values.includes(text)) {
    report('parameter.not_allowed', `must be one of ${allowedValuesText(rules.values)}`);
  } else return text;
  return undefined;
}

export function textConstraints(rules: ValueRules): Constraint[] {
  const found: Constraint[] = [];
  if (rules.minLength) found.push({ type: 'min_length', limit: rules.minLength });
  if (rules.maxLength !== undefined) found.push({ type: 'max_length', limit: rules.maxLength });
  if (rules.values) found.push({ type: 'values', values: rules.values });
  if (rules.pattern !== undefined) found.push({ type: 'pattern', pattern: rules.pattern });
  return found;
}

export function textSchema({ minLength, maxLength, values }: ValueRules): JsonSchema {
  return {
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(values && { enum: values }),
  };
}

/** A text that cannot be a segment of a path cannot be a key. */
export function textBodyRules({ primary, minLength = 0, values }: ParameterSettings): JsonSchema {
  if (!primary) return {};
  return { minLength: Math.max(1, minLength), ...(!values && { not: { enum: ['.', '..'] } }) };
}

/** The label, cut or padded to the allowed length. */
export function textExample({ label, minLength = 0, maxLength = 100 }: ParameterSettings): string {
  return [...label.trim()].slice(0, maxLength).join('').trim().padEnd(minLength, '.');
}

/** The allowed values for a message: at most twenty, each cut after eighty characters. */
export function allowedValuesText(values: readonly (string | number)[]): string {
  const shown = values.slice(0, 20).map((value) => {
    const text = String(value);
    return text.length > 80 ? `${JSON.stringify(text.slice(0, 80))}…` : JSON.stringify(value);
  });
  return shown.join(', ') + (values.length > 20 ? ', …' : '');
}
