/** Who may call functions, and what is open to them. Pure. */
import { refusal } from '../shared/errors.js';
import type { KindDef, Model } from '../model/model.js';
import type { Level } from '../model/parameter-type/parameter-settings.js';
import type { Operation } from '../model/built-in-traits.js';
import type { Caller } from '../tenancy/caller.js';
import { checkMemberKind, kindDenied, grantOf, authorizeKind, type Grant } from './access.js';

/** Opens a kind to a function: credentials are closed to the system too. */
export function authorizeForFunction(
  model: Model,
  kindId: string,
  operation: Operation,
  caller: Caller,
): { kind: KindDef; grant: Grant } {
  const opened = authorizeKind(model, kindId, operation, caller);
  if (opened.kind.special.sealed) throw refusal('access.denied', `'${kindId}' is the system's own`);
  return opened;
}

/** The same kind with a function's own access, which hangs on the definition and goes with it. */
const kindsWithFunctionAccess = new WeakMap<KindDef, Map<string, KindDef>>();

function withFunctionAccess(kind: KindDef, access: Level | readonly string[]): KindDef {
  const ofKind = kindsWithFunctionAccess.get(kind) ?? new Map<string, KindDef>();
  kindsWithFunctionAccess.set(kind, ofKind);
  const key = JSON.stringify(access);
  const known = ofKind.get(key) ?? { ...kind, access: { function: access } };
  ofKind.set(key, known);
  return known;
}

/** What is asked of a function: whether it is of a unit or of the whole kind, and its own access, where it has one. */
export interface FunctionTarget {
  readonly ofUnit: boolean;
  readonly access: Level | readonly string[] | undefined;
}

/** The units that a caller may call a function for. A rule is about a unit: it lets nobody call a function of the kind. */
export function functionGrant(
  kind: KindDef,
  { ofUnit, access }: FunctionTarget,
  caller: Caller,
  model: Model,
): Grant | undefined {
  const grant = grantOf(access === undefined ? kind : withFunctionAccess(kind, access), 'function', caller, model);
  // Kinds of the model have no functions, and what is hidden among them is no rule.
  return !ofUnit && grant?.predicate && !kind.builtIn ? undefined : grant;
}

/** `openKind` for a function. */
export function authorizeFunction(
  model: Model,
  kindId: string,
  asked: FunctionTarget,
  caller: Caller,
): { kind: KindDef; grant: Grant } {
  checkMemberKind(model, caller);
  const kind = model.kinds.get(kindId);
  const grant = kind && functionGrant(kind, asked, caller, model);
  if (kind && grant) return { kind, grant };
  throw kindDenied(model, kind, kindId, 'function', caller);
}
