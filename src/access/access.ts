/**
 * Who may do what with the units of a kind: the one place where a stored `access` and the defaults become a decision.
 * Pure. Every path to the data asks here, and a plan takes the answer with it.
 */
import { KindError, refusal } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import { didYouMean } from '../shared/did-you-mean.js';
import { SEALED_KINDS } from '../model/built-in/built-in.js';
import { isMemberKind, type KindDef, type Model } from '../model/model.js';
import { LEVELS, type Level as StoredLevel } from '../model/parameter-type/parameter-settings.js';
import { rulesOf } from '../model/check/stored-rules.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { KIND_KIND, LINK_KIND, type Operation } from '../model/built-in-traits.js';
import { ANONYMOUS, isAdministrator, type Caller } from '../tenancy/caller.js';
import { passesLevel } from './level.js';
import { exceedRuleLimits, rulePredicate } from './rule.js';

/** What a caller may do it with: all units, or those of a predicate. */
export interface Grant {
  readonly predicate: Predicate | undefined;
}

const FULL_GRANT: Grant = { predicate: undefined };

/** A sealed kind, as a unit among the kinds: nobody's to see. @throws KindError 403 */
export function refuseSealed(kind: KindDef, unitId: string): void {
  if (kind.special.holdsKinds && SEALED_KINDS.includes(unitId))
    throw refusal('access.denied', `'${unitId}' is the system's own`);
}

/** What the owner said of an operation: a level, or rules of which any lets in; undefined for nothing. */
function storedAccess(kind: KindDef, operation: Operation): StoredLevel | readonly string[] | undefined {
  const said = isPlainObject(kind.access) ? kind.access[operation] : undefined;
  if (said === undefined || said === null) return undefined;
  return LEVELS.find((known) => known === said) ?? rulesOf(said);
}

/** A level of the owner's, or `self`: members reach their own unit, administrators all. */
export type EffectiveLevel = StoredLevel | 'self';

/** The level of an operation where the owner said nothing (docs/access.md). */
function defaultLevel(kind: KindDef, operation: Operation): EffectiveLevel {
  const own = kind.special.levels?.[operation];
  if (own) return own;
  if (kind.builtIn) return operation === 'read' ? 'member' : 'admin';
  if (isMemberKind(kind)) {
    if (operation === 'signup') return 'anyone';
    if (operation === 'create') return 'admin';
    if (operation === 'read' || operation === 'update' || operation === 'delete') return 'self';
  }
  if (operation === 'signup') return 'nobody';
  return kind.public ? 'anyone' : 'member';
}

/** Whether a caller may do something with some units of a kind; undefined where with none. Who signs up is nobody yet. */
export function grantOf(kind: KindDef, operation: Operation, asking: Caller, model: Model): Grant | undefined {
  if (asking.type === 'system') return FULL_GRANT;
  const caller = operation === 'signup' ? ANONYMOUS : asking;
  if (kind.special.sealed) return undefined;
  // Only member kinds have sign-up: on other kinds the setting has no effect, and so opens nothing.
  if (operation === 'signup' && !isMemberKind(kind)) return undefined;
  const grant = grantBySetting(kind, operation, caller, model);
  // What a source answers is not judged by rules: for whom one would be asked, all is closed.
  if (!kind.storage.rules && grant?.predicate) return undefined;
  return grant && kind.special.holdsKinds ? withoutSealed(kind, grant) : grant;
}

/** Operations on a unit that is there already: what may not be read is not there for them. */
export const REQUIRE_READ: ReadonlySet<Operation> = new Set(['update', 'delete', 'link', 'function']);

/** Whether a caller's request to do something with a unit of a kind can succeed for any unit at all. */
export function isAllowedForSomeUnit(kind: KindDef, operation: Operation, caller: Caller, model: Model): boolean {
  const grant = grantOf(kind, operation, caller, model);
  if (!grant) return false;
  if (!REQUIRE_READ.has(operation)) return true;
  if (isAlwaysFalse(grant.predicate)) return false;
  const read = grantOf(kind, 'read', caller, model);
  return read !== undefined && !isAlwaysFalse(read.predicate);
}

/** Among the kinds a sealed one is not there. */
function withoutSealed(kind: KindDef, { predicate }: Grant): Grant {
  const others = SEALED_KINDS.map((value): Predicate => {
    return { op: 'is', target: { field: kind.keyField, keys: [] }, negated: true, value };
  });
  return { predicate: { op: 'and', parts: predicate ? [predicate, ...others] : others } };
}

/** What holds for an operation, and whether the owner said so. */
export type AccessSetting = { readonly stored: boolean } & (
  { readonly level: EffectiveLevel } | { readonly rules: readonly string[] }
);

export function accessSettingOf(kind: KindDef, operation: Operation): AccessSetting {
  const said = kind.special.closed?.includes(operation) ? 'nobody' : storedAccess(kind, operation);
  if (said === undefined) return { level: defaultLevel(kind, operation), stored: false };
  return typeof said === 'string' ? { level: said, stored: true } : { rules: said, stored: true };
}

function grantBySetting(kind: KindDef, operation: Operation, caller: Caller, model: Model): Grant | undefined {
  const said = accessSettingOf(kind, operation);
  if ('rules' in said) {
    const grant = ruleGrant(said.rules, kind, caller, model);
    // What none can be created or changed for is refused before it is looked at; a list of none is an empty one.
    return operation !== 'read' && grant && isAlwaysFalse(grant.predicate) ? undefined : grant;
  }
  if (said.level !== 'self') return passesLevel(said.level, caller) ? FULL_GRANT : undefined;
  if (isAdministrator(caller)) return FULL_GRANT;
  return caller.type === 'member' ? ownUnitGrant(kind, caller.kindId, caller.id) : undefined;
}

/** The units for which any of the rules holds. A rule needs a token, unless the kind is public. */
function ruleGrant(rules: readonly string[], kind: KindDef, caller: Caller, model: Model): Grant | undefined {
  if (isAdministrator(caller)) return FULL_GRANT;
  if (caller.type === 'anonymous' && !kind.public) return undefined;
  if (exceedRuleLimits(rules, kind, caller, model)) return undefined;
  const parts = rules.map((rule) => rulePredicate(rule, kind, caller, model));
  return { predicate: parts.length === 1 && parts[0] ? parts[0] : { op: 'or', parts } };
}

function isAlwaysFalse(predicate: Predicate | undefined): boolean {
  if (predicate?.op === 'constant') return !predicate.value;
  return predicate?.op === 'or' && predicate.parts.every(isAlwaysFalse);
}

/** A member's own unit, and no other. */
function ownUnitGrant(kind: KindDef, memberKind: string, memberId: string): Grant {
  if (kind.id !== memberKind) return { predicate: { op: 'constant', value: false } };
  return {
    predicate: { op: 'is', target: { field: kind.keyField, keys: [] }, negated: false, value: memberId },
  };
}

/**
 * The kind of a path and what the caller may do there. Without a token a kind that is missing and one that is not open
 * both answer 401; with one, a missing kind is 404 and one that the caller may not touch 403.
 */
export function authorizeKind(
  model: Model,
  kindId: string,
  operation: Operation | readonly Operation[],
  caller: Caller,
): { kind: KindDef; grant: Grant } {
  checkMemberKind(model, caller);
  const kind = model.kinds.get(kindId);
  const operations: readonly Operation[] = typeof operation === 'string' ? [operation] : operation;
  if (kind) {
    for (const each of operations) {
      const grant = grantOf(kind, each, caller, model);
      if (grant) return { kind, grant };
    }
  }
  throw kindDenied(model, kind, kindId, operations[0] ?? 'read', caller);
}

/** Members of an inactive kind, or of one that is no member kind any more, have no good token. @throws KindError 401 */
export function checkMemberKind(model: Model, caller: Caller): void {
  if (caller.type !== 'member') return;
  const kind = model.kinds.get(caller.kindId);
  if (!kind?.active || !isMemberKind(kind)) throw refusal('token.invalid', 'The kind of this member is inactive');
}

/** Why a caller gets nothing of a kind. */
export function kindDenied(
  model: Model,
  kind: KindDef | undefined,
  kindId: string,
  operation: Operation,
  caller: Caller,
): KindError {
  if (caller.type === 'anonymous') return accessDenied(caller, '');
  if (!kind)
    return refusal(
      'kind.unknown',
      `No kind '${kindId.slice(0, 80)}' in this project${didYouMean(kindId, suggestableKinds(model, caller))}`,
    );
  const what = operation === 'function' ? 'call functions' : `${operation} units`;
  const said = accessSettingOf(kind, operation);
  const closed = 'rules' in said && exceedRuleLimits(said.rules, kind, caller, model);
  const why = closed ? ': its rules are more than is allowed, and have to be made shorter' : '';
  return accessDenied(caller, `You may not ${what} of '${kind.id}'${why}`);
}

/** 403, or 401 for who has no token: another one could help. */
export function accessDenied(caller: Caller, text: string): KindError {
  if (caller.type === 'anonymous') return refusal('token.missing', 'A bearer token is needed here');
  return refusal('access.denied', text);
}

/** The kinds that a hint may name: to who may read them as units, all but a sealed one. */
export function suggestableKinds(model: Model, caller: Caller): string[] {
  const open = [...model.kinds.values()].filter(({ special }) => !special.sealed);
  return idsIfAllReadable(
    model,
    KIND_KIND,
    open.map(({ id }) => id),
    caller,
  );
}

/** The link types that a hint may name. */
export function suggestableLinkTypes(model: Model, caller: Caller): readonly string[] {
  return idsIfAllReadable(model, LINK_KIND, [...model.linkTypes.keys()], caller);
}

/** Ids of the units of a kind, for who may read all of them. */
export function idsIfAllReadable(model: Model, kindId: string, ids: string[], caller: Caller): string[] {
  const kind = model.kinds.get(kindId);
  const grant = kind && grantBySetting(kind, 'read', caller, model);
  return grant && !grant.predicate ? ids : [];
}

/** @throws KindError 403 */
export function checkActive(kind: KindDef): void {
  if (!kind.active) throw refusal('kind.inactive', `The kind '${kind.id}' is inactive`);
}

/** For operations that need the table of the kind. @throws KindError 403 where the kind is inactive or has no table */
export function checkHasTable(kind: KindDef): void {
  checkActive(kind);
  if (!kind.storage.hasTable) throw remoteUnavailable(kind);
}

export function remoteUnavailable({ id }: KindDef): KindError {
  return refusal('kind.remote_unavailable', `No function module supplies the units of '${id}'`);
}
