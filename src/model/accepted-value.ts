/** Values of built-in fields that do not come as the body of a write, accepted as those are. Pure. */
import { isPlainObject, typeName, type Json } from '../shared/json.js';
import type { Field } from './model.js';

/** Returns the value as it is stored. @param bad gets each fault, as `field: what is wrong` */
export function acceptedValue({ id, def, type }: Field, value: Json, bad: (text: string) => void): Json {
  const accepted = (each: Json, path: string): Json =>
    type.accept(each, def, (_, text) => bad(`${path}: ${text}`)) ?? null;
  if (id === 'metadata' && !isPlainObject(value)) bad(`${id}: must be an object, got ${typeName(value)}`);
  if (!def.multiple) return accepted(value, id);
  if (Array.isArray(value)) return value.map((each: Json, at) => accepted(each, `${id}[${at}]`));
  bad(`${id}: must be an array, got ${typeName(value)}`);
  return null;
}
