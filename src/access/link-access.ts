/** Access to links, where their type has its own `access`: it replaces the right `link` of the parent's kind. Pure. */
import { isLinkable, type KindDef, type LinkTypeDef, type Model } from '../model/model.js';
import type { LinkOperation } from '../model/built-in-traits.js';
import type { Level } from '../model/access-levels.js';
import { isAlwaysFalse, type Predicate } from '../model/predicate/predicate.js';
import { isAdministrator, type Caller } from '../tenancy/caller.js';
import { grantOf, isAllowedForSomeUnit, storedSetting } from './access.js';
import { isWithheldFromKey } from './key-scope.js';
import { passesLevel } from './level.js';
import { linkRulesPredicate, type LinkedKinds } from './link-rule.js';

/** The setting of a link type for an operation; undefined if the right `link` of the parent's kind decides. */
export function linkSettingOf(
  { access }: LinkTypeDef,
  operation: LinkOperation,
): Level | readonly string[] | undefined {
  return storedSetting(access, operation);
}

/** Whether the `access` of a link type decides who may do an operation. */
export function hasOwnAccess(type: LinkTypeDef | undefined, operation: LinkOperation): boolean {
  return type !== undefined && linkSettingOf(type, operation) !== undefined;
}

/** Whether no link of a type is allowed, whatever its units are. */
export function isClosedFor(type: LinkTypeDef, operation: LinkOperation, caller: Caller): boolean {
  const setting = linkSettingOf(type, operation);
  return typeof setting === 'string' && !passesLevel(setting, caller);
}

/** The links on which an operation is allowed: all that satisfy both predicates. */
interface LinkGrant {
  /** The parents, by the right `link` of their kind; undefined for all. */
  readonly allowed: Predicate | undefined;
  /** The links, by the access of their type; undefined for all. */
  readonly rule: Predicate | undefined;
}

const ALL_LINKS: LinkGrant = { allowed: undefined, rule: undefined };

/**
 * The links between units of two kinds on which an operation is allowed; undefined if there are none. The access of the
 * type replaces the right `link` of the parent's kind, but not in the scope of an API key. That the caller can read both units is checked apart from this.
 * Without a token, rules of a type apply only between public kinds.
 */
export function linkGrantOf(
  type: LinkTypeDef,
  operation: LinkOperation,
  kinds: LinkedKinds,
  caller: Caller,
  model: Model,
): LinkGrant | undefined {
  if (isWithheldFromKey(kinds.parent, 'link', caller)) return undefined;
  const setting = linkSettingOf(type, operation);
  if (setting === undefined) {
    const grant = grantOf(kinds.parent, 'link', caller, model);
    return grant && { allowed: grant.predicate, rule: undefined };
  }
  if (typeof setting === 'string') return passesLevel(setting, caller) ? ALL_LINKS : undefined;
  if (caller.type === 'system' || isAdministrator(caller)) return ALL_LINKS;
  if (caller.type === 'anonymous' && !(kinds.parent.public && kinds.child.public)) return undefined;
  const rule = linkRulesPredicate(setting, type, kinds, caller, model);
  return isAlwaysFalse(rule) ? undefined : { allowed: undefined, rule };
}

/**
 * Whether a caller may do an operation on at least one link that could exist from a unit of a kind, because a link type
 * has its own access.
 */
export function mayBeParent(parent: KindDef, operation: LinkOperation, caller: Caller, model: Model): boolean {
  if (!isLinkable(parent) || !isAllowedForSomeUnit(parent, 'read', caller, model)) return false;
  const types = [...model.linkTypes.values()].filter((type) => hasOwnAccess(type, operation));
  if (types.length === 0) return false;
  const children = [...model.kinds.values()].filter(isLinkable).filter((kind) => {
    return kind.active && isAllowedForSomeUnit(kind, 'read', caller, model);
  });
  return types.some((type) =>
    children.some((child) => linkGrantOf(type, operation, { parent, child }, caller, model) !== undefined),
  );
}
