/** Values that fit a definition, for whoever tries a call: the service takes them. Pure. */
import type { Field } from '../../model/model.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';
import { parameterType } from '../../model/parameter-type/registry.js';
import type { Json } from '../../shared/json.js';
import { matchingText } from './pattern.example.js';

type ExampleBody = Readonly<Record<string, Json>>;

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
  const one = def.values?.[variant % def.values.length] ?? definedExample(def, variant);
  if (one === undefined || one === null || type.accept(one, def, () => undefined) === undefined) return undefined;
  return def.multiple ? [one] : one;
}

/** Undefined if the definition does not determine a value. */
function definedExample(def: ParameterDef, variant: number): Json | undefined {
  const { pattern, minLength = 0, maxLength = 100 } = def;
  if (pattern !== undefined) return matchingText(pattern, { minLength, maxLength, variant });
  return parameterType(def.type).example?.(def, variant);
}
