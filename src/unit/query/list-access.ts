/**
 * The units that a list may read, where a rule looks at what refers to them (`referred`): a list of many units looks at a
 * few kinds only, and at none where its filter says already that a rule holds. Pure.
 */
import type { KindDef } from '../../model/model.js';
import {
  conjunctsOf,
  isMemberValue,
  referredIn,
  type Predicate,
  type Referred,
  type Target,
} from '../../model/predicate/predicate.js';
import { filtersOf, relatedIn } from '../../model/predicate/related.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

interface ListedUnits {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
  readonly filter: Predicate | undefined;
}

/** The plan of a list, without a condition of access that follows from its filter. @throws KindError as `checkReferring` does */
export function withListAccess<Plan extends ListedUnits>(plan: Plan): Plan {
  checkReferring(plan);
  return isImplied(plan) ? { ...plan, access: undefined } : plan;
}

/** @throws KindError 400 if the caller would have a list look at more kinds that refer to its units than it may */
export function checkReferring(units: ListedUnits): void {
  const { kind, access, filter } = units;
  const looked = [...(isImplied(units) ? [] : referredIn(access)), ...referredWithin(filter)];
  const kinds = new Set(looked.flatMap((each) => (each.limited ? each.kinds : [])));
  if (kinds.size <= LIMITS.referringKinds) return;
  const [example] = kinds;
  const own = kind.fields.has('owner') ? ', or your own units with eq(owner,…)' : '';
  throw refusal(
    'query.too_large',
    `units of ${kinds.size} kinds refer to units of '${kind.id}', and a list looks at ${LIMITS.referringKinds} kinds at most: name them in the filter, as in referred(${example?.id ?? ''})${own}`,
  );
}

/** Also in tests of related units. */
function referredWithin(filter: Predicate | undefined): Referred[] {
  if (!filter) return [];
  return [...referredIn(filter), ...relatedIn(filter).flatMap(filtersOf).flatMap(referredWithin)];
}

/** Whether each unit that matches the filter satisfies one of the rules. */
function isImplied({ access, filter }: ListedUnits): boolean {
  if (!access || referredIn(access).length === 0) return false;
  const rules = access.op === 'or' && !access.referred ? access.parts : [access];
  const conditions = conjunctsOf(filter);
  return rules.some((rule) => conditions.some((condition) => implies(condition, rule)));
}

/** Only what is asked in practice: units that something refers to, and those of the member. */
function implies(condition: Predicate, rule: Predicate): boolean {
  if (rule.op === 'or') return rule.referred?.all === true && condition.op === 'or' && condition.referred !== undefined;
  if (rule.op !== 'member' || rule.test !== 'eq' || condition.op !== 'is' || condition.negated) return false;
  const [value] = rule.values;
  if (value === undefined || !isMemberValue(value) || value.field !== value.kind.keyField) return false;
  return isSameField(rule.target, condition.target) && condition.value === value.memberId;
}

function isSameField(one: Target, other: Target): boolean {
  const isPlain = ({ through, keys }: Target) => !through && keys.length === 0;
  return one.field.id === other.field.id && isPlain(one) && isPlain(other);
}
