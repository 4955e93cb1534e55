/** Values that fit a definition, for whoever tries a call: the service takes them. Pure. */
import { compareDecimals } from '../../model/parameter-type/decimal.type.js';
import type { Field } from '../../model/model.js';
import type { ParameterDef, ParameterTypeId } from '../../model/parameter-type/parameter-def.js';
import type { Json } from '../../shared/json.js';
import { matchingText } from './pattern.example.js';

type ExampleBody = Readonly<Record<string, Json>>;

/**
 * By type. `variant`: another number makes another value, where there are such, for what has to be like no other.
 * Undefined for what a definition does not tell: which units there are.
 */
const EXAMPLES: Readonly<Record<ParameterTypeId, (def: ParameterDef, variant: number) => Json | undefined>> = {
  string: textExample,
  text: textExample,
  integer: (def, variant) => numberExample(def, 1 + variant),
  float: (def, variant) => numberExample(def, 1.5 + variant),
  decimal: ({ minValue, maxValue }, variant) => {
    const wished = String(1 + variant);
    const value = minValue !== undefined && compareDecimals(wished, String(minValue)) < 0 ? String(minValue) : wished;
    return maxValue !== undefined && compareDecimals(value, String(maxValue)) > 0 ? String(maxValue) : value;
  },
  boolean: () => true,
  date: (_, variant) => new Date(Date.UTC(2024, 0, 31 + variant)).toISOString().slice(0, 10),
  time: () => '09:30:00',
  datetime: () => '2024-01-31T09:30:00Z',
  binary: ({ maxLength = 2 }) => (maxLength < 2 ? '' : 'aGk='),
  json: () => ({ any: 'value' }),
  unit: () => undefined,
};

/**
 * A body of these fields: the needed ones, and those others of which a value is known. Undefined where one is needed of
 * which none is known: half a body looks like a whole one. `valueOf` knows the values that are not those of a definition.
 */
export function exampleBody(
  fields: readonly Field[],
  isNeeded: (field: Field) => boolean,
  valueOf: (field: Field) => Json | undefined = () => undefined,
  variant = 0,
): ExampleBody | undefined {
  const known: [string, Json][] = [];
  for (const field of fields) {
    const value = valueOf(field) ?? exampleValue(field, variant);
    if (value !== undefined) known.push([field.id, value]);
    else if (isNeeded(field)) return undefined;
  }
  return Object.fromEntries(known);
}

function exampleValue({ def, type }: Field, variant: number): Json | undefined {
  const one = def.values?.[variant % def.values.length] ?? EXAMPLES[def.type](def, variant);
  if (one === undefined || one === null || type.accept(one, def, () => undefined) === undefined) return undefined;
  return def.multiple ? [one] : one;
}

/** Its label, as long as may be, with a number; of a pattern a text that matches it. */
function textExample(
  { label, pattern, minLength = 0, maxLength = 100 }: ParameterDef,
  variant: number,
): string | undefined {
  if (pattern !== undefined) return matchingText(pattern, { minLength, maxLength, variant });
  const number = variant === 0 ? '' : ` ${variant + 1}`;
  const words = [...label.trim()].slice(0, Math.max(0, maxLength - number.length)).join('');
  return `${words}${number}`.trim().slice(-maxLength).padEnd(minLength, '.');
}

function numberExample({ minValue, maxValue }: ParameterDef, value: number): number {
  const least = Math.max(value, Number(minValue ?? value));
  return Math.min(least, Number(maxValue ?? least));
}
