/**
 * A filter resolved against a kind: names have become fields, texts have become values of their types.
 * Filters of clients and rules of owners both end here, so both are rendered by the same code.
 */
import type { Filter, List, MemberRef, Operator, Path, Scalar, Test } from '../filter/filter.ast.js';
import { valuesOf } from '../filter/filter.walk.js';
import { refusal } from '../shared/errors.js';
import { scalarText, type Json } from '../shared/json.js';
import { didYouMean } from '../shared/nearest.js';
import type { Field, KindDef } from './model.js';
import { readJsonStructure } from './parameter-type/json.type.js';
import { OPERATORS, type ParameterType, type Stored } from './parameter-type/parameter-type.js';

/** What a test looks at: a field, or the value at keys inside a JSON field. */
export interface Target {
  readonly field: Field;
  readonly keys: readonly string[];
}

/** A value of the member who asks, read when the statement runs, so that it is never an old one. */
export interface MemberValue {
  /** The member's kind, in whose table it stands. */
  readonly kind: KindDef;
  readonly field: Field;
  /** Empty until a rule is bound to a caller. */
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
      /** Plain values come along in `in`. */
      readonly values: readonly (Stored | MemberValue)[];
    }
  /** The member has a value there. */
  | { readonly op: 'present'; readonly value: MemberValue }
  | {
      readonly op: 'like';
      readonly target: Target;
      readonly place: 'within' | 'start' | 'end';
      readonly fold: boolean;
      readonly value: string;
    };

/** Tests that can be made with a value of the member. */
export type MemberTest = 'eq' | 'ne' | 'in' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte';

/** The fields that the caller may name, by name. */
export type Visible = ReadonlyMap<string, Field>;

const lists = new WeakMap<Visible, readonly Field[]>();

/** All visible fields as a list: one and the same as long as the visible ones are, so that what is made of it can be kept. */
export function everyField(visible: Visible): readonly Field[] {
  const known = lists.get(visible);
  if (known) return known;
  const made = [...visible.values()];
  lists.set(visible, made);
  return made;
}

/** Finds the value behind `@member.<name>`, for a test of a field. */
export type Members = (reference: MemberRef, target: Target) => MemberValue;

/** Resolves a filter; throws 400 with the character for names, operators and values that do not fit. */
export function resolveFilter(filter: Filter, kind: KindDef, visible: Visible, members?: Members): Predicate {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, parts: filter.filters.map((part) => resolveFilter(part, kind, visible, members)) };
    case 'not':
      return { op: 'not', part: resolveFilter(filter.filter, kind, visible, members) };
    default:
      return resolveTest(filter, kind, visible, members);
  }
}

function resolveTest(test: Test, kind: KindDef, visible: Visible, members: Members | undefined): Predicate {
  const target = resolvePath(test.path, kind, visible);
  checkOperator(test, target);
  if (members && valuesOf(test).some((value) => value.type === 'member')) return memberTest(test, target, members);
  if (test.op === 'isnull') return { op: 'isnull', target, value: test.value };
  if (test.op === 'in') return membership(target, test.value);
  return comparison(test.op, target, test.value);
}

const MEMBER_TESTS: readonly string[] = ['eq', 'ne', 'in', 'contains', 'lt', 'lte', 'gt', 'gte'];

function memberTest(test: Test, target: Target, members: Members): Predicate {
  const plain = target.keys.length > 0 || (test.op === 'contains' && !target.field.def.multiple);
  if (plain || !MEMBER_TESTS.includes(test.op)) {
    throw refusal(
      'filter.bad_operator',
      `${test.op} of '${target.field.id}' can not be asked with a value of the member, at character ${test.at}`,
      { parameter: target.field.id },
    );
  }
  const values = valuesOf(test).map((value) =>
    value.type === 'member' ? members(value, target) : readScalar(value, target),
  );
  return { op: 'member', target, test: test.op as MemberTest, values };
}

/** A rule's predicate for one member. */
export function boundTo(predicate: Predicate, memberId: string): Predicate {
  switch (predicate.op) {
    case 'and':
    case 'or':
      return { op: predicate.op, parts: predicate.parts.map((part) => boundTo(part, memberId)) };
    case 'not':
      return { op: 'not', part: boundTo(predicate.part, memberId) };
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

/** The field that a path names, for filters and orders. */
export function resolvePath(path: Path, kind: KindDef, visible: Visible): Target {
  const [first = '', ...keys] = path.segments;
  const field = visible.get(first);
  if (!field) {
    const hint = didYouMean(first, visible.keys());
    throw refusal(
      'filter.unknown_parameter',
      `no parameter '${first}' in '${kind.id}'${hint}, at character ${path.at}`,
      { parameter: first },
    );
  }
  if (keys.length > 0 && (field.type.id !== 'json' || field.def.multiple)) {
    throw refusal(
      'filter.unknown_parameter',
      `'${first}' has no keys: only a json parameter has, at character ${path.at}`,
      { parameter: first },
    );
  }
  return { field, keys };
}

function checkOperator({ op, at }: Test, { field }: Target): void {
  const operators = field.def.multiple ? OPERATORS.multiple : typeOf(field).operators;
  if (operators.has(op)) return;
  const type = `${field.def.multiple ? 'a list of ' : ''}${field.describedAs ?? field.type.id}`;
  throw refusal(
    'filter.bad_operator',
    `'${field.id}' is ${type}, which has no ${op}, at character ${at}; it has ${[...operators].join(', ')}`,
    { parameter: field.id },
  );
}

function comparison(
  op: Exclude<Operator, 'in' | 'isnull'>,
  target: Target,
  value: Scalar | MemberRef | List,
): Predicate {
  switch (op) {
    case 'eq':
    case 'ne':
      return equality(target, op === 'ne', value);
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return { op: 'order', target, than: op, value: readScalar(value, target) };
    case 'contains':
      if (target.field.def.multiple) return { op: 'element', target, value: readScalar(value, target) };
      return { op: 'like', target, place: 'within', fold: false, value: textOf(value, target) };
    case 'icontains':
      return { op: 'like', target, place: 'within', fold: true, value: textOf(value, target) };
    case 'startswith':
    case 'istartswith':
      return { op: 'like', target, place: 'start', fold: op === 'istartswith', value: textOf(value, target) };
    case 'endswith':
    case 'iendswith':
      return { op: 'like', target, place: 'end', fold: op === 'iendswith', value: textOf(value, target) };
  }
}

function equality(target: Target, negated: boolean, value: Scalar | MemberRef | List): Predicate {
  if (target.field.def.multiple) {
    const items = value.type === 'list' ? value.items : [value];
    return { op: 'is', target, negated, value: items.map((item) => readScalar(item, target)) };
  }
  const text: Predicate = { op: 'is', target, negated, value: readScalar(value, target) };
  const structure =
    target.field.type.id === 'json' && value.type !== 'member' && value.type !== 'list'
      ? readJsonStructure(value.text)
      : undefined;
  if (structure === undefined) return text;
  // A list or an object, or the text that spells it.
  const either: Predicate = {
    op: 'or',
    parts: [
      { op: 'json', target, value: structure },
      { ...text, negated: false },
    ],
  };
  return negated ? { op: 'not', part: either } : either;
}

/** One of the values: the same as `or` of `eq`, structures of JSON included; on a list, an element of it. */
function membership(target: Target, { items }: List): Predicate {
  if (!target.field.def.multiple) {
    const parts = items.map((item) => equality(target, false, item));
    if (parts.some((part) => part.op === 'or')) return { op: 'or', parts };
  }
  return { op: 'in', target, values: items.map((item) => readScalar(item, target)) };
}

function textOf(value: Scalar | MemberRef | List, target: Target): string {
  return scalarText(readScalar(value, target));
}

/** The type that reads values: for a reference, the key of the referenced kind. */
export function typeOf(field: Field): ParameterType {
  const { reference, type } = field;
  if (!reference) return type;
  return { ...type, read: (text) => reference.key.read(text), wants: `the id of a unit of '${reference.kind}'` };
}

function readScalar(value: Scalar | MemberRef | List, { field }: Target): Stored {
  if (value.type === 'list') {
    throw badValue(field, 'one value, not a list', value.at);
  }
  if (value.type === 'member') throw new Error('a member reference is resolved before a filter is planned');
  const type = typeOf(field);
  const stored = type.read(value.text);
  if (stored === undefined) throw badValue(field, `${type.wants} (${field.describedAs ?? type.id})`, value.at);
  return stored;
}

function badValue(field: Field, wants: string, at: number) {
  return refusal('filter.bad_value', `'${field.id}' wants ${wants}, at character ${at}`, { parameter: field.id });
}

/** The stored fields that a predicate tests, each once. */
export function fieldsOf(predicate: Predicate): Field[] {
  const found = new Set<Field>();
  const visit = (part: Predicate): void => {
    if (part.op === 'and' || part.op === 'or') part.parts.forEach(visit);
    else if (part.op === 'not') visit(part.part);
    else if ('target' in part && part.target.field.column !== undefined) found.add(part.target.field);
  };
  visit(predicate);
  return [...found];
}

/** Both, where both are asked. */
export function both(a: Predicate | undefined, b: Predicate | undefined): Predicate | undefined {
  return a && b ? { op: 'and', parts: [a, b] } : (a ?? b);
}
