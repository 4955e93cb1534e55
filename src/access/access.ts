/**
 * Decides what a caller may do with the units of a kind, from the stored `access` and the defaults. Every read and
 * write goes through these functions. Pure.
 */
import { type KindError, refusal } from '../shared/errors.js';
import { isPlainObject, type Json } from '../shared/json.js';
import { didYouMean, shortened } from '../shared/texts.js';
import { SEALED_KINDS } from '../model/built-in/built-in.js';
import { activeMemberKind, isMemberKind, type KindDef, type Model } from '../model/model.js';
import { LEVELS, type Level as StoredLevel } from '../model/access-levels.js';
import { rulesIn } from '../model/check/stored-rules.js';
import type { UserKind, UserReach } from '../model/predicate/path.js';
import { isAlwaysFalse, type Predicate, UNBOUND_MEMBER } from '../model/predicate/predicate.js';
import { constantResult } from '../model/predicate/related.js';
import { KIND_KIND, LINK_KIND, type Operation } from '../model/built-in-traits.js';
import {
  agentOf,
  ANONYMOUS,
  isAdministrator,
  knowsWholeProject,
  type Caller,
  type MemberCaller,
} from '../tenancy/caller.js';
import { accessDenied, type EffectiveLevel, FULL_GRANT, type Grant, levelGrant, notByKeys } from './level.js';
import { isWithheldFromKey } from './key-scope.js';
import { readableFields, rightsKeyOf } from './masks.js';
import { exceedRuleLimits, type RuleUsers, rulesPredicate } from './rule.js';
import { checkStored, checkUser, isUser, storedFields, unknownKind } from './rule-names.js';

/** Refuses access to the record of an internal kind. @throws KindError 403 */
export function refuseSealed(kind: KindDef, unitId: string): void {
  if (kind.traits.holdsKinds && SEALED_KINDS.includes(unitId))
    throw refusal('access.denied', `'${unitId}' is the system's own`);
}

/**
 * The stored setting of an operation: a level, or a list of rules of which one must match; undefined if none is stored.
 */
export function storedSetting(access: Json, operation: string): StoredLevel | readonly string[] | undefined {
  const setting = isPlainObject(access) ? access[operation] : undefined;
  if (setting === undefined || setting === null) return undefined;
  return LEVELS.find((known) => known === setting) ?? rulesIn(setting);
}

/** The level of an operation without a stored setting (docs/access.md). */
function defaultLevel(kind: KindDef, operation: Operation, { accessDefault }: Model): EffectiveLevel {
  const own = kind.traits.levels?.[operation];
  if (own) return own === 'member' && accessDefault !== 'open' ? 'admin' : own;
  if (operation === 'history') return 'admin';
  if (kind.builtIn) return operation === 'read' ? 'member' : 'admin';
  if (isMemberKind(kind)) {
    if (operation === 'signup') return accessDefault === 'open' ? 'anyone' : 'nobody';
    if (operation === 'create') return 'admin';
    if (operation === 'read' || operation === 'update' || operation === 'delete') return 'self';
  }
  if (operation === 'signup') return 'nobody';
  if (accessDefault !== 'open' && !(operation === 'read' && kind.public)) return 'admin';
  return kind.public ? 'anyone' : 'member';
}

/**
 * The grant of a caller for an operation; undefined if no unit is allowed. Sign-up is always checked without a caller.
 */
export function grantOf(kind: KindDef, operation: Operation, caller: Caller, model: Model): Grant | undefined {
  if (caller.type === 'system') return FULL_GRANT;
  const subject = operation === 'signup' ? ANONYMOUS : caller;
  if (kind.traits.sealed) return undefined;
  // Only member kinds have sign-up: on other kinds the setting has no effect, and so opens nothing.
  if (operation === 'signup' && !isMemberKind(kind)) return undefined;
  const grant = grantBySetting(kind, operation, subject, model);
  // Rules cannot be evaluated on the units of a remote source, so a grant that depends on one is refused.
  if (!kind.storage.rules && grant?.predicate) return undefined;
  return grant && kind.traits.holdsKinds ? withoutSealed(kind, grant) : grant;
}

/** Operations on existing units, which also need the right to read them. */
export const REQUIRE_READ: ReadonlySet<Operation> = new Set(['update', 'delete', 'link', 'function', 'history']);

/** Whether a caller may do an operation on at least one unit that could exist. */
export function isAllowedForSomeUnit(kind: KindDef, operation: Operation, caller: Caller, model: Model): boolean {
  const grant = grantOf(kind, operation, caller, model);
  if (!grant) return false;
  if (!REQUIRE_READ.has(operation)) return true;
  if (isAlwaysFalse(grant.predicate)) return false;
  const read = grantOf(kind, 'read', caller, model);
  return read !== undefined && !isAlwaysFalse(read.predicate);
}

/** Excludes the records of internal kinds. */
function withoutSealed(kind: KindDef, { predicate }: Grant): Grant {
  const others = SEALED_KINDS.map((value): Predicate => {
    return { op: 'is', target: { field: kind.keyField, keys: [] }, negated: true, value };
  });
  return { predicate: { op: 'and', parts: predicate ? [predicate, ...others] : others } };
}

/** The setting of an operation; `stored` is false for a default. */
export type AccessSetting = { readonly stored: boolean } & (
  { readonly level: EffectiveLevel } | { readonly rules: readonly string[] }
);

export function accessSettingOf(kind: KindDef, operation: Operation, model: Model): AccessSetting {
  const setting = kind.traits.closed?.includes(operation) ? 'nobody' : storedSetting(kind.access, operation);
  if (setting === undefined) {
    const rules = kind.traits.rules?.[operation];
    if (rules) return { rules, stored: false };
    return { level: defaultLevel(kind, operation, model), stored: false };
  }
  return typeof setting === 'string' ? { level: setting, stored: true } : { rules: setting, stored: true };
}

function grantBySetting(kind: KindDef, operation: Operation, caller: Caller, model: Model): Grant | undefined {
  if (isWithheldFromKey(kind, operation, caller)) return undefined;
  const setting = accessSettingOf(kind, operation, model);
  if ('rules' in setting) {
    const grant = ruleGrant(setting.rules, kind, caller, model);
    // A write that no unit could satisfy is refused at once; a read lists no units instead.
    return operation !== 'read' && grant && isAlwaysFalse(grant.predicate) ? undefined : grant;
  }
  return levelGrant(setting.level, kind, caller);
}

/** The units that match at least one of the rules. Without a token, rules apply only to public kinds. */
function ruleGrant(
  rules: readonly string[],
  kind: KindDef,
  caller: Caller,
  model: Model,
  over?: UserReach['over'],
): Grant | undefined {
  if (isAdministrator(caller)) return FULL_GRANT;
  if (caller.type === 'anonymous' && !kind.public) return undefined;
  const users = usersInRules(kind, caller, model, over);
  if (exceedRuleLimits(rules, kind, caller, model, users)) return undefined;
  return { predicate: rulesPredicate(rules, kind, caller, model, users) };
}

/** What `referred` in rules of the kind looks at; undefined where they can't have it. @param over as in `UserReach` */
export function usersInRules(
  kind: KindDef,
  caller: Caller,
  model: Model,
  over?: UserReach['over'],
): RuleUsers | undefined {
  if (!kind.traits.contents) return undefined;
  const unbound = caller.type === 'member' ? { ...caller, id: UNBOUND_MEMBER } : caller;
  const users = usersFor(unbound, model, (user) => storedFields(user));
  const way = over ? ` over ${over.kind.id}.${over.reference.id}` : '';
  return {
    users: {
      ...users,
      // What a rule names is checked when it is stored.
      open: (id, at) => (mayReadSome(model.kinds.get(id), unbound, model) ? users.open(id, at) : undefined),
      ...(over && { over }),
    },
    key: `${rightsKeyOf(caller)}${way}`,
  };
}

function mayReadSome(kind: KindDef | undefined, caller: Caller, model: Model): boolean {
  return kind !== undefined && isUser(kind) && grantOf(kind, 'read', caller, model) !== undefined;
}

/** What `referred` looks at for a caller. @param visibleOf the fields that its filter may name */
export function usersFor(
  caller: Caller,
  model: Model,
  visibleOf: (kind: KindDef) => UserKind['visible'] = (kind) => readableFields(kind, caller, model),
): UserReach {
  const userOf = (kind: KindDef, { predicate }: Grant): UserKind => {
    return { kind, visible: visibleOf(kind), access: predicate, readable: readableFields(kind, caller, model) };
  };
  return {
    kinds: () =>
      [...model.kinds.values()].filter(isUser).flatMap((kind) => {
        const grant = grantOf(kind, 'read', caller, model);
        return grant && !isAlwaysFalse(grant.predicate) ? [userOf(kind, grant)] : [];
      }),
    open(id, at) {
      const { kind, grant } = openRelated(id, at, caller, model);
      checkUser(kind, at);
      return userOf(kind, grant);
    },
    limited: caller.type !== 'system' && !isAdministrator(caller),
  };
}

/**
 * The kind of related units, and those that the caller may read.
 * @throws KindError 400 where a name is unknown or has no table; 401 or 403 for one that the caller may not read
 */
export function openRelated(id: string, at: number, caller: Caller, model: Model): { kind: KindDef; grant: Grant } {
  // Without a token a missing kind and a closed one are reported alike.
  const known = model.kinds.get(id);
  if (caller.type !== 'anonymous' && (!known || isUnknownToAgent(known, caller, model))) {
    throw unknownKind(id, at, didYouMean(id, suggestableKinds(model, caller)));
  }
  const opened = authorizeKind(model, id, 'read', caller);
  checkActive(opened.kind);
  checkStored(opened.kind, at);
  return opened;
}

/** The units that a caller reads over a reference of units that it reads: `referred` in a rule is true there. */
export function grantOver(
  kind: KindDef,
  grant: Grant,
  over: NonNullable<UserReach['over']>,
  caller: Caller,
  model: Model,
): Grant {
  const setting = accessSettingOf(kind, 'read', model);
  if (!kind.traits.contents || !isUser(over.kind) || !grant.predicate || !('rules' in setting)) return grant;
  const predicate = ruleGrant(setting.rules, kind, caller, model, over)?.predicate ?? grant.predicate;
  return constantResult(predicate) === true ? FULL_GRANT : { predicate };
}

/**
 * Returns the kind of a path and the caller's grant for the first of the operations that is allowed.
 * Without a token, a missing kind and a closed one are both 401, so that they cannot be told apart; with a token, a
 * missing kind is 404 and a closed one 403.
 * @throws KindError 401, 403, 404
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
      if (!grant) continue;
      if (REQUIRE_READ.has(each)) checkKeyReads(kind, caller, model);
      return { kind, grant };
    }
  }
  throw kindDenied(model, kind, kindId, operations[0] ?? 'read', caller);
}

/**
 * Whether the API key of the caller alone keeps it from an operation: its member may do it, and may read units of the
 * kind.
 */
function isWithheldByKeyAlone(kind: KindDef, operation: Operation, caller: Caller, model: Model): boolean {
  if (caller.type !== 'member' || !isWithheldFromKey(kind, operation, caller)) return false;
  const { key, ...member } = caller;
  const may = (each: Operation) => grantOf(kind, each, member, model) !== undefined;
  return key !== undefined && may(operation) && may('read');
}

/** The same for reading. */
export function isUnreadByKey(kind: KindDef, caller: Caller, model: Model): boolean {
  return isWithheldByKeyAlone(kind, 'read', caller, model);
}

/** For operations on units that the caller must be able to read: all would be unknown. @throws KindError 403 */
export function checkKeyReads(kind: KindDef, caller: Caller, model: Model): void {
  if (isUnreadByKey(kind, caller, model)) throw kindDenied(model, kind, kind.id, 'read', caller);
}

/** The same for reading, by those who may know everything of the project. @throws KindError 401, 403, 404 */
export function authorizeAdministrator(model: Model, kindId: string, caller: Caller): { kind: KindDef; grant: Grant } {
  const authorized = authorizeKind(model, kindId, 'read', caller);
  checkAdministrator(caller, 'Only administrators are told what others may do');
  return authorized;
}

/** Refuses members whose kind is inactive or is no longer a member kind. @throws KindError 401 */
export function checkMemberKind(model: Model, caller: Caller): void {
  if (caller.type === 'member') memberKindOf(model, caller);
}

/** The kind of a member. @throws KindError 401 if it is inactive or no longer a member kind */
export function memberKindOf(model: Model, { kindId }: MemberCaller): KindDef {
  const kind = activeMemberKind(model, kindId);
  if (kind) return kind;
  throw refusal('token.invalid', 'The kind of this member is inactive');
}

/** Whether the caller is an agent who is not told that the kind is there: it can neither read nor make units of it. */
export function isUnknownToAgent(kind: KindDef, caller: Caller, model: Model): boolean {
  if (!agentOf(caller)) return false;
  return !grantOf(kind, 'read', caller, model) && !grantOf(kind, 'create', caller, model);
}

const OPERATIONS_IN_WORDS: Readonly<Partial<Record<Operation, string>>> = {
  function: 'call functions',
  history: 'read the history of units',
};

/** The error for a caller who has no grant for a kind. */
export function kindDenied(
  model: Model,
  kind: KindDef | undefined,
  kindId: string,
  operation: Operation,
  caller: Caller,
): KindError {
  if (caller.type === 'anonymous') return accessDenied(caller, '');
  if (!kind || isUnknownToAgent(kind, caller, model))
    return refusal(
      'kind.unknown',
      `No kind '${shortened(kindId)}' in this project${didYouMean(kindId, suggestableKinds(model, caller))}`,
    );
  const what = OPERATIONS_IN_WORDS[operation] ?? `${operation} units`;
  if (isWithheldByKeyAlone(kind, operation, caller, model)) {
    // No scope would let a key do it.
    if (kind.traits.notByKeys?.includes(operation)) return notByKeys();
    return accessDenied(caller, `This API key may not ${what} of '${kind.id}'`);
  }
  const setting = accessSettingOf(kind, operation, model);
  const users = usersInRules(kind, caller, model);
  const closed = 'rules' in setting && exceedRuleLimits(setting.rules, kind, caller, model, users);
  const why = closed ? ': its rules are more than is allowed, and have to be made shorter' : '';
  return accessDenied(caller, `You may not ${what} of '${kind.id}'${why}`);
}

/**
 * For what administrators alone may do, whose API keys may if they have no scope.
 * @param text which says who may @throws KindError 401, 403
 */
export function checkAdministrator(caller: Caller, text: string): void {
  if (knowsWholeProject(caller)) return;
  throw accessDenied(caller, isAdministrator(caller) ? `${text}; this API key has a scope` : text);
}

/** The kinds that an error text may suggest: all but internal ones, if the caller may read all kinds. */
export function suggestableKinds(model: Model, caller: Caller): string[] {
  const open = [...model.kinds.values()].filter(({ traits }) => !traits.sealed);
  return idsIfAllReadable(
    model,
    KIND_KIND,
    open.map(({ id }) => id),
    caller,
  );
}

/** The link types that an error text may suggest. */
export function suggestableLinkTypes(model: Model, caller: Caller): readonly string[] {
  return idsIfAllReadable(model, LINK_KIND, [...model.linkTypes.keys()], caller);
}

/** The ids if the caller may read all units of the kind, otherwise none. */
export function idsIfAllReadable(model: Model, kindId: string, ids: string[], caller: Caller): string[] {
  const kind = model.kinds.get(kindId);
  const grant = kind && grantBySetting(kind, 'read', caller, model);
  return grant && !grant.predicate ? ids : [];
}

/** @throws KindError 403 */
export function checkActive(kind: KindDef): void {
  if (!kind.active) throw refusal('kind.inactive', `The kind '${kind.id}' is inactive`);
}

/** For operations that need the table of the kind. @throws KindError 403 where the kind is inactive, 404 where it has no table */
export function checkHasTable(kind: KindDef): void {
  checkActive(kind);
  if (kind.storage.hasTable) return;
  const text = `Units of '${kind.id}' are kept elsewhere: they have no links, nothing leads to them, and nobody signs up there`;
  throw refusal('kind.not_allowed_here', text);
}
