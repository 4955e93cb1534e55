/** Access to links, where their type has its own `access`: it replaces the right `link` of the parent's kind. Pure. */
import { isLinkable, type KindDef, type LinkTypeDef, type Model } from '../model/model.js';
import type { LinkOperation } from '../model/built-in-traits.js';
import type { Level } from '../model/parameter-type/parameter-settings.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { isAdministrator, type Caller } from '../tenancy/caller.js';
import { isAllowedForSomeUnit, isAlwaysFalse, storedSetting } from './access.js';
import { passesLevel } from './level.js';
import { linkRulesPredicate, type LinkedKinds } from './link-rule.js';

/** A level, or rules of which one must match. */
export type LinkSetting = Level | readonly string[];

/** The setting of a link type for an operation; undefined if the right `link` of the parent's kind decides. */
export function linkSettingOf({ access }: LinkTypeDef, operation: LinkOperation): LinkSetting | undefined {
  return storedSetting(access, operation);
}

/** The links on which an operation is allowed: those that match the predicate, or all links if it is undefined. */
export interface LinkGrant {
  readonly rule: Predicate | undefined;
}

const ALL_LINKS: LinkGrant = { rule: undefined };

/**
 * The links between units of two kinds for which a caller passes a setting; undefined if there are none. That the caller
 * can read both units is checked apart from this. Without a token, rules apply only between public kinds.
 */
export function linkGrantOf(
  setting: LinkSetting,
  type: LinkTypeDef,
  kinds: LinkedKinds,
  caller: Caller,
  model: Model,
): LinkGrant | undefined {
  if (typeof setting === 'string') return passesLevel(setting, caller) ? ALL_LINKS : undefined;
  if (caller.type === 'system' || isAdministrator(caller)) return ALL_LINKS;
  if (caller.type === 'anonymous' && !(kinds.parent.public && kinds.child.public)) return undefined;
  const rule = linkRulesPredicate(setting, type, kinds, caller, model);
  return !isAlwaysFalse(rule) ? { rule } : undefined;
}

/**
 * Whether a caller may do an operation on at least one link that could exist from a unit of a kind, because a link type
 * has its own access.
 */
export function mayBeParent(parent: KindDef, operation: LinkOperation, caller: Caller, model: Model): boolean {
  if (!isLinkable(parent) || !isAllowedForSomeUnit(parent, 'read', caller, model)) return false;
  const types = [...model.linkTypes.values()].flatMap((type) => {
    const setting = linkSettingOf(type, operation);
    return setting === undefined ? [] : [{ type, setting }];
  });
  if (types.length === 0) return false;
  const children = [...model.kinds.values()].filter(isLinkable).filter((kind) => {
    return kind.active && isAllowedForSomeUnit(kind, 'read', caller, model);
  });
  return types.some(({ type, setting }) =>
    children.some((child) => linkGrantOf(setting, type, { parent, child }, caller, model) !== undefined),
  );
}
