/**
 * A filter as conditions, for people who do not write filters: tests of one field each, of which all or one must hold.
 * Everything else of the language stays the text that it is. Read and written by the parser and printer of the service.
 */
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { printFilter, printPath, quote } from '../../../src/filter/filter.printer.js';
import type { Filter, Operator } from '../../../src/filter/filter.ast.js';
import { secondsFromNow } from '../../../src/filter/value.parser.js';
import { OPERATORS } from '../../../src/model/parameter-type/parameter-type.js';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import type { Field } from '../api/types.js';
import { fieldOfType } from '../fields/fields.js';
import { valueOf } from '../fields/typed-value.js';
import { inputOf } from '../fields/values.js';
import type { Text } from '../i18n/text.js';

/** As in filters, and `notnull` for `isnull(…,false)`. */
export type ShownOperator = Operator | 'notnull';

export interface TestCondition {
  readonly type: 'test';
  readonly key: number;
  readonly field: string;
  readonly operator: ShownOperator;
  /** As of `inputOf`. */
  readonly input: unknown;
}

/** A part of a filter that is shown as it is written. */
interface TextCondition {
  readonly type: 'text';
  readonly key: number;
  readonly text: string;
}

export type Condition = TestCondition | TextCondition;

export interface Conditions {
  readonly mode: 'and' | 'or';
  readonly all: readonly Condition[];
}

export function operatorsOf({ type, multiple }: Field): readonly ShownOperator[] {
  const operators = multiple ? OPERATORS.multiple : (PARAMETER_TYPES.get(type)?.operators ?? OPERATORS.equality);
  return [...operators].flatMap((operator) => (operator === 'isnull' ? [operator, 'notnull' as const] : [operator]));
}

export function needsValue(operator: ShownOperator): boolean {
  return operator !== 'isnull' && operator !== 'notnull';
}

/** The field whose control takes the value of a test. */
export function valueField(field: Field, operator: ShownOperator): Field {
  const isWhole = operator === 'eq' || operator === 'ne';
  const isChoice = isWhole || operator === 'in' || field.multiple;
  return {
    ...field,
    type: fieldOfType(field.type).filteredAs ?? field.type,
    multiple: operator === 'in' || (isWhole && field.multiple),
    required: true,
    min_length: null,
    max_length: null,
    limits: undefined,
    values: isChoice ? field.values : null,
  };
}

let keys = 0;

export function newTest({ id }: Field, operator: ShownOperator, input: unknown): TestCondition {
  keys += 1;
  return { type: 'test', key: keys, field: id, operator, input };
}

/** @throws KindError that says where the filter is wrong */
export function conditionsOf(filter: string, fields: readonly Field[]): Conditions {
  if (filter.trim() === '') return { mode: 'and', all: [] };
  const parsed = parseFilter(filter);
  if (parsed.op === 'all') return { mode: 'and', all: [] };
  const isCombined = parsed.op === 'and' || parsed.op === 'or';
  return {
    mode: parsed.op === 'or' ? 'or' : 'and',
    all: (isCombined ? parsed.filters : [parsed]).map((each) => conditionOf(each, fields)),
  };
}

function conditionOf(filter: Filter, fields: readonly Field[]): Condition {
  const found = testOf(filter, fields);
  if (found) return found;
  keys += 1;
  return { type: 'text', key: keys, text: printFilter(filter) };
}

function testOf(filter: Filter, fields: readonly Field[]): TestCondition | undefined {
  if (!('path' in filter) || 'other' in filter || filter.op === 'similar') return undefined;
  const { segments, counted, member } = filter.path;
  const field = fields.find(({ id }) => id === segments[0]);
  if (!field || segments.length !== 1 || counted || member) return undefined;
  const operator = filter.op === 'isnull' && !filter.value ? 'notnull' : filter.op;
  if (!operatorsOf(field).includes(operator)) return undefined;
  if (filter.op === 'isnull') return newTest(field, operator, '');
  const { value } = filter;
  if (value.type === 'member' || value.type === 'before') return undefined;
  const target = valueField(field, operator);
  const { ofFilter } = fieldOfType(target.type);
  const texts = value.type === 'list' ? value.items.map((item) => ('text' in item ? item.text : '')) : [value.text];
  // Times relative to the present stay a text.
  if (texts.some((each) => secondsFromNow(each) !== undefined)) return undefined;
  // One value where a list is compared, or the other way round.
  if (target.multiple !== (value.type === 'list')) return undefined;
  const inputs = texts.map((each) => inputOf({ ...target, multiple: false }, ofFilter?.(each) ?? each));
  return newTest(field, operator, target.multiple ? inputs : inputs[0]);
}

/** @throws InputError if a value does not fit its field */
export function textOf({ mode, all }: Conditions, fields: readonly Field[], text: Text): string {
  const parts = all.map((each) => (each.type === 'text' ? each.text : testText(each, fields, text)));
  const [only = '', ...others] = parts;
  return others.length === 0 ? only : `${mode}(${parts.join(',')})`;
}

/** @throws InputError */
export function testText({ field: id, operator, input }: TestCondition, fields: readonly Field[], text: Text): string {
  const path = printPath([id]);
  if (operator === 'isnull') return `isnull(${path})`;
  if (operator === 'notnull') return `isnull(${path},false)`;
  const field = fields.find((each) => each.id === id);
  const value = field ? valueOf(valueField(field, operator), input, text) : input;
  const written = Array.isArray(value) ? `[${value.map(bareOrQuoted).join(',')}]` : bareOrQuoted(value);
  return `${operator}(${path},${written})`;
}

/** Words and numbers need no quotes. */
function bareOrQuoted(value: unknown): string {
  const text = String(value);
  return /^[\p{L}\p{N}_.:+-]+( [\p{L}\p{N}_.:+-]+)*$/u.test(text) ? text : quote(text);
}
