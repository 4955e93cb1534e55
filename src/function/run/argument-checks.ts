/**
 * Validates arguments of function authors at the call, so that the trace shows the line of the mistake. TypeScript
 * does this only where the types are known.
 */
import { isPlainObject, typeName } from '../../shared/json.js';

/** @throws TypeError unless it is a string */
export function checkText(given: unknown, call: string, name: string): void {
  if (typeof given !== 'string') throw new TypeError(`${call}: ${name} must be a string, got ${typeName(given)}`);
}

/** @throws TypeError unless it is an object */
export function checkOptions(given: unknown, call: string): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return;
  throw new TypeError(`${call}: options must be an object, got ${typeName(given)}`);
}

/** @throws TypeError unless it has the kind and the id of a unit */
export function checkUnit(given: unknown, call: string, name: string): void {
  const { kind_id, id } = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  if (typeof kind_id === 'string' && typeof id === 'string') return;
  const actual = isPlainObject(given) ? `kind_id ${typeName(kind_id)} and id ${typeName(id)}` : typeName(given);
  throw new TypeError(`${call}: ${name} must have a kind_id and an id, both strings; got ${actual}`);
}
