/** Values that fit a definition, for whoever tries a call. Pure. */
import { compareDecimals } from '../../model/parameter-type/decimal.type.js';
import type { Field } from '../../model/model.js';
import type { ParameterDef, ParameterTypeId } from '../../model/parameter-def.js';
import type { Json } from '../../shared/json.js';

/** Undefined for what a definition does not tell: which ids there are, which texts match a pattern. */
const EXAMPLES: Readonly<Record<ParameterTypeId, (def: ParameterDef) => Json | undefined>> = {
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
  unit: () => undefined,
};

/** A body of these fields; those of which no value is known are left out. */
export function exampleBody(fields: readonly Field[]): Readonly<Record<string, Json>> {
  const known = fields.flatMap((field): [string, Json][] => {
    const value = exampleOf(field);
    return value === undefined ? [] : [[field.id, value]];
  });
  return Object.fromEntries(known);
}

function exampleOf({ def }: Field): Json | undefined {
  const one = def.values?.[0] ?? EXAMPLES[def.type](def);
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
