/** Why a caller may do something with a unit or may not: the same decisions as `access.ts` makes, taken apart. Pure. */
import { isMemberKind, type KindDef, type Model } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { ANONYMOUS, isAdministrator, type Caller } from '../tenancy/caller.js';
import { OPERATIONS, type Operation } from '../model/built-in-traits.js';
import { grantOf, REQUIRE_READ, accessSettingOf, type EffectiveLevel } from './access.js';
import { exceedRuleLimits, NEVER, rulePredicate } from './rule.js';

/** One operation, with the questions that only the unit can answer. */
export interface OperationCheck {
  readonly operation: Operation;
  /** Whose right it is: nobody's for sign-up. */
  readonly caller: Caller;
  /** What the owner said, or what goes without saying: a level, or rules. */
  readonly level: EffectiveLevel | null;
  readonly stored: boolean;
  readonly rules: readonly { readonly rule: string; readonly predicate: Predicate }[];
  /** The rules are more than is allowed: none is asked. */
  readonly tooLarge: boolean;
  /** Whether it is allowed at all; where `predicate` is there, for the units for which it holds. */
  readonly granted: boolean;
  readonly predicate: Predicate | undefined;
}

/** What an administrator is told of one operation. */
export interface Explanation {
  readonly allowed: boolean;
  readonly level: EffectiveLevel | null;
  /** Whether the owner said so, or it is the default. */
  readonly stored: boolean;
  /** The rules, and which of them hold for this unit and this member: any that holds lets in. */
  readonly rules: readonly { readonly rule: string; readonly holds: boolean }[];
  /** In a few words, what decided. */
  readonly because: string;
}

/** A question per operation that the kind has; sign-up is one of member kinds, and takes no token. */
export function operationChecks(kind: KindDef, member: Caller, model: Model): OperationCheck[] {
  const operations = OPERATIONS.filter((operation) => operation !== 'signup' || isMemberKind(kind));
  return operations.map((operation) => {
    const caller = operation === 'signup' ? ANONYMOUS : member;
    const said = accessSettingOf(kind, operation);
    const grant = grantOf(kind, operation, caller, model);
    const rules = 'rules' in said ? said.rules : [];
    const tooLarge = exceedRuleLimits(rules, kind, caller, model);
    const predicateOf = (rule: string) => (tooLarge ? NEVER : rulePredicate(rule, kind, caller, model));
    return {
      operation,
      caller,
      level: 'level' in said ? said.level : null,
      stored: said.stored,
      rules: rules.map((rule) => ({ rule, predicate: predicateOf(rule) })),
      tooLarge,
      granted: grant !== undefined,
      predicate: grant?.predicate,
    };
  });
}

/** Everything that has to be asked of the unit, in the order in which `explain` takes the answers. */
export function predicatesToTest(questions: readonly OperationCheck[]): Predicate[] {
  return questions.flatMap(({ predicate, rules }) => [
    ...(predicate ? [predicate] : []),
    ...rules.map((each) => each.predicate),
  ]);
}

/** The explanations by operation. `answers` are those to `predicatesOf`. */
export function explainAccess(
  questions: readonly OperationCheck[],
  answers: readonly boolean[],
): Record<string, Explanation> {
  const left = [...answers];
  let readable = true;
  const explained = questions.map((question): [string, Explanation] => {
    const { operation, level, stored, granted } = question;
    const holds = question.predicate ? left.shift() === true : granted;
    const rules = question.rules.map(({ rule }) => ({ rule, holds: left.shift() === true }));
    const unread = REQUIRE_READ.has(operation) && !readable;
    const allowed = granted && holds && !unread;
    if (operation === 'read') readable = allowed;
    const because =
      unread && granted && holds ? 'what may not be read is not there' : reasonText(question, rules, allowed);
    return [operation, { allowed, level, stored, rules, because }];
  });
  return Object.fromEntries(explained);
}

function reasonText(
  { level, stored, tooLarge, caller }: OperationCheck,
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
