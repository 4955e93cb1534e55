/**
 * Access rules: filters over a unit and the calling member. A rule fails closed: if a value of the member that it names is
 * absent, the whole rule is false. Pure.
 */
import type { Filter } from '../filter/filter.ast.js';
import { parseFilter } from '../filter/filter.parser.js';
import { printOperand } from '../filter/filter.printer.js';
import { beforePathsOf, innerFilters, relatedOf } from '../filter/filter.walk.js';
import { OPERATIONS } from '../model/built-in-traits.js';
import type { KindDef, Model } from '../model/model.js';
import { bindRule } from '../model/predicate/bound-rule.js';
import { unknownName, type Names, type UserReach } from '../model/predicate/path.js';
import { extentOf, testsInMemory } from '../model/predicate/predicate-cost.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { resolveFilter } from '../model/predicate/resolve-filter.js';
import { KindError } from '../shared/errors.js';
import { getOrInsert } from '../shared/maps.js';
import { LIMITS } from '../shared/limits.js';
import type { Caller } from '../tenancy/caller.js';
import { AbsentMemberValue, anyMember, callingMember, type RuleMember } from './rule-member.js';
import { namesInRules, usersOfOwner } from './rule-names.js';

export const NEVER: Predicate = { op: 'constant', value: false };

/** What `referred` in a rule looks at. */
export interface RuleUsers {
  /** Before the rule is bound to a member (`UNBOUND_MEMBER`). */
  readonly users: UserReach;
  /** The same for callers who have the same users. */
  readonly key: string;
}

/**
 * The predicate of rules of which one has to match, for a caller.
 * @param users where rules may have `referred`
 */
export function rulesPredicate(
  rules: readonly string[],
  kind: KindDef,
  caller: Caller,
  model: Model,
  users?: RuleUsers,
): Predicate {
  const { predicate } = compiledRules(rules, kind, caller, model, users);
  return bindRule(predicate, caller.type === 'member' ? caller.id : undefined);
}

function compiledRules(
  rules: readonly string[],
  kind: KindDef,
  caller: Caller,
  model: Model,
  users: RuleUsers | undefined,
): CompiledRules {
  const memberKind = caller.type === 'member' ? model.kinds.get(caller.kindId) : undefined;
  const key = `${memberKind?.id ?? ''}${users ? ` ${users.key}` : ''}`;
  return compiledOnce(kind, key, rules, () => {
    const parts = rules.map((rule) => compileRule(rule, namesInRules(kind, model, users?.users), memberKind, model));
    const excess = ruleLimitFault(parts) !== undefined;
    return { predicate: excess ? NEVER : parts.length === 1 && parts[0] ? parts[0] : { op: 'or', parts }, excess };
  });
}

/** The limit that the rules of an operation exceed together, as a text; undefined if none. */
export function ruleLimitFault(rules: readonly Predicate[]): string | undefined {
  const { tests, lookups, related, inKinds } = extentOf(rules);
  if (related > LIMITS.relatedUnits) {
    return `the rules test related units ${related} times; ${LIMITS.relatedUnits} is the most`;
  }
  if (tests > LIMITS.ruleTests) return `the rules have ${tests} tests; ${LIMITS.ruleTests} is the most`;
  if (inKinds > LIMITS.ruleTestsInKinds) {
    return `the rules have ${inKinds} tests of linked units, counted in each of their kinds; ${LIMITS.ruleTestsInKinds} is the most`;
  }
  if (lookups <= LIMITS.ruleLookups) return undefined;
  return `the rules look up ${lookups} units over references, or as the member, the same way counted once; ${LIMITS.ruleLookups} is the most`;
}

/**
 * Whether the rules of an operation exceed the limits of a statement. Rules that were stored before there were limits
 * may.
 */
export function exceedRuleLimits(
  rules: readonly string[],
  kind: KindDef,
  caller: Caller,
  model: Model,
  users?: RuleUsers,
): boolean {
  return compiledRules(rules, kind, caller, model, users).excess;
}

/** A rule that does not fit its kind any more is false. */
export function compileRule(rule: string, names: Names, memberKind: KindDef | undefined, model: Model): Predicate {
  try {
    return resolveRule(parseRule(rule), names, callingMember(memberKind, model));
  } catch (error) {
    if (error instanceof AbsentMemberValue || error instanceof KindError) return NEVER;
    throw error;
  }
}

export function parseRule(rule: string): Filter {
  return parseFilter(rule, { members: true });
}

/** The predicate of a rule, with conditions that the member has the values that the rule names. */
export function resolveRule(rule: Filter, names: Names, member: RuleMember): Predicate {
  const predicate = resolveFilter(rule, names, member);
  const present = member.presence();
  return present.length > 0 ? { op: 'and', parts: [...present, predicate] } : predicate;
}

/**
 * Validates a rule before it is stored and returns its predicate.
 * @param of the operation, or the field of a parameter @throws KindError 400 with the position
 */
export function checkRule(rule: string, of: string, kind: KindDef, model: Model): Predicate {
  const filter = parseRule(rule);
  checkBefore(filter, of);
  checkBeforeOfParameters(filter, kind);
  const users = kind.traits.contents && isOperation(of) ? usersOfOwner(model) : undefined;
  return resolveRule(filter, namesInRules(kind, model, users), anyMember(model));
}

function isOperation(of: string): boolean {
  return OPERATIONS.some((operation) => operation === of);
}

/** What is judged before and after an edit. */
const OF_EDITS = ['update', 'write_access'];

/** @throws KindError 400 if a rule that judges no edit, or its test of related units, has a value of before */
export function checkBefore(filter: Filter, of: string): void {
  const inner = relatedOf(filter).flatMap(innerFilters).flatMap(beforePathsOf);
  const [first] = OF_EDITS.includes(of) ? inner : beforePathsOf(filter);
  if (!first) return;
  const text = `'${printOperand(first)}': @before. is known where rules of ${OF_EDITS.join(' and ')} test the unit itself`;
  throw unknownName(printOperand(first), text, first.at);
}

/** @throws KindError 400 if a value of before is one of the fields that every unit has, which no edit sets */
function checkBeforeOfParameters(filter: Filter, { parameters, fields }: KindDef): void {
  const path = beforePathsOf(filter).find(
    ({ segments: [name = ''] }) => fields.has(name) && !parameters.includes(name),
  );
  if (!path) return;
  const name = printOperand(path);
  throw unknownName(
    name,
    `'${name}': @before. names a parameter of the kind, not a field that every unit has`,
    path.at,
  );
}

/** Tests of rules in one generation, of all projects: about a kilobyte each. */
const GENERATION = 40_000;

/** The rules of one operation. */
interface CompiledRules {
  /** The units that satisfy one of the rules; none if they exceed the limits. */
  readonly predicate: Predicate;
  /** Whether they exceed the limits of a statement. */
  readonly excess: boolean;
}

/** By what the rules are of, for whom they are compiled, and their text. */
type Generation = WeakMap<KindDef, Map<string, Map<string, CompiledRules>>>;

let young: Generation = new WeakMap();
let old: Generation = new WeakMap();
/** In the young generation, with those whose models are gone. */
let tests = 0;

/**
 * Compiled rules, kept as long as their model exists and there is room: a tenant may have many rules, and they are
 * compiled for each kind of members that asks. Those that were not used for longest go.
 * @param key for whom, and of which units, if there are several
 */
export function compiledOnce(
  of: KindDef,
  key: string,
  rules: readonly string[],
  compile: () => CompiledRules,
): CompiledRules {
  const text = rules.length === 1 ? (rules[0] ?? '') : rules.join('\0');
  const known = young.get(of)?.get(key)?.get(text);
  if (known) return known;
  const compiled = old.get(of)?.get(key)?.get(text) ?? compile();
  tests += 1 + testsInMemory([compiled.predicate]);
  if (tests > GENERATION) {
    old = young;
    young = new WeakMap();
    tests = 0;
  }
  const ofKind = getOrInsert(young, of, () => new Map<string, Map<string, CompiledRules>>());
  getOrInsert(ofKind, key, () => new Map<string, CompiledRules>()).set(text, compiled);
  return compiled;
}
