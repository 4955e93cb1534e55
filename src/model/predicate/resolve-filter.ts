/** Resolves a filter for a kind: paths become fields, and texts become values of their types. Pure. */
import {
  FIELD_OPERATORS,
  spellingsOf,
  type Filter,
  type ValueList,
  type MemberRef,
  type Value,
  type Operator,
  type ParameterTest,
  type Path,
  type Scalar,
  type Test,
  type FieldComparison,
  type NearTest,
  type Place,
  type Resemblance,
  type SimilarTest,
} from '../../filter/filter.ast.js';
import { printOperand } from '../../filter/filter.printer.js';
import { filterOperands, testValues } from '../../filter/filter.walk.js';
import { MEMBER_PREFIX, secondsFromNow } from '../../filter/value.parser.js';
import { refusal, KindError } from '../../shared/errors.js';
import { scalarText, textFault } from '../../shared/json.js';
import { builtInField, typeInWords } from '../field.js';
import type { Field, KindDef } from '../model.js';
import { type ParameterType, type Stored, OPERATORS } from '../parameter-type/parameter-type.js';
import { checkedNumber, numberField, resolveComputed } from './expression.js';
import { ONLY_IN_RULES, resolvePath, unknownName, type Names } from './path.js';
import { resolveExistence, resolveRelated, type ResolveInner } from './resolve-related.js';
import {
  Moment,
  type MemberTest,
  type MemberValue,
  type Operand,
  type Predicate,
  type Target,
  type PlaceTargets,
  type ResemblingTexts,
} from './predicate.js';

/** Resolves `@member.` in access rules. */
export interface Members {
  /** A value of the member in a test of a field. */
  value(reference: MemberRef, target: Target): MemberValue;
  /** A test of the member itself. @param resolve resolves the test for a member kind */
  test(path: Path, resolve: (names: Names) => Predicate): Predicate;
}

/** @throws KindError 400 with the position, for an unknown name, or an operator or value that does not fit the field */
export function resolveFilter(filter: Filter, names: Names, members?: Members): Predicate {
  switch (filter.op) {
    case 'and':
    case 'or':
      return { op: filter.op, parts: filter.filters.map((part) => resolveFilter(part, names, members)) };
    case 'not':
      return { op: 'not', part: resolveFilter(filter.filter, names, members) };
    case 'exists':
      return resolveExistence(filter.related, names, resolverWith(members));
    case 'all':
      return { op: 'constant', value: true };
    default:
      return resolveTest(filter, names, members);
  }
}

/** Resolves the filters and sums of related units. */
export function resolverWith(members?: Members): ResolveInner {
  return {
    filter: (filter, names) => resolveFilter(filter, names, members),
    sum: (summed, names) => {
      const target = resolveOperand(summed, names, members);
      checkedNumber('sum_related', target, summed.at);
      return target;
    },
  };
}

/**
 * Resolves a path, or in place of one a number of related units, or an expression.
 * @throws KindError as `resolvePath` does
 */
export function resolveOperand(path: Path, names: Names, members?: Members): Target {
  if (path.before) return resolveBefore(path, names);
  if (path.computed) return resolveComputed(path, (operand) => resolveOperand(operand, names, members));
  if (!path.counted) return resolvePath(path, names);
  const counted = resolveRelated(path.counted, names, resolverWith(members));
  const id = printOperand(path);
  const field = counted.summed
    ? numberField(id, checkedNumber('sum_related', counted.summed, path.at))
    : builtInField({ id, type: 'integer', nullable: false }, { column: undefined });
  return { field, keys: [], counted };
}

/** @throws KindError 400 if the parameter is not one of the unit itself */
function resolveBefore(path: Path, names: Names): Target {
  if (path.segments.length === 1) return { ...resolvePath(path, names), before: true };
  const text = `'${printOperand(path)}': @before. names a parameter of the unit itself, at character ${path.at}`;
  throw unknownName(printOperand(path), text, path.at);
}

function resolveTest(test: Test, names: Names, members: Members | undefined): Predicate {
  const ofMember = filterOperands(test).find(({ member }) => member);
  if (ofMember) {
    if ('other' in test || test.op === 'similar' || !members) throw notOfMember(test);
    const own: Test = { ...test, path: { segments: ofMember.segments, at: ofMember.at } };
    return members.test(ofMember, (ofKind) => resolveTest(own, ofKind, members));
  }
  if (test.op === 'similar') return resolveSimilar(test, names);
  if ('other' in test) {
    const resolve = (path: Path) => resolveOperand(path, names, members);
    return test.op === 'near' ? resolveNear(test, resolve) : resolvePair(test, resolve, names.kind);
  }
  if (testValues(test).some(({ type }) => type === 'before')) return beforeTest(test, names, members);
  const target = resolveOperand(test.path, names, members);
  checkOperator(test, target);
  if (members && testValues(test).some((value) => value.type === 'member')) return memberTest(test, target, members);
  if (test.op === 'isnull') return { op: 'isnull', target, value: test.value };
  try {
    return test.op === 'in' ? membership(target, test.value) : comparison(test.op, target, test.value);
  } catch (error) {
    throw error instanceof KindError ? withMeaning(error, test, names) : error;
  }
}

/** The refusal of a value, with what may be meant by it. */
function withMeaning(refused: KindError, test: ParameterTest, { visible }: Names): KindError {
  const of = printOperand(test.path);
  const [hint] = testValues(test).flatMap((value) => {
    if (value.type !== 'bare') return [];
    if (value.text.startsWith(MEMBER_PREFIX)) return [ONLY_IN_RULES];
    if (value.text === 'null')
      return [` (did you mean '${test.op === 'ne' ? `isnull(${of},false)` : `isnull(${of})`}'?)`];
    const op = FIELD_OPERATORS.find((each) => each === `${test.op}_field`);
    return op && visible.has(value.text) ? [` (did you mean '${op}(${of},${value.text})'?)`] : [];
  });
  const [message] = refused.messages;
  return hint === undefined ? refused : refused.withMessages([{ ...message, text: message.text + hint }]);
}

const BEFORE_TESTS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const;

/** Compares with values of the unit before an edit. Of `in`, each value is a test. */
function beforeTest(test: ParameterTest, names: Names, members: Members | undefined): Predicate {
  if (test.op === 'in') {
    const each = test.value.items.map((value) => resolveTest({ ...test, op: 'eq', value }, names, members));
    return { op: 'or', parts: each };
  }
  const op = BEFORE_TESTS.find((known) => known === test.op);
  const [value] = testValues(test);
  if (!op || value?.type !== 'before') {
    const text = `${test.op} compares with no value of before: ${BEFORE_TESTS.join(', ')} and in do, at character ${test.at}`;
    throw refusal('filter.bad_operator', text);
  }
  const [target, other] = [test.path, value.path].map((path) => resolveOperand(path, names, members));
  return comparedPair({ op, at: test.at }, [target, other] as [Target, Target], names.kind);
}

function notOfMember({ op, at }: Test): KindError {
  const text = `${op} compares parameters of units: write eq(parameter,@member.parameter), at character ${at}`;
  return refusal('filter.bad_operator', text);
}

const MEMBER_TESTS: readonly string[] = ['eq', 'ne', 'in', 'contains', 'lt', 'lte', 'gt', 'gte'];

function memberTest(test: ParameterTest, target: Target, members: Members): Predicate {
  const plain = target.keys.length > 0 || (test.op === 'contains' && !target.field.def.multiple);
  if (plain || !MEMBER_TESTS.includes(test.op)) {
    throw refusal(
      'filter.bad_operator',
      `${test.op} of '${target.field.id}' cannot be asked with a value of the member, at character ${test.at}`,
      { parameter: target.field.id },
    );
  }
  const values = testValues(test).map((value) => {
    if (value.type !== 'member') return readScalar(value, target);
    const found = members.value(value, target);
    checkShape(test, target, found.field, value.at);
    return found;
  });
  return { op: 'member', target, test: test.op as MemberTest, values };
}

/** A list is compared with a list, a single value with a single value; `in` and `contains` accept both. */
function checkShape({ op }: ParameterTest, { field }: Target, other: Field, at: number): void {
  if (op === 'in' || op === 'contains' || field.def.multiple === other.def.multiple) return;
  throw badValue(field, field.def.multiple ? 'a list, not one value' : 'one value, not a list', at);
}

function checkOperator({ op, at }: ParameterTest, { field }: Target): void {
  const operators = field.def.multiple ? OPERATORS.multiple : valueTypeOf(field).operators;
  if (operators.has(op)) return;
  throw refusal(
    'filter.bad_operator',
    `'${field.id}' is ${typeInWords(field)}, which has no ${op}, at character ${at}; it has ${spellingsOf(operators).join(', ')}`,
    { parameter: field.id },
  );
}

function comparison(op: Exclude<Operator, 'in' | 'isnull'>, target: Target, value: Value | ValueList): Predicate {
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
      return { op: 'like', target, place: 'within', fold: false, value: textValue(value, target) };
    case 'icontains':
      return { op: 'like', target, place: 'within', fold: true, value: textValue(value, target) };
    case 'startswith':
    case 'istartswith':
      return { op: 'like', target, place: 'start', fold: op === 'istartswith', value: textValue(value, target) };
    case 'endswith':
    case 'iendswith':
      return { op: 'like', target, place: 'end', fold: op === 'iendswith', value: textValue(value, target) };
  }
}

function equality(target: Target, negated: boolean, value: Value | ValueList): Predicate {
  if (target.field.def.multiple) {
    const items = value.type === 'list' ? value.items : [value];
    return { op: 'is', target, negated, value: items.map((item) => readScalar(item, target)) };
  }
  const text: Predicate = { op: 'is', target, negated, value: readScalar(value, target) };
  const structure = 'text' in value ? target.field.type.readStructure?.(value.text) : undefined;
  if (structure === undefined) return text;
  // The value may be meant as an array or object, or as a string of these characters.
  const either: Predicate = {
    op: 'or',
    parts: [
      { op: 'json', target, value: structure },
      { ...text, negated: false },
    ],
  };
  return negated ? { op: 'not', part: either } : either;
}

/** The same as `or` of `eq`, also for JSON arrays and objects; on a list, whether an element is one of the values. */
function membership(target: Target, { items }: ValueList): Predicate {
  if (!target.field.def.multiple) {
    const parts = items.map((item) => equality(target, false, item));
    if (parts.some((part) => part.op === 'or')) return { op: 'or', parts };
  }
  return { op: 'in', target, values: items.map((item) => readScalar(item, target)) };
}

function textValue(value: Value | ValueList, target: Target): string {
  return scalarText(readScalar(value, target) as Stored);
}

/** The type that parses values of a field: for a reference, the key type of the referenced kind. */
function valueTypeOf(field: Field): ParameterType {
  const { reference, type } = field;
  if (!reference) return type;
  const wants = `the id of a unit of '${reference.kind}'`;
  return { ...type, read: (text) => reference.key.read(text), expects: wants, expectsInFilter: wants };
}

function readScalar(value: Value | ValueList, { field }: Target): Operand {
  if (value.type === 'list') {
    throw badValue(field, 'one value, not a list', value.at);
  }
  if (value.type === 'member' || value.type === 'before') throw new Error('is resolved before a filter is planned');
  const type = valueTypeOf(field);
  const seconds = type.moments ? secondsFromNow(value.text) : undefined;
  if (seconds !== undefined) return new Moment(seconds);
  const stored = type.read(value.text);
  if (stored === undefined) {
    const moments = type.moments ? ', or a time at most 100 years from now as @now, @now-7d, @now+12h, @now-30m' : '';
    const wants = `${type.expectsInFilter ?? type.expects}${moments} (${field.describedAs ?? type.id})`;
    throw badValue(field, wants, value.at);
  }
  return stored;
}

/** Reads a value that is compared with a field outside of a filter. @throws KindError 400 */
export function readFilterValue(field: Field, text: string): Stored {
  const fault = textFault(text);
  if (fault !== undefined)
    throw refusal('filter.bad_value', `'${field.id}': the value ${fault}`, { parameter: field.id });
  const type = valueTypeOf(field);
  const stored = type.read(text);
  if (stored !== undefined) return stored;
  const wants = `${type.expectsInFilter ?? type.expects} (${field.describedAs ?? type.id})`;
  throw refusal('filter.bad_value', `'${field.id}' wants ${wants}`, { parameter: field.id });
}

function badValue(field: Field, wants: string, at: number) {
  return refusal('filter.bad_value', `'${field.id}' wants ${wants}, at character ${at}`, { parameter: field.id });
}

type Resolve = (path: Path) => Target;

const NUMBER = /^[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})$/;

function resolvePair({ op, path, other, at }: FieldComparison, resolve: Resolve, kind: KindDef): Predicate {
  return comparedPair({ op, at }, [resolve(path), resolve(other)], kind);
}

/**
 * @throws KindError 400 if the types cannot be compared, or have no such operator
 * Two values of the unit, or of it and of the unit before an edit: there a null equals a null, so that a rule may say
 * that a parameter stays as it is.
 */
function comparedPair(
  { op, at }: { readonly op: FieldComparison['op'] | (typeof BEFORE_TESTS)[number]; readonly at: number },
  [a, b]: readonly [Target, Target],
  kind: KindDef,
): Predicate {
  const base = op.replace('_field', '') as (typeof BEFORE_TESTS)[number];
  for (const target of [a, b]) {
    if (hasOperator(target, base)) continue;
    throw refusal(
      'filter.bad_operator',
      `'${target.field.id}' is ${typeInWords(target.field)}, which has no ${op}, at character ${at}`,
      {
        parameter: target.field.id,
      },
    );
  }
  if (!areComparable(a, b, kind)) {
    const [one, other] = [a.field, b.field].map((field) => `'${field.id}' is ${typeInWords(field)}`);
    const others = a.field.reference && b.field.reference ? ' to units of another kind' : '';
    const text = `${op} compares values of one type: ${one}, ${other}${others}, at character ${at}`;
    throw refusal('filter.bad_operator', text, { parameter: b.field.id });
  }
  if (base !== 'eq' && base !== 'ne') return { op: 'pair', target: a, other: b, test: base };
  const equal: Predicate = { op: 'pair', target: a, other: b, test: (a.before ?? b.before) ? 'same' : 'eq' };
  return base === 'ne' ? { op: 'not', part: equal } : equal;
}

function hasOperator({ field }: Target, operator: Operator): boolean {
  return (field.def.multiple ? OPERATORS.multiple : field.type.operators).has(operator);
}

function areComparable(a: Target, b: Target, kind: KindDef): boolean {
  if (a.field.def.multiple !== b.field.def.multiple) return false;
  const [ofA, ofB] = [unitsOf(a, kind), unitsOf(b, kind)];
  if (a.field.reference || b.field.reference) return ofA !== undefined && ofA === ofB;
  if (isNumber(a) && isNumber(b)) return !a.field.def.multiple || a.field.type === b.field.type;
  return a.field.type === b.field.type && a.field.columnType === b.field.columnType;
}

function isNumber({ field }: Target): boolean {
  return field.type.numeric === true;
}

/** The kind whose units the values are ids of. */
function unitsOf({ field, through }: Target, kind: KindDef): string | undefined {
  if (field.reference) return field.reference.kind;
  return field.id === 'id' ? (through?.at(-1)?.kind ?? kind).id : undefined;
}

/** @throws KindError 400 if a parameter is no number, or a number is out of range */
function resolveNear(near: NearTest, resolve: Resolve): Predicate {
  const place = resolvePlace(near, 'near', resolve);
  return {
    op: 'near',
    ...place,
    kilometres: numberOf(near.radius, 'near', 'a radius in kilometres above zero', isAboveZero),
  };
}

/** How similar texts are where a filter does not say it. */
const SIMILAR = 0.3;

/** @throws KindError 400 if the parameter is no text, or without pg_trgm */
function resolveSimilar(test: SimilarTest, names: Names): Predicate {
  const { least } = test;
  const wants = 'a number from 0 to 1';
  return {
    op: 'similar',
    ...resolveResemblance(test, 'similar', names),
    least: least ? numberOf(least, 'similar', wants, (value) => value >= 0 && value <= 1) : SIMILAR,
  };
}

/** @param called the function, for messages */
export function resolveResemblance({ path, value }: Resemblance, called: string, names: Names): ResemblingTexts {
  const target = resolveOperand(path, names);
  if (target.counted || target.field.def.multiple || !hasOperator(target, 'icontains')) {
    const text = `${called} wants a text, and '${target.field.id}' is ${typeInWords(target.field)}, at character ${path.at}`;
    throw refusal('filter.bad_operator', text, { parameter: target.field.id });
  }
  if (!names.reach?.trigrams) {
    throw refusal('filter.bad_operator', `${called} compares texts of units, at character ${path.at}`);
  }
  return { target, text: value.text, trigrams: names.reach.trigrams(path.at) };
}

/** @param called the function, for messages */
export function resolvePlace({ path, other, point }: Place, called: string, resolve: Resolve): PlaceTargets {
  const [latitude, longitude] = point;
  return {
    target: coordinate(path, called, resolve),
    other: coordinate(other, called, resolve),
    point: [
      numberOf(latitude, called, 'a latitude from -90 to 90', (value) => Math.abs(value) <= 90),
      numberOf(longitude, called, 'a longitude from -180 to 180', (value) => Math.abs(value) <= 180),
    ],
  };
}

function coordinate(path: Path, called: string, resolve: Resolve): Target {
  const target = resolve(path);
  if (isNumber(target) && !target.field.def.multiple) return target;
  throw refusal(
    'filter.bad_operator',
    `${called} wants numbers, and '${target.field.id}' is ${typeInWords(target.field)}, at character ${path.at}`,
    {
      parameter: target.field.id,
    },
  );
}

function isAboveZero(value: number): boolean {
  return value > 0;
}

function numberOf({ text, at }: Scalar, called: string, wants: string, fits: (value: number) => boolean): number {
  const value = NUMBER.test(text) ? Number(text) : NaN;
  if (Number.isFinite(value) && fits(value)) return value;
  throw refusal('filter.bad_value', `${called} wants ${wants}, got '${text.slice(0, 40)}', at character ${at}`);
}
