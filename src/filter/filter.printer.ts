/**
 * Prints the syntax tree of a filter in canonical form: canonical operators, no white space, `in` without brackets,
 * quotes around values that were quoted or need quotes. Parsing the result gives the same tree except for positions.
 */
import type { Filter, ValueList, Path, Place, RelatedUnits, Resemblance, Scalar, Test, Value } from './filter.ast.js';
import { isWord, type ValueContext } from './filter.scanner.js';
import { BEFORE_PREFIX, MEMBER_PREFIX, secondsFromNow } from './value.parser.js';
import { relatedFunctionName } from './related.parser.js';

/** What an unquoted value cannot contain, besides unbalanced parentheses. */
const SEPARATORS = { call: /^$/, list: /,/, brackets: /[,\]]/ } as const satisfies Record<ValueContext, RegExp>;

export function printFilter(filter: Filter): string {
  switch (filter.op) {
    case 'and':
    case 'or':
      return `${filter.op}(${filter.filters.map(printFilter).join(',')})`;
    case 'not':
      return `not(${printFilter(filter.filter)})`;
    case 'exists':
      return printRelated(filter.related, 'exists');
    case 'all':
      return 'all()';
    default:
      return printTest(filter);
  }
}

/** A test for related units, their number, or a sum of them. */
function printRelated(related: RelatedUnits, role: 'exists' | 'count'): string {
  const { relation, filter, summed } = related;
  const inside = [
    ...printWay(relation),
    ...(summed ? [printOperand(summed)] : []),
    ...(filter ? [printFilter(filter)] : []),
  ];
  return `${relatedFunctionName(related, role)}(${inside.join(',')})`;
}

function printWay(relation: RelatedUnits['relation']): string[] {
  switch (relation.type) {
    case 'reference':
      return [`${relation.kind}.${relation.parameter}`];
    case 'link':
      return [relation.link, relation.direction, ...printKinds(relation.kinds)];
    case 'any': {
      const { kind, parameter } = relation;
      return kind === undefined ? [] : [parameter === undefined ? kind : `${kind}.${parameter}`];
    }
  }
}

function printKinds(kinds: readonly string[] | undefined): string[] {
  if (!kinds) return [];
  return [kinds.length === 1 ? kinds.join('') : `[${kinds.join(',')}]`];
}

function printTest(test: Test): string {
  const path = printOperand(test.path);
  switch (test.op) {
    case 'eq_field':
    case 'ne_field':
    case 'lt_field':
    case 'lte_field':
    case 'gt_field':
    case 'gte_field':
      return `${test.op}(${path},${printOperand(test.other)})`;
    case 'near':
      return `near(${printPlace(test)},${printScalar(test.radius, 'list')})`;
    case 'similar': {
      const least = test.least ? `,${printScalar(test.least, 'list')}` : '';
      return `similar(${printResemblance(test)}${least})`;
    }
    case 'isnull':
      return test.value ? `isnull(${path})` : `isnull(${path},false)`;
    case 'in':
      return `in(${path},${printItems(test.value, 'list')})`;
    default:
      return `${test.op}(${path},${printValue(test.value)})`;
  }
}

/** The arguments `latitude,longitude,41.9,12.5`. */
export function printPlace({ path, other, point }: Place): string {
  return [printOperand(path), printOperand(other), ...point.map((each) => printScalar(each, 'list'))].join(',');
}

/** The arguments `name,Jon Smith`. */
export function printResemblance({ path, value }: Resemblance): string {
  return `${printOperand(path)},${printScalar(value, 'list')}`;
}

/** The canonical text of what a test compares: a path, a number of related units, or an expression. */
export function printOperand({ segments, counted, computed, member, before }: Path): string {
  if (counted) return printRelated(counted, 'count');
  if (computed) {
    return `${computed.function}(${computed.operands.map(printTerm).join(',')})`;
  }
  if (member) return `${MEMBER_PREFIX}${printPath(segments)}`;
  if (before) return `${BEFORE_PREFIX}${printPath(segments)}`;
  const [first = '', ...others] = segments;
  // Quotes, so that it is no parameter of the member.
  return first.startsWith('@') ? [quote(first), ...others.map(printSegment)].join('.') : printPath(segments);
}

/** An operand of an expression. Quotes, so that a parameter is no number. */
function printTerm(operand: Path | Scalar): string {
  if (!('segments' in operand)) return operand.text;
  const [first = '', ...others] = operand.segments;
  return /^[-+.\d]/.test(first) ? [quote(first), ...others.map(printSegment)].join('.') : printOperand(operand);
}

/** The canonical text of a path: `country.name`, `meta."a.b"`. */
export function printPath(segments: readonly string[]): string {
  return segments.map(printSegment).join('.');
}

function printSegment(segment: string): string {
  return isWord(segment) ? segment : quote(segment);
}

function printValue(value: Value | ValueList): string {
  return value.type === 'list' ? `[${printItems(value, 'brackets')}]` : printScalar(value, 'call');
}

function printItems(list: ValueList, surrounding: ValueContext): string {
  return list.items.map((item) => printScalar(item, surrounding)).join(',');
}

function printScalar(value: Value, surrounding: ValueContext): string {
  if (value.type === 'member') return `${MEMBER_PREFIX}${value.name}`;
  if (value.type === 'before') return printOperand(value.path);
  return value.type === 'bare' && canStandBare(value.text, surrounding) ? value.text : quote(value.text);
}

/** Other texts that begin with `@` are always quoted, so that they cannot be confused with a value of the member. */
function canStandBare(text: string, surrounding: ValueContext): boolean {
  if (secondsFromNow(text) !== undefined) return true;
  return (
    text !== '' &&
    text === text.trim() &&
    !/^["[@]/.test(text) &&
    !SEPARATORS[surrounding].test(text) &&
    hasBalancedParentheses(text)
  );
}

function hasBalancedParentheses(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

export function quote(text: string): string {
  return `"${escapeQuoted(text)}"`;
}

/** A text, or a part of one, as it stands between quotes. */
export function escapeQuoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}
