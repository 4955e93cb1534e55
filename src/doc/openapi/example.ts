/** Values that fit a definition, for whoever tries a call. Pure. */
import { compareDecimals } from '../../model/parameter-type/decimal.type.js';
import type { Field } from '../../model/model.js';
import type { ParameterDef, ParameterTypeId } from '../../model/parameter-def.js';
import type { Json } from '../../shared/json.js';

/** An id has the form of those that there are. Undefined for what a definition does not tell: which texts match a pattern. */
const EXAMPLES: Readonly<Record<ParameterTypeId, (def: ParameterDef, field: Field) => Json | undefined>> = {
  string: text,
  text,
  integer: (def) => within(def, 1),
  float: (def) => within(def, 1.5),
  decimal: ({ minValue, maxValue }) => {
    const value = minValue !== undefined && compareDecimals('1', String(minValue)) < 0 ? String(minValue) : '1';
    return maxValue !== undefined && compareDecimals(value, String(maxValue)) > 0 ? String(maxValue) : value;
  },
  boolean: () => true,
  date: () => '2024-01-31',
  time: () => '09:30:00',
  datetime: () => '2024-01-31T09:30:00Z',
  binary: ({ maxLength = 2 }) => (maxLength < 2 ? '' : 'aGk='),
  json: () => ({ any: 'value' }),
  unit: (_, { reference }) => (reference?.key.id === 'uuid' ? '0190163d-8694-739b-aea5-966c26f8ad91' : 'an id'),
};

/**
 * A body of these fields: the needed ones, and those others of which a value is known. Undefined where one is needed of
 * which none is known: half a body looks like a whole one.
 */
export function exampleBody(
  fields: readonly Field[],
  isNeeded: (field: Field) => boolean,
): Readonly<Record<string, Json>> | undefined {
  const known: [string, Json][] = [];
  for (const field of fields) {
    const value = exampleOf(field);
    if (value !== undefined) known.push([field.id, value]);
    else if (isNeeded(field)) return undefined;
  }
  return Object.fromEntries(known);
}

function exampleOf(field: Field): Json | undefined {
  const { def } = field;
  const one = def.values?.[0] ?? EXAMPLES[def.type](def, field);
  return def.multiple && one !== undefined ? [one] : one;
}

/** Its label, as long as may be. */
function text({ label, pattern, minLength = 0, maxLength = 100 }: ParameterDef): string | undefined {
  if (pattern !== undefined) return undefined;
  return [...label].slice(0, maxLength).join('').padEnd(minLength, '.');
}

function within({ minValue, maxValue }: ParameterDef, value: number): number {
  const least = Math.max(value, Number(minValue ?? value));
  return Math.min(least, Number(maxValue ?? least));
}
