/** Arguments that authors got wrong: told at once, where their code made the call. Types tell of them only where they are known. */
import { isPlainObject, typeName } from '../../shared/json.js';

/** @throws TypeError for what is no text */
export function checkText(given: unknown, call: string, name: string): void {
  if (typeof given !== 'string') throw new TypeError(`${call}: ${name} must be a string, got ${typeName(given)}`);
}

/** @throws TypeError for what names no unit */
export function checkUnit(given: unknown, call: string, name: string): void {
  const { kind_id, id } = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  if (typeof kind_id === 'string' && typeof id === 'string') return;
  const got = isPlainObject(given) ? `kind_id ${typeName(kind_id)} and id ${typeName(id)}` : typeName(given);
  throw new TypeError(`${call}: ${name} must have a kind_id and an id, both strings; got ${got}`);
}
