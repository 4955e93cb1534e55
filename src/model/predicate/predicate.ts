/**
 * A filter resolved for a kind: fields instead of names, typed values instead of texts (`resolve-filter.ts`). Filters
 * of callers and access rules both become predicates, so the same code renders them.
 */
import type { ExpressionFunction } from '../../filter/filter.ast.js';
import { getOrInsert } from '../../shared/maps.js';
import type { Json } from '../../shared/json.js';
import type { Field, KindDef } from '../model.js';
import type { SearchDocument } from '../search-document.js';
import type { Stored } from '../parameter-type/parameter-type.js';

/**
 * What a test compares: a field of the unit, of one that it refers to or of a link that leads to it, or the value at
 * keys in a JSON field.
 */
export interface Target {
  readonly field: Field;
  readonly keys: readonly string[];
  /** The references to follow to the unit that has the field; absent if that is the unit itself. */
  readonly through?: readonly Step[];
  /** The field is one of the link that leads to the unit. */
  readonly ofLink?: true;
  /** The value is that of the unit before an edit; without one, as where rules choose units, of the unit itself. */
  readonly before?: true;
  /** The value is the number of these units, or a sum of them; `field` describes it, and is not stored. */
  readonly counted?: Related;
  /** The value is computed; `field` describes it, and is not stored. */
  readonly computed?: Computed;
}

/** An expression of numbers, or of times for `days`; null where an operand is, and for a division by zero. */
interface Computed {
  readonly function: ExpressionFunction;
  /** A text is a decimal number. */
  readonly operands: readonly (Target | string)[];
}

/** The units that have a relation to a unit. */
export interface Related {
  /** The reference that leads to the unit, the links that lead away from it, or the calling member, whatever the unit. */
  readonly via:
    | { readonly type: 'member'; readonly memberId: string }
    | { readonly type: 'reference'; readonly field: Field }
    /** Links of all types, in both directions. */
    | { readonly type: 'links' }
    | {
        readonly type: 'link';
        readonly link: string;
        readonly direction: 'parent' | 'child';
        /** Whether `kinds` are all that can be linked, without conditions. */
        readonly everyKind: boolean;
        /** Which of the links count, as a predicate of the link alone; undefined for all. */
        readonly where: Predicate | undefined;
      };
  /** The kind of the unit. */
  readonly of: KindDef;
  /** The kinds of the related units; none if no unit of the kind `of` can have any. */
  readonly kinds: readonly RelatedKind[];
  /** What is summed of the units, which are of one kind; left out where they are tested or counted. */
  readonly summed?: Target;
}

export interface RelatedKind {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
  readonly filter: Predicate | undefined;
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
  /** `UNBOUND_MEMBER` until the rule is bound to a caller. */
  readonly memberId: string;
}

/** So many seconds from PostgreSQL's time at the beginning of the transaction; for a date, the day of that in UTC. */
export class Moment {
  /** @param ofInput whether the time is read from the column `_now` of inserted rows (`withTimeOfInput`) */
  constructor(
    readonly seconds: number,
    readonly ofInput = false,
  ) {}
}

/** What a test compares with. */
export type Operand = Stored | Moment;

/** In place of a member's id. No value of a rule equals it, and PostgreSQL refuses it, because of the NUL character. */
export const UNBOUND_MEMBER = '\0member';

/** A text of units, and one with which it is compared. */
export interface ResemblingTexts {
  readonly target: Target;
  readonly text: string;
  /** The schema of PostgreSQL's extension pg_trgm. */
  readonly trigrams: string;
}

/** The coordinates of units, in degrees, and a point. */
export interface PlaceTargets {
  /** The latitude. */
  readonly target: Target;
  /** The longitude. */
  readonly other: Target;
  /** Latitude and longitude. */
  readonly point: readonly [number, number];
}

export type Predicate =
  | {
      readonly op: 'and' | 'or';
      readonly parts: readonly Predicate[];
      /** On an `or` of tests of related units: what `referred` has become. */
      readonly referred?: Referred;
    }
  | { readonly op: 'not'; readonly part: Predicate }
  | { readonly op: 'constant'; readonly value: boolean }
  | { readonly op: 'isnull'; readonly target: Target; readonly value: boolean }
  | { readonly op: 'in'; readonly target: Target; readonly values: readonly Operand[] }
  | {
      readonly op: 'is';
      readonly target: Target;
      readonly negated: boolean;
      readonly value: Operand | readonly Operand[];
    }
  | { readonly op: 'json'; readonly target: Target; readonly value: Json }
  | {
      readonly op: 'order';
      readonly target: Target;
      readonly than: 'lt' | 'lte' | 'gt' | 'gte';
      readonly value: Operand;
    }
  | { readonly op: 'element'; readonly target: Target; readonly value: Operand }
  | {
      readonly op: 'member';
      readonly target: Target;
      readonly test: MemberTest;
      /** `in` can mix values of the member with constants. */
      readonly values: readonly (Operand | MemberValue)[];
    }
  /** Compares two fields. */
  | {
      readonly op: 'pair';
      readonly target: Target;
      readonly other: Target;
      /** `same` holds of two nulls, too. */
      readonly test: 'eq' | 'same' | 'lt' | 'lte' | 'gt' | 'gte';
    }
  /** The coordinates are within a distance of a point. */
  | ({ readonly op: 'near'; readonly kilometres: number } & PlaceTargets)
  /** The text is at least so similar, from 0 to 1. */
  | ({ readonly op: 'similar'; readonly least: number } & ResemblingTexts)
  /** There is a related unit. */
  | { readonly op: 'exists'; readonly related: Related }
  /** The document matches a text in the syntax of web searches. */
  | { readonly op: 'search'; readonly document: SearchDocument; readonly text: string }
  /** The value of the member is not null. */
  | { readonly op: 'present'; readonly value: MemberValue }
  | {
      readonly op: 'like';
      readonly target: Target;
      readonly place: 'within' | 'start' | 'end';
      readonly fold: boolean;
      readonly value: string;
    };

/** A predicate without other predicates in it. */
export type PredicateTest = Exclude<Predicate, { readonly op: 'and' | 'or' | 'not' }>;

/** A test of a field. */
export type FieldTest = Extract<Predicate, { readonly target: Target }>;

/** What `referred` looks at. */
export interface Referred {
  /** How many tests it has become. */
  readonly tests: number;
  /** The kinds whose references it looks at. */
  readonly kinds: readonly KindDef[];
  /** Whether a list may look at some of these only, because the caller is no administrator. */
  readonly limited: boolean;
  /** Whether every unit counts that the caller may read. */
  readonly all: boolean;
}

/** Tests that can compare with a value of the member. */
export type MemberTest = 'eq' | 'ne' | 'in' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte';

/** The fields that the caller may name, by name. */
export type Visible = ReadonlyMap<string, Field>;

const lists = new WeakMap<Visible, readonly Field[]>();

/**
 * All visible fields as a list, without those that are answered only by their name. The same map always gives the same
 * list, so that callers can cache results by it.
 */
export function everyField(visible: Visible): readonly Field[] {
  return getOrInsert(lists, visible, () => [...visible.values()].filter(({ madeForAnswer }) => !madeForAnswer));
}

/** The tests of a predicate, in its order. */
export function testsOf(predicate: Predicate): PredicateTest[] {
  switch (predicate.op) {
    case 'and':
    case 'or':
      return predicate.parts.flatMap(testsOf);
    case 'not':
      return testsOf(predicate.part);
    default:
      return [predicate];
  }
}

/** The tests of fields in a predicate, in its order. */
export function fieldTests(predicate: Predicate): FieldTest[] {
  return testsOf(predicate).filter((test) => 'target' in test);
}

/** The targets of a test: one, or two. */
export function operandsOf(test: FieldTest): readonly Target[] {
  return 'other' in test ? [test.target, test.other] : [test.target];
}

/** The targets that are read for a value: itself, or those of an expression. */
export function sourcesOf(target: Target): readonly Target[] {
  if (!target.computed) return [target];
  return target.computed.operands.flatMap((each) => (typeof each === 'string' ? [] : sourcesOf(each)));
}

/** Whether a value is of a hidden parameter, or from behind one. */
export function isOfHidden(target: Target): boolean {
  return sourcesOf(target).some(({ field, through = [], counted }) => {
    const isHidden = [field, ...through.map((step) => step.reference)].some(({ def }) => def.hidden);
    return isHidden || (counted?.summed !== undefined && isOfHidden(counted.summed));
  });
}

/** Replaces each test of a predicate by the result of `replace`. */
export function mapTests(predicate: Predicate, replace: (test: PredicateTest) => Predicate): Predicate {
  switch (predicate.op) {
    case 'and':
    case 'or':
      return { ...predicate, parts: predicate.parts.map((part) => mapTests(part, replace)) };
    case 'not':
      return { op: 'not', part: mapTests(predicate.part, replace) };
    default:
      return replace(predicate);
  }
}

export function isMemberValue(value: Operand | MemberValue): value is MemberValue {
  return typeof value === 'object' && 'memberId' in value && 'field' in value;
}

/** Whether a predicate tests referenced units. @param over selects the references that count; all by default */
export function followsReferences(predicate: Predicate, over: (step: Step) => boolean = () => true): boolean {
  return fieldTests(predicate).some((test) => operandsOf(test).some(({ through }) => through?.some(over) ?? false));
}

/** A predicate that selects units; undefined if it matches all, as `all()` does. */
export function selective(predicate: Predicate | undefined): Predicate | undefined {
  return predicate?.op === 'constant' && predicate.value ? undefined : predicate;
}

/** What the functions `referred` in a predicate look at, not those in tests of related units. */
export function referredIn(predicate: Predicate | undefined): Referred[] {
  switch (predicate?.op) {
    case 'and':
    case 'or':
      return [...(predicate.referred ? [predicate.referred] : []), ...predicate.parts.flatMap(referredIn)];
    case 'not':
      return referredIn(predicate.part);
    default:
      return [];
  }
}

export function isAlwaysFalse(predicate: Predicate | undefined): boolean {
  if (predicate?.op === 'constant') return !predicate.value;
  return predicate?.op === 'or' && predicate.parts.every(isAlwaysFalse);
}

/** Both predicates; undefined matches all units. */
export function conjunction(a: Predicate | undefined, b: Predicate | undefined): Predicate | undefined {
  return a && b ? { op: 'and', parts: [a, b] } : (a ?? b);
}

/** The parts of a conjunction. */
export function conjunctsOf(predicate: Predicate | undefined): readonly Predicate[] {
  if (!predicate) return [];
  return predicate.op === 'and' ? predicate.parts.flatMap((part) => conjunctsOf(part)) : [predicate];
}

/** Whether a predicate compares with values, also within related units. */
export function hasValues(predicate: Predicate | undefined): boolean {
  return predicate !== undefined && testsOf(predicate).some(testHasValues);
}

function testHasValues(test: PredicateTest): boolean {
  switch (test.op) {
    case 'constant':
      return false;
    case 'exists':
      return relatedHasValues(test.related);
    case 'isnull':
    case 'pair':
      return operandsOf(test).some(targetHasValues);
    default:
      return true;
  }
}

/** Whether the value of a target depends on values that a rule or filter compares with. */
export function targetHasValues(target: Target): boolean {
  return sourcesOf(target).some(
    ({ through = [], counted }) =>
      through.some(({ access }) => hasValues(access)) || (counted !== undefined && relatedHasValues(counted)),
  );
}

/** The same for related units. The id of the member is such a value. */
export function relatedHasValues({ via, kinds, summed }: Related): boolean {
  if (via.type === 'member' || (via.type === 'link' && hasValues(via.where))) return true;
  if (summed && targetHasValues(summed)) return true;
  return kinds.some(({ access, filter }) => hasValues(access) || hasValues(filter));
}
