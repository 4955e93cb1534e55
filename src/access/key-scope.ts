/** Scopes of API keys: what a key may do at most. A key never has more rights than its member. Pure. */
import { FILE_KIND, OPERATIONS, type Operation } from '../model/built-in-traits.js';
import type { KindDef, Model } from '../model/model.js';
import { isPlainObject, typeName, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { sha256 } from '../shared/sha256.js';
import { shortened } from '../shared/texts.js';
import { type AgentRights, type Caller, isAdministrator, type KeyScope } from '../tenancy/caller.js';

/** The operations that a scope may name: a member signs up without a key. */
export const SCOPED_OPERATIONS: readonly Operation[] = OPERATIONS.filter((operation) => operation !== 'signup');

/** In a scope, the model of the project as a whole, which is read and applied as a file: no kind has that id. */
const MODEL_SCOPE = 'model';
const MODEL_OPERATIONS: readonly Operation[] = ['read', 'update', 'delete'];

/** Whether the caller has an API key that may not do the operation, whatever its member may. */
export function isWithheldFromKey(kind: KindDef, operation: Operation, caller: Caller): boolean {
  if (caller.type !== 'member' || !caller.key) return false;
  const { id, traits } = kind;
  if (traits.notByKeys?.includes(operation)) return true;
  const { agent, scope } = caller.key;
  if (agent && isWithheldFromAgents(kind, operation, agent)) return true;
  return scope !== undefined && !scope.allows(id, operation);
}

/**
 * Agents write where their key says so, and nowhere definitions, members with all rights, or what lets somebody in or out:
 * neither by a tool nor by what such a write, or a function, writes for them.
 */
function isWithheldFromAgents({ id, builtIn }: KindDef, operation: Operation, { writes }: AgentRights): boolean {
  if (operation === 'read' || operation === 'history' || operation === 'function') return false;
  return !writes || (builtIn && id !== FILE_KIND);
}

/** A part of a scope that allows operations on the units of some kinds. */
interface ScopePart {
  readonly kinds: readonly string[];
  readonly operations: readonly string[];
}

/** The parts of a stored scope; of a malformed one those that can be read. */
function partsOf(scope: Json): ScopePart[] {
  const parts: readonly Json[] = Array.isArray(scope) ? scope : [];
  return parts.flatMap((part) => {
    if (!isPlainObject(part)) return [];
    const { kinds, operations } = part;
    return Array.isArray(kinds) && Array.isArray(operations) ? [{ kinds, operations }] : [];
  });
}

/** The meaning of a stored scope; undefined for null, which narrows nothing. What it does not name is not allowed. */
export function keyScopeOf(stored: Json): KeyScope | undefined {
  if (stored === null) return undefined;
  const allowed = new Map<string, Set<string>>();
  for (const { kinds, operations } of partsOf(stored)) {
    for (const kind of kinds) {
      const ofKind = allowed.get(kind) ?? new Set();
      for (const operation of operations) ofKind.add(operation);
      allowed.set(kind, ofKind);
    }
  }
  const id = sha256(JSON.stringify(stored));
  return { id, allows: (kindId, operation) => allowed.get(kindId)?.has(operation) ?? false };
}

/** A scope without some kinds; the same one if it names none of them. Parts that name no kind any more are left out. */
export function withoutKinds(scope: Json, dropped: ReadonlySet<string>): Json {
  const parts = partsOf(scope);
  if (!parts.some(({ kinds }) => kinds.some((kind) => dropped.has(kind)))) return scope;
  return parts.flatMap(({ kinds, operations }) => {
    const kept = kinds.filter((kind) => !dropped.has(kind));
    return kept.length > 0 ? [{ kinds: kept, operations: [...operations] }] : [];
  });
}

/** The faults of a scope in a body, as texts. Null, and an empty list, which allows nothing, have none. */
export function scopeFaults(scope: Json, model: Model): string[] {
  if (scope === null) return [];
  if (!Array.isArray(scope))
    return [`scope: must be a list of {"kinds": [...], "operations": [...]}, got ${typeName(scope)}`];
  if (scope.length > LIMITS.scopeParts) return [`scope: at most ${LIMITS.scopeParts} parts, got ${scope.length}`];
  const faults = (scope as readonly Json[]).flatMap((part, at) => partFaults(part, `scope[${at}]`, model));
  const named = partsOf(scope).flatMap(({ kinds }) => kinds);
  if (named.length > LIMITS.scopeKinds)
    faults.push(`scope: names at most ${LIMITS.scopeKinds} kinds, got ${named.length}`);
  if (!isModelScope(model, named)) return faults;
  const ofModel = partsOf(scope).filter(({ kinds }) => kinds.includes(MODEL_SCOPE));
  if (ofModel.some(({ kinds }) => kinds.length > 1))
    faults.push(`scope: '${MODEL_SCOPE}', which is all of the model, has a part of its own`);
  const others = ofModel.flatMap(({ operations }) => operations);
  const wrong = others.filter((name) => !MODEL_OPERATIONS.some((operation) => operation === name));
  if (wrong.length > 0) faults.push(`scope: '${MODEL_SCOPE}' has the operations ${MODEL_OPERATIONS.join(', ')}`);
  return faults;
}

/** Whether a scope is for the model and for kinds too: of agents alone, which open neither by themselves. */
export function namesModelAndKinds(scope: Json, model: Model): boolean {
  const named = partsOf(scope).flatMap(({ kinds }) => kinds);
  return isModelScope(model, named) && named.some((id) => id !== MODEL_SCOPE);
}

/** A kind of that id may be there from before it was reserved. */
function isModelScope({ kinds }: Model, named: readonly string[]): boolean {
  return named.includes(MODEL_SCOPE) && !kinds.has(MODEL_SCOPE);
}

/** Whether an agent may plan (`read`) or apply (`update`) changes of the model, which is for administrators. */
export function isModelAllowedToAgent(caller: Caller, operation: Operation, model: Model): boolean {
  if (caller.type !== 'member' || !isAdministrator(caller)) return false;
  const { agent, scope } = caller.key ?? {};
  if (!agent || !scope || (operation !== 'read' && !agent.writes)) return false;
  return allowsModel(scope, operation, model);
}

/** The operations on the model as a whole that a scope allows. */
export function allowsModel(scope: KeyScope, operation: Operation, { kinds }: Model): boolean {
  return scope.allows(MODEL_SCOPE, operation) && !kinds.has(MODEL_SCOPE);
}

function partFaults(part: Json, place: string, { kinds }: Model): string[] {
  if (!isPlainObject(part)) return [`${place}: must be an object with kinds and operations, got ${typeName(part)}`];
  const others = Object.keys(part).filter((key) => key !== 'kinds' && key !== 'operations');
  const usable = (id: string) => id === MODEL_SCOPE || (kinds.has(id) && !kinds.get(id)?.traits.sealed);
  const known = (name: string) => SCOPED_OPERATIONS.some((operation) => operation === name);
  return [
    ...others.map((key) => `${place}: has no '${shortened(key)}', only kinds and operations`),
    ...listFaults(part['kinds'], `${place}.kinds`, LIMITS.scopeKinds, (id) => {
      return usable(id) ? undefined : `no kind '${shortened(id)}' in this project`;
    }),
    ...listFaults(part['operations'], `${place}.operations`, SCOPED_OPERATIONS.length, (name) => {
      return known(name) ? undefined : `'${shortened(name)}' is none of ${SCOPED_OPERATIONS.join(', ')}`;
    }),
  ];
}

/** @param faultOf the fault of a name; undefined if it has none */
function listFaults(
  list: unknown,
  place: string,
  most: number,
  faultOf: (name: string) => string | undefined,
): string[] {
  if (!Array.isArray(list) || list.length === 0) return [`${place}: must be a list with at least one name`];
  if (list.length > most) return [`${place}: at most ${most} names, got ${list.length}`];
  return (list as Json[]).flatMap((name, at) => {
    if (typeof name !== 'string') return [`${place}[${at}]: must be a string, got ${typeName(name)}`];
    const fault = faultOf(name);
    return fault === undefined ? [] : [`${place}[${at}]: ${fault}`];
  });
}
