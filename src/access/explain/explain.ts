/** Explains why a caller may or may not do something with a unit, by the same decisions as in `access.ts`. Pure. */
import { isMemberKind, type KindDef, type Model } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { ANONYMOUS, isAdministrator, type Caller } from '../../tenancy/caller.js';
import { OPERATIONS, type Operation } from '../../model/built-in-traits.js';
import { grantOf, REQUIRE_READ, accessSettingOf } from '../access.js';
import type { EffectiveLevel } from '../level.js';
import { exceedRuleLimits, NEVER, rulePredicate } from '../rule.js';

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
export interface Explanation {
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
    const tooLarge = exceedRuleLimits(rules, kind, caller, model);
    const predicateOf = (rule: string) => (tooLarge ? NEVER : rulePredicate(rule, kind, caller, model));
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
export const UNREADABLE = 'what may not be read is not there';

export function reasonText(
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
