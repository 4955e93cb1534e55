/**
 * A filter resolved for a kind: fields instead of names, typed values instead of texts (`resolve-filter.ts`). Filters
 * of callers and access rules both become predicates, so the same code renders them.
 */
import type { Json } from '../../shared/json.js';
import type { Field, KindDef } from '../model.js';
import type { Stored } from '../parameter-type/parameter-type.js';

/** What a test compares: a field of the unit or of one that it refers to, or the value at keys in a JSON field. */
export interface Target {
  readonly field: Field;
  readonly keys: readonly string[];
  /** The references to follow to the unit that has the field; absent if that is the unit itself. */
  readonly through?: readonly Step[];
}

/** One reference of a path. If it is null, or `access` excludes the referenced unit, the value of the path is null. */
export interface Step {
  readonly reference: Field;
  /** The referenced kind. */
  readonly kind: KindDef;
  /** The units of that kind that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
}

/** A value of the calling member, read when the statement runs, so that it is never outdated. */
export interface MemberValue {
  /** The member's kind, whose table has the value. */
  readonly kind: KindDef;
  readonly field: Field;
  /** Empty until the rule is bound to a caller. */
  readonly memberId: string;
}

export type Predicate =
  | { readonly op: 'and' | 'or'; readonly parts: readonly Predicate[] }
  | { readonly op: 'not'; readonly part: Predicate }
  | { readonly op: 'constant'; readonly value: boolean }
  | { readonly op: 'isnull'; readonly target: Target; readonly value: boolean }
  | { readonly op: 'in'; readonly target: Target; readonly values: readonly Stored[] }
  | {
      readonly op: 'is';
      readonly target: Target;
      readonly negated: boolean;
      readonly value: Stored | readonly Stored[];
    }
  | { readonly op: 'json'; readonly target: Target; readonly value: Json }
  | {
      readonly op: 'order';
      readonly target: Target;
      readonly than: 'lt' | 'lte' | 'gt' | 'gte';
      readonly value: Stored;
    }
  | { readonly op: 'element'; readonly target: Target; readonly value: Stored }
  | {
      readonly op: 'member';
      readonly target: Target;
      readonly test: MemberTest;
      /** `in` can mix values of the member with constants. */
      readonly values: readonly (Stored | MemberValue)[];
    }
  /** The value of the member is not null. */
  | { readonly op: 'present'; readonly value: MemberValue }
  | {
      readonly op: 'like';
      readonly target: Target;
      readonly place: 'within' | 'start' | 'end';
      readonly fold: boolean;
      readonly value: string;
    };

/** Tests that can compare with a value of the member. */
export type MemberTest = 'eq' | 'ne' | 'in' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte';

/** The fields that the caller may name, by name. */
export type Visible = ReadonlyMap<string, Field>;

const lists = new WeakMap<Visible, readonly Field[]>();

/** All visible fields as a list. The same map always gives the same list, so that callers can cache results by it. */
export function everyField(visible: Visible): readonly Field[] {
  const known = lists.get(visible);
  if (known) return known;
  const made = [...visible.values()];
  lists.set(visible, made);
  return made;
}

/** Binds the predicate of a rule to one member. */
export function bindMember(predicate: Predicate, memberId: string): Predicate {
  switch (predicate.op) {
    case 'and':
    case 'or':
      return { op: predicate.op, parts: predicate.parts.map((part) => bindMember(part, memberId)) };
    case 'not':
      return { op: 'not', part: bindMember(predicate.part, memberId) };
    case 'present':
      return { op: 'present', value: { ...predicate.value, memberId } };
    case 'member':
      return {
        ...predicate,
        values: predicate.values.map((value) => (isMemberValue(value) ? { ...value, memberId } : value)),
      };
    default:
      return predicate;
  }
}

export function isMemberValue(value: Stored | MemberValue): value is MemberValue {
  return typeof value === 'object' && 'memberId' in value && 'field' in value;
}

/** The stored fields of the unit itself that a predicate tests or follows as references, each once. */
export function testedFields(predicate: Predicate): Field[] {
  const found = new Set<Field>();
  const visit = (part: Predicate): void => {
    if (part.op === 'and' || part.op === 'or') part.parts.forEach(visit);
    else if (part.op === 'not') visit(part.part);
    else if ('target' in part) {
      const own = part.target.through?.[0]?.reference ?? part.target.field;
      if (own.column !== undefined) found.add(own);
    }
  };
  visit(predicate);
  return [...found];
}

/** Whether a predicate tests referenced units. @param over selects the references that count; all by default */
export function followsReferences(predicate: Predicate, over: (step: Step) => boolean = () => true): boolean {
  if (predicate.op === 'and' || predicate.op === 'or')
    return predicate.parts.some((part) => followsReferences(part, over));
  if (predicate.op === 'not') return followsReferences(predicate.part, over);
  return 'target' in predicate && (predicate.target.through?.some(over) ?? false);
}

/** Both predicates; undefined matches all units. */
export function conjunction(a: Predicate | undefined, b: Predicate | undefined): Predicate | undefined {
  return a && b ? { op: 'and', parts: [a, b] } : (a ?? b);
}
