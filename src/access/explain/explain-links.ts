/**
 * Explains why a caller may or may not link a unit as the parent, where the access of a link type decides instead of the
 * right `link` of the kind. Pure.
 */
import { LINK_OPERATIONS, type LinkOperation } from '../../model/built-in-traits.js';
import { isLinkable, type KindDef, type LinkTypeDef, type Model } from '../../model/model.js';
import type { Level } from '../../model/parameter-setting/access.setting.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { isAdministrator, type Caller } from '../../tenancy/caller.js';
import { reasonText, UNREADABLE } from './explain.js';
import { linkGrantOf, linkSettingOf } from '../link-access.js';
import { linkRulesPredicate, type LinkedKinds } from '../link-rule.js';
import { passesLevel } from '../level.js';

/** The access check of one operation on links of a type. */
interface LinkCheck {
  readonly linkId: string;
  readonly operation: LinkOperation;
  /** Null if there are rules. */
  readonly level: Level | null;
  readonly rules: readonly string[];
  /** Whether any link is allowed; undefined if that depends on the kind of the child. */
  readonly granted: boolean | undefined;
  /** What has to be tested on both units: the rules together, and each of them. None where nothing depends on them. */
  readonly predicates: readonly Predicate[];
}

/** The explanation of one operation on links; null where it depends on the child, and none was named. */
export interface LinkExplanation {
  readonly allowed: boolean | null;
  readonly level: Level | null;
  readonly stored: true;
  readonly rules: readonly { readonly rule: string; readonly holds: boolean | null }[];
  readonly because: string;
}

/** The checks of all link types with own access. @param child undefined if no child was named */
export function linkChecks(parent: KindDef, child: KindDef | undefined, caller: Caller, model: Model): LinkCheck[] {
  if (!isLinkable(parent)) return [];
  return [...model.linkTypes.values()].flatMap((type) =>
    LINK_OPERATIONS.flatMap((operation): LinkCheck[] => {
      const setting = linkSettingOf(type, operation);
      if (setting === undefined) return [];
      const named = { linkId: type.id, operation };
      if (typeof setting === 'string') {
        const granted = passesLevel(setting, caller);
        return [{ ...named, level: setting, rules: [], granted, predicates: [] }];
      }
      const asked = { ...named, level: null, rules: setting };
      if (!child) {
        return [{ ...asked, granted: grantedForAny(parent, caller), predicates: [] }];
      }
      return [{ ...asked, ...ruleCheck(type, operation, setting, { parent, child }, caller, model) }];
    }),
  );
}

/** Whether rules let a caller in, whatever the child is; undefined if it depends on the child. */
function grantedForAny(parent: KindDef, caller: Caller): boolean | undefined {
  if (isAdministrator(caller)) return true;
  return caller.type === 'anonymous' && !parent.public ? false : undefined;
}

function ruleCheck(
  type: LinkTypeDef,
  operation: LinkOperation,
  rules: readonly string[],
  kinds: LinkedKinds,
  caller: Caller,
  model: Model,
): Pick<LinkCheck, 'granted' | 'predicates'> {
  const predicateOf = (some: readonly string[]) => linkRulesPredicate(some, type, kinds, caller, model);
  const granted = linkGrantOf(type, operation, kinds, caller, model) !== undefined;
  return { granted, predicates: [predicateOf(rules), ...rules.map((rule) => predicateOf([rule]))] };
}

/**
 * @param answers the results of `predicates`; undefined if no child was named
 * @param readable whether the caller can read the unit, and the child if one was named
 */
export function explainLink(
  check: LinkCheck,
  caller: Caller,
  answers: readonly boolean[] | undefined,
  readable: boolean,
): LinkExplanation {
  const { level } = check;
  const [together, ...each] = answers ?? [];
  const rules = check.rules.map((rule, at) => ({ rule, holds: answers ? each[at] === true : null }));
  const passes = passesCheck(check, caller, together);
  const asked = { level, stored: true, rules } as const;
  if (passes !== false && !readable) return { allowed: false, ...asked, because: UNREADABLE };
  if (passes === undefined) return { allowed: null, ...asked, because: UNNAMED };
  const held = rules.map(({ rule, holds }) => ({ rule, holds: holds === true }));
  return { allowed: passes, ...asked, because: reasonText({ ...asked, tooLarge: false, caller }, held, passes) };
}

const UNNAMED = 'the rules look at both units: name the child with child_kind and child_id';

/** Undefined if it depends on the child. @param holds whether one of the rules holds */
function passesCheck({ level, granted }: LinkCheck, caller: Caller, holds: boolean | undefined): boolean | undefined {
  if (granted !== true) return granted;
  return level !== null || isAdministrator(caller) || holds;
}
