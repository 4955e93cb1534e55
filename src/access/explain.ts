import { LINK_OPERATIONS, type LinkOperation, type Operation, OPERATIONS } from '../model/built-in-traits.js';
import { isLinkable, isMemberKind, type KindDef, type Model } from '../model/model.js';
import type { Level } from '../model/access-levels.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { ANONYMOUS, type Caller, isAdministrator } from '../tenancy/caller.js';
import { accessSettingOf, grantOf, REQUIRE_READ, usersInRules } from './access.js';
import { type EffectiveLevel, passesLevel } from './level.js';
import { linkGrantOf, linkSettingOf } from './link-access.js';
import { linkRulesPredicate } from './link-rule.js';
import { exceedRuleLimits, NEVER, rulesPredicate } from './rule.js';

/** The access check of one operation, with the predicates that have to be tested on the unit. */
export interface OperationCheck {
  readonly operation: Operation;
  /** The caller whose access is checked; anonymous for sign-up. */
  readonly caller: Caller;
  /** The level, stored or default; null if there are rules. */
  readonly level: EffectiveLevel | null;
  readonly stored: boolean;
  readonly rules: readonly { readonly rule: string; readonly predicate: Predicate }[];
  /** Whether the rules exceed the limits, so that none of them is evaluated. */
  readonly tooLarge: boolean;
  /** Whether any unit is allowed; if `predicate` is set, only units that match it. */
  readonly granted: boolean;
  readonly predicate: Predicate | undefined;
}

/** The explanation of one operation, as administrators see it. */
interface Explanation {
  readonly allowed: boolean;
  readonly level: EffectiveLevel | null;
  /** False for a default. */
  readonly stored: boolean;
  /** The rules, and whether each holds for this unit and member. One that holds is enough. */
  readonly rules: readonly { readonly rule: string; readonly holds: boolean }[];
  /** A short text with the reason. */
  readonly because: string;
}

/** The check of each operation of the kind; sign-up only for member kinds. */
export function operationChecks(kind: KindDef, member: Caller, model: Model): OperationCheck[] {
  const operations = OPERATIONS.filter((operation) => operation !== 'signup' || isMemberKind(kind));
  return operations.map((operation) => {
    const caller = operation === 'signup' ? ANONYMOUS : member;
    const setting = accessSettingOf(kind, operation, model);
    const grant = grantOf(kind, operation, caller, model);
    const rules = 'rules' in setting ? setting.rules : [];
    const users = usersInRules(kind, caller, model);
    const tooLarge = exceedRuleLimits(rules, kind, caller, model, users);
    const predicateOf = (rule: string) => (tooLarge ? NEVER : rulesPredicate([rule], kind, caller, model, users));
    return {
      operation,
      caller,
      level: 'level' in setting ? setting.level : null,
      stored: setting.stored,
      rules: rules.map((rule) => ({ rule, predicate: predicateOf(rule) })),
      tooLarge,
      granted: grant !== undefined,
      predicate: grant?.predicate,
    };
  });
}

/** All predicates to test on the unit, in the order in which `explainAccess` takes the results. */
export function predicatesToTest(checks: readonly OperationCheck[]): Predicate[] {
  return checks.flatMap(({ predicate, rules }) => [
    ...(predicate ? [predicate] : []),
    ...rules.map((each) => each.predicate),
  ]);
}

/** The explanations by operation. `answers` are the results of `predicatesToTest`, in the same order. */
export function explainAccess(
  checks: readonly OperationCheck[],
  answers: readonly boolean[],
): Record<string, Explanation> {
  const left = [...answers];
  let readable = true;
  const explained = checks.map((check): [string, Explanation] => {
    const { operation, level, stored, granted } = check;
    const holds = check.predicate ? left.shift() === true : granted;
    const rules = check.rules.map(({ rule }) => ({ rule, holds: left.shift() === true }));
    const unread = REQUIRE_READ.has(operation) && !readable;
    const allowed = granted && holds && !unread;
    if (operation === 'read') readable = allowed;
    const because = unread && granted && holds ? UNREADABLE : reasonText(check, rules, allowed);
    return [operation, { allowed, level, stored, rules, because }];
  });
  return Object.fromEntries(explained);
}

/** The reason where only the right to read is missing. */
const UNREADABLE = 'what may not be read is not there';

function reasonText(
  { level, stored, tooLarge, caller }: Pick<OperationCheck, 'level' | 'stored' | 'tooLarge' | 'caller'>,
  rules: Explanation['rules'],
  allowed: boolean,
): string {
  if (level !== null) {
    return `the ${stored ? 'stored' : 'default'} level '${level}' ${allowed ? 'lets in' : 'keeps out'} ${callerText(caller)}`;
  }
  if (!allowed && tooLarge) return 'the rules are more than is allowed, and let nobody in';
  if (!allowed) return caller.type === 'anonymous' ? 'no rule lets in requests without a token' : 'no rule holds';
  if (isAdministrator(caller)) return 'administrators pass every rule';
  return `the rule ${rules.find(({ holds }) => holds)?.rule ?? ''} holds`;
}

function callerText(caller: Caller): string {
  if (caller.type === 'anonymous') return 'requests without a token';
  return isAdministrator(caller) ? 'administrators' : 'this member';
}

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
      const kinds = { parent, child };
      const predicateOf = (some: readonly string[]) => linkRulesPredicate(some, type, kinds, caller, model);
      const granted = linkGrantOf(type, operation, kinds, caller, model) !== undefined;
      return [{ ...asked, granted, predicates: [predicateOf(setting), ...setting.map((rule) => predicateOf([rule]))] }];
    }),
  );
}

/** Whether rules let a caller in, whatever the child is; undefined if it depends on the child. */
function grantedForAny(parent: KindDef, caller: Caller): boolean | undefined {
  if (isAdministrator(caller)) return true;
  return caller.type === 'anonymous' && !parent.public ? false : undefined;
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
