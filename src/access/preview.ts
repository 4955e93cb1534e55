/** Which units of a kind a caller could do something with, if the kind had another access. Pure. */
import { OPERATIONS, type Operation } from '../model/built-in-traits.js';
import type { KindDef, Model } from '../model/model.js';
import { conjunction } from '../model/predicate/predicate.js';
import { Faults } from '../shared/errors.js';
import { isPlainObject, type Json } from '../shared/json.js';
import type { Caller } from '../tenancy/caller.js';
import { grantOf, REQUIRE_READ } from './access.js';
import { checkAccess, checkAccessRules } from './check-access.js';
import type { Grant } from './grant.js';

/** The operations on units that exist, and `create`, as if they were new. */
export const PREVIEWED_OPERATIONS = OPERATIONS.filter((operation) => operation !== 'signup');

/**
 * The kind with another access for an operation; null for the default. @throws KindError 400 with all faults, as when it
 * is stored
 */
export function kindWithAccess(kind: KindDef, operation: Operation, setting: Json, model: Model): KindDef {
  const changed = { [operation]: setting };
  if (setting !== null) {
    const faults = new Faults();
    checkAccess(kind.traits, changed, faults);
    if (!faults.any) checkAccessRules({ ...kind, access: changed }, model, faults);
    faults.throwIfAny();
  }
  return { ...kind, access: { ...(isPlainObject(kind.access) && kind.access), ...changed } };
}

/** The units with which a caller may do the operation; undefined if there are none. */
export function unitsFor(kind: KindDef, operation: Operation, caller: Caller, model: Model): Grant | undefined {
  const grant = grantOf(kind, operation, caller, model);
  if (!grant || !REQUIRE_READ.has(operation)) return grant;
  const read = grantOf(kind, 'read', caller, model);
  return read && { predicate: conjunction(read.predicate, grant.predicate) };
}
