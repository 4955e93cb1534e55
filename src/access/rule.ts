/**
 * Rules: filter expressions over a unit in which a value may be one of the member who asks. A rule fails closed: where a
 * value that it names is absent, the whole of it is false. Pure.
 */
import type { MemberRef } from '../filter/filter.ast.js';
import { parseFilter } from '../filter/filter.parser.js';
import { isMemberKind, type Field, type KindDef, type Model } from '../model/model.js';
import type { Names, Reach } from '../model/predicate/path.js';
import { extentOf } from '../model/predicate/extent.js';
import { boundTo, type MemberValue, type Predicate, type Target } from '../model/predicate/predicate.js';
import { resolveFilter } from '../model/predicate/resolve-filter.js';
import { KindError, refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { didYouMean } from '../shared/did-you-mean.js';
import type { Caller } from '../tenancy/caller.js';

export const NEVER: Predicate = { op: 'constant', value: false };

/** Rules are resolved once per definition and kind of member; both go with the model. */
const compiledRules = new WeakMap<KindDef, Map<string, Predicate>>();

/** What a rule means for a caller. */
export function rulePredicate(rule: string, kind: KindDef, caller: Caller, model: Model): Predicate {
  const memberKind = caller.type === 'member' ? model.kinds.get(caller.kindId) : undefined;
  const known = compiledRules.get(kind) ?? new Map<string, Predicate>();
  compiledRules.set(kind, known);
  const key = `${memberKind?.id ?? ''} ${rule}`;
  const predicate = known.get(key) ?? compileRule(rule, namesInRules(kind, model), memberKind);
  known.set(key, predicate);
  return caller.type === 'member' ? boundTo(predicate, caller.id) : predicate;
}

/** What of the rules of one operation, taken together, is more than they may be; undefined for nothing. */
export function ruleLimitFault(rules: readonly Predicate[]): string | undefined {
  const { tests, lookups } = extentOf(rules);
  if (tests > LIMITS.ruleTests) return `the rules have ${tests} tests; ${LIMITS.ruleTests} is the most`;
  if (lookups <= LIMITS.ruleLookups) return undefined;
  return `the rules look up ${lookups} units over references, the same way counted once; ${LIMITS.ruleLookups} is the most`;
}

/** Lists of rules that are known to be too large, or not to be; they go with the model. */
const limitChecks = new WeakMap<KindDef, Map<string, boolean>>();

/** Whether the rules of an operation, stored before there was a bound, are more than a statement should hold. */
export function exceedRuleLimits(rules: readonly string[], kind: KindDef, caller: Caller, model: Model): boolean {
  const known = limitChecks.get(kind) ?? new Map<string, boolean>();
  limitChecks.set(kind, known);
  const key = `${caller.type === 'member' ? caller.kindId : ''} ${rules.join('\n')}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = ruleLimitFault(rules.map((rule) => rulePredicate(rule, kind, caller, model))) !== undefined;
  known.set(key, found);
  return found;
}

/** A rule that no longer fits its kind lets nobody in. */
function compileRule(rule: string, names: Names, memberKind: KindDef | undefined): Predicate {
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
 * Rules are the owner's: they may name every stored parameter, hidden ones too, and follow every reference, whatever the
 * member who asks may read. So no rule ever asks another one, and they can not go round in a circle.
 */
function namesInRules(kind: KindDef, model: Model): Names {
  const reach: Reach = {
    follow({ reference }: Field) {
      const target = model.kinds.get(reference?.kind ?? '');
      if (!target) throw refusal('filter.unknown_parameter', `no kind '${reference?.kind ?? ''}'`);
      return { kind: target, visible: storedFields(target), access: undefined };
    },
    checkField: () => undefined,
  };
  return { kind, visible: storedFields(kind), reach };
}

function storedFields(kind: KindDef): ReadonlyMap<string, Field> {
  return new Map([...kind.fields].filter(([, field]) => field.column !== undefined || field.id === 'kind_id'));
}

function memberValueFor(reference: MemberRef, target: Target, memberKind: KindDef): MemberValue | undefined {
  const field = memberKind.fields.get(reference.name);
  if (!field || (field.column === undefined && field.constant === undefined)) return undefined;
  return areComparable(target.field, field) ? { kind: memberKind, field, memberId: '' } : undefined;
}

/** Values of one column type compare; a text compares with the text of anything. */
function areComparable(own: Field, other: Field): boolean {
  return own.columnType === other.columnType || (own.columnType === 'text' && other.columnType !== 'jsonb');
}

/** Judges a rule before it is stored, and answers what it means. @throws KindError 400 with the character */
export function checkRule(rule: string, kind: KindDef, model: Model): Predicate {
  const memberKinds = [...model.kinds.values()].filter(isMemberKind);
  return resolveFilter(parseFilter(rule, { members: true }), namesInRules(kind, model), (reference, target) => {
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
  });
}
