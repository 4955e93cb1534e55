/**
 * Access rules: filters over a unit whose values may come from the calling member. A rule fails closed: if a value that
 * it names is absent, the whole rule is false. Pure.
 */
import type { MemberRef } from '../filter/filter.ast.js';
import { parseFilter } from '../filter/filter.parser.js';
import { isMemberKind, type Field, type KindDef, type Model } from '../model/model.js';
import type { Names, Reach } from '../model/predicate/path.js';
import { extentOf } from '../model/predicate/predicate-cost.js';
import { bindRule } from '../model/predicate/bound-rule.js';
import { UNBOUND_MEMBER, type MemberValue, type Predicate, type Target } from '../model/predicate/predicate.js';
import { resolveFilter, type Members } from '../model/predicate/resolve-filter.js';
import { getOrInsert } from '../shared/get-or-insert.js';
import { KindError, refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { didYouMean } from '../shared/did-you-mean.js';
import type { Caller } from '../tenancy/caller.js';
import { relatedOfOwner } from './related-names.js';

export const NEVER: Predicate = { op: 'constant', value: false };

/** Compiled rules, by kind definition and member kind, cached as long as the model exists. */
const compiledRules = new WeakMap<KindDef, Map<string, Predicate>>();

/** The predicate of a rule for a caller. */
export function rulePredicate(rule: string, kind: KindDef, caller: Caller, model: Model): Predicate {
  return rulesPredicate([rule], kind, caller, model);
}

/** The predicate of rules of which one has to match. */
export function rulesPredicate(rules: readonly string[], kind: KindDef, caller: Caller, model: Model): Predicate {
  const memberKind = caller.type === 'member' ? model.kinds.get(caller.kindId) : undefined;
  const ofKind = getOrInsert(compiledRules, kind, () => new Map<string, Predicate>());
  const predicate = getOrInsert(ofKind, `${memberKind?.id ?? ''} ${rules.join('\0')}`, (): Predicate => {
    const parts = rules.map((rule) => compileRule(rule, namesInRules(kind, model), memberKind));
    return parts.length === 1 && parts[0] ? parts[0] : { op: 'or', parts };
  });
  return bindRule(predicate, caller.type === 'member' ? caller.id : undefined);
}

/** The limit that the rules of an operation exceed together, as a text; undefined if none. */
export function ruleLimitFault(rules: readonly Predicate[]): string | undefined {
  const { tests, lookups, related } = extentOf(rules);
  if (related > LIMITS.relatedUnits) {
    return `the rules test related units ${related} times; ${LIMITS.relatedUnits} is the most`;
  }
  if (tests > LIMITS.ruleTests) return `the rules have ${tests} tests; ${LIMITS.ruleTests} is the most`;
  if (lookups <= LIMITS.ruleLookups) return undefined;
  return `the rules look up ${lookups} units over references, the same way counted once; ${LIMITS.ruleLookups} is the most`;
}

/** Cached results of `exceedRuleLimits`, as long as the model exists. */
const limitChecks = new WeakMap<KindDef, Map<string, boolean>>();

/**
 * Whether the rules of an operation exceed the limits of a statement. Rules that were stored before there were limits
 * may.
 */
export function exceedRuleLimits(rules: readonly string[], kind: KindDef, caller: Caller, model: Model): boolean {
  const ofKind = getOrInsert(limitChecks, kind, () => new Map<string, boolean>());
  const key = `${caller.type === 'member' ? caller.kindId : ''} ${rules.join('\n')}`;
  return getOrInsert(ofKind, key, () => {
    return ruleLimitFault(rules.map((rule) => rulePredicate(rule, kind, caller, model))) !== undefined;
  });
}

/** A rule that does not fit its kind any more is false. */
export function compileRule(rule: string, names: Names, memberKind: KindDef | undefined): Predicate {
  const named: MemberValue[] = [];
  try {
    const predicate = resolveFilter(parseFilter(rule, { members: true }), names, (reference, target) => {
      const value = memberKind && memberValueFor(reference, target, memberKind);
      if (!value) throw new AbsentMemberValue();
      named.push(value);
      return value;
    });
    const read = named.filter(({ field, kind: of }) => field !== of.keyField && field.constant === undefined);
    const present = [...new Map(read.map((value) => [value.field, value])).values()];
    if (present.length === 0) return predicate;
    return { op: 'and', parts: [...present.map((value): Predicate => ({ op: 'present', value })), predicate] };
  } catch (error) {
    if (error instanceof AbsentMemberValue || error instanceof KindError) return NEVER;
    throw error;
  }
}

class AbsentMemberValue extends Error {}

/**
 * The names that a rule may use. Rules are written by owners, so they may use all stored parameters, also hidden ones,
 * and follow all references, whatever the caller may read. So the check of a rule never needs another rule, and cycles
 * are impossible.
 */
function namesInRules(kind: KindDef, model: Model): Names {
  const reach = { ...reachOfOwner(model), related: relatedOfOwner(model, storedFields) };
  return { kind, visible: storedFields(kind), reach };
}

/** Follows all references, without access rules. */
export function reachOfOwner(model: Model): Reach {
  return {
    follow({ reference }: Field) {
      const target = model.kinds.get(reference?.kind ?? '');
      if (!target) throw refusal('filter.unknown_parameter', `no kind '${reference?.kind ?? ''}'`);
      return { kind: target, visible: storedFields(target), access: undefined };
    },
    checkField: () => undefined,
  };
}

export function storedFields(kind: KindDef): ReadonlyMap<string, Field> {
  return new Map([...kind.fields].filter(([, field]) => isStored(field)));
}

export function isStored(field: Field | undefined): boolean {
  return field?.column !== undefined || field?.id === 'kind_id';
}

function memberValueFor(reference: MemberRef, target: Target, memberKind: KindDef): MemberValue | undefined {
  const field = memberKind.fields.get(reference.name);
  if (!field || (field.column === undefined && field.constant === undefined)) return undefined;
  return areComparable(target.field, field) ? { kind: memberKind, field, memberId: UNBOUND_MEMBER } : undefined;
}

/**
 * Whether two fields can be compared: with the same column type, or a text with the text of any other type but JSON.
 */
function areComparable(own: Field, other: Field): boolean {
  return own.columnType === other.columnType || (own.columnType === 'text' && other.columnType !== 'jsonb');
}

/** Validates a rule before it is stored and returns its predicate. @throws KindError 400 with the position */
export function checkRule(rule: string, kind: KindDef, model: Model): Predicate {
  return resolveFilter(parseFilter(rule, { members: true }), namesInRules(kind, model), membersOfAnyKind(model));
}

/** Resolves parameters of members for the check of a rule: at least one member kind must have them. */
export function membersOfAnyKind(model: Model): Members {
  const memberKinds = [...model.kinds.values()].filter(isMemberKind);
  return (reference, target) => {
    const having = memberKinds.filter((each) => each.fields.has(reference.name));
    if (having.length === 0) {
      const names = memberKinds.flatMap((each) => [...each.fields.keys()]);
      throw refusal(
        'filter.unknown_parameter',
        `no member kind has '${reference.name}'${didYouMean(reference.name, names)}, at character ${reference.at}`,
      );
    }
    const [value] = having.flatMap((each) => memberValueFor(reference, target, each) ?? []);
    if (value) return value;
    throw refusal(
      'filter.bad_value',
      `'${target.field.id}' and @member.${reference.name} are of different types, at character ${reference.at}`,
    );
  };
}
