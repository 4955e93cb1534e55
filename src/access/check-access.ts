/** Judges an `access` before it is stored. Pure. */
import type { Faults } from '../shared/errors.js';
import { isPlainObject, typeName, type Json } from '../shared/json.js';
import { didYouMean } from '../shared/nearest.js';
import { LEVELS } from '../model/parameter-def.js';
import { OPERATIONS } from './access.js';

const WANTS = `must be one of ${LEVELS.join(', ')}`;

/** Adds a fault for everything in `access` that is not understood, or that would lock a project for good. */
export function checkAccess(kindId: string, access: Json, faults: Faults): void {
  const bad = (text: string) => faults.add('parameter.bad_value', `access${text}`, { parameter: 'access' });
  if (!isPlainObject(access)) return void bad(`: must be an object of operations, got ${typeName(access)}`);
  for (const [operation, level] of Object.entries(access)) {
    if (!OPERATIONS.some((known) => known === operation)) {
      bad(
        `: no operation '${operation.slice(0, 40)}'${didYouMean(operation, OPERATIONS)}; there are ${OPERATIONS.join(', ')}`,
      );
    } else if (!LEVELS.some((known) => known === level)) bad(`.${operation}: ${WANTS}`);
    else if (kindId === 'kind' && operation === 'update' && level === 'nobody') {
      bad(`.update: 'nobody' would lock the project for good`);
    }
  }
}
