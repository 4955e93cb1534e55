/** Access to functions, and from functions to kinds. Pure. */
import { getOrInsert } from '../shared/maps.js';
import { refusal } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import type { KindDef, Model } from '../model/model.js';
import type { Level } from '../model/access-levels.js';
import type { Operation } from '../model/built-in-traits.js';
import type { Caller } from '../tenancy/caller.js';
import { checkKeyReads, checkMemberKind, kindDenied, grantOf, authorizeKind } from './access.js';
import type { Grant } from './level.js';

/** `authorizeKind` for code of functions. Credentials are refused even to functions as the system. */
export function authorizeForFunction(
  model: Model,
  kindId: string,
  operation: Operation | readonly Operation[],
  caller: Caller,
): { kind: KindDef; grant: Grant } {
  const opened = authorizeKind(model, kindId, operation, caller);
  if (opened.kind.traits.sealed) throw refusal('access.denied', `'${kindId}' is the system's own`);
  return opened;
}

/** Copies of kinds with the `access` of a function in place of theirs, cached as long as the model exists. */
const kindsWithFunctionAccess = new WeakMap<KindDef, Map<string, KindDef>>();

function withFunctionAccess(kind: KindDef, access: Level | readonly string[]): KindDef {
  const ofKind = getOrInsert(kindsWithFunctionAccess, kind, () => new Map<string, KindDef>());
  const others = isPlainObject(kind.access) ? kind.access : {};
  return getOrInsert(ofKind, JSON.stringify(access), () => ({ ...kind, access: { ...others, function: access } }));
}

function judgedKind(kind: KindDef, access: FunctionTarget['access']): KindDef {
  return access === undefined ? kind : withFunctionAccess(kind, access);
}

/** Whether a function is called on a unit or on the whole kind, and the access that it declares, if any. */
interface FunctionTarget {
  readonly ofUnit: boolean;
  readonly access: Level | readonly string[] | undefined;
}

/**
 * The units on which a caller may call a function. A rule needs a unit to test, so it never allows a function of the
 * whole kind.
 */
export function functionGrant(
  kind: KindDef,
  { ofUnit, access }: FunctionTarget,
  caller: Caller,
  model: Model,
): Grant | undefined {
  const grant = grantOf(judgedKind(kind, access), 'function', caller, model);
  // Built-in kinds have no functions, and their predicate only excludes internal kinds.
  return !ofUnit && grant?.predicate && !kind.builtIn ? undefined : grant;
}

/** `authorizeKind` for a function call. */
export function authorizeFunction(
  model: Model,
  kindId: string,
  target: FunctionTarget,
  caller: Caller,
): { kind: KindDef; grant: Grant } {
  checkMemberKind(model, caller);
  const kind = model.kinds.get(kindId);
  const grant = kind && functionGrant(kind, target, caller, model);
  if (kind && grant) {
    if (target.ofUnit) checkKeyReads(kind, caller, model);
    return { kind, grant };
  }
  throw kindDenied(model, kind && judgedKind(kind, target.access), kindId, 'function', caller);
}
