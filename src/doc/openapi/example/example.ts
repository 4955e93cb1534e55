/** Example values of parameters, which the service accepts. Pure. */
import type { Field } from '../../../model/model.js';
import type { ParameterDef } from '../../../model/parameter-type/parameter-def.js';
import { parameterType } from '../../../model/parameter-type/type-by-id.js';
import type { Json } from '../../../shared/json.js';
import { matchingText } from './pattern.example.js';

type ExampleBody = Readonly<Record<string, Json>>;

/**
 * An example body: the required fields, and other fields with a known value. Undefined if a required value is unknown,
 * because an incomplete body would look complete. `valueOf` provides values that definitions do not determine.
 */
export function exampleBody(
  fields: readonly Field[],
  isNeeded: (field: Field) => boolean,
  valueOf: (field: Field) => Json | undefined = () => undefined,
  variant = 0,
): ExampleBody | undefined {
  const values: [string, Json][] = [];
  for (const field of fields) {
    const value = valueOf(field) ?? exampleValue(field, variant);
    if (value !== undefined) values.push([field.id, value]);
    else if (isNeeded(field)) return undefined;
  }
  return Object.fromEntries(values);
}

function exampleValue({ def, type }: Field, variant: number): Json | undefined {
  const value = def.values?.[variant % def.values.length] ?? definedExample(def, variant);
  if (value === undefined || value === null || type.accept(value, def, () => undefined) === undefined) return undefined;
  return def.multiple ? [value] : value;
}

/** Undefined if the definition does not determine a value. */
function definedExample(def: ParameterDef, variant: number): Json | undefined {
  const { pattern, minLength = 0, maxLength = 100 } = def;
  if (pattern !== undefined) return matchingText(pattern, { minLength, maxLength, variant });
  return parameterType(def.type).example?.(def, variant);
}
