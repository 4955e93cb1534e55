/** What each type shows, takes and asks for, without a browser; what follows from limits: `typed-value.test.ts`. */
import { describe, expect, it } from 'vitest';
import { PARAMETER_TYPES } from '../../src/model/parameter-type/type-by-id.js';
import type { Field, FieldType } from '../src/api/types.js';
import { groupable, stepsOf } from '../src/charts/chart-query.js';
import { conditionsOf, textOf } from '../src/data/conditions.js';
import { pastedValue } from '../src/data/transfer/table.js';
import { fieldOfType } from '../src/fields/fields.js';
import { shownInstant } from '../src/fields/shown-time.js';
import { writtenFault } from '../src/fields/typed-value.js';
import { shownValue } from '../src/fields/values.js';
import type { Text } from '../src/i18n/text.js';
import { labelField, nameOf } from '../src/data/unit-names.js';
import { fieldOf } from '../src/model/field-of.js';
import { field } from './field.js';

const key: Text = (name, values) => (values?.['smart_count'] === undefined ? name : `${name} ${values['smart_count']}`);
const NEWER = 'newer' as FieldType;

it('each type of the service has a name, a sentence and a width', () => {
  for (const type of PARAMETER_TYPES.keys()) {
    const { label, help, width } = fieldOfType(type);
    expect(label, type).not.toBe(type);
    expect(help, type).not.toBe('');
    expect(width, type).toBeGreaterThan(0);
  }
});

it('one that is newer than the console is called by its id, and its values are texts', () => {
  expect(fieldOfType(NEWER).label).toBe('newer');
  expect(shownValue(field(NEWER), { a: 1 }, key)).toBe('{"a":1}');
  expect(shownValue(field(NEWER), 'a', key)).toBe('a');
  expect(pastedValue(field(NEWER), ' a ', key)).toBe('a');
  expect(fieldOfType(NEWER).width).toBe(180);
});

describe('a value is shown', () => {
  it.each<[FieldType, unknown, string]>([
    ['string', 'a', 'a'],
    ['text', 'a\nb', 'a\nb'],
    ['integer', 1234567, '1,234,567'],
    ['float', 1234.5, '1,234.5'],
    ['decimal', '12345678901234567890.123', '12,345,678,901,234,567,890.123'],
    ['boolean', true, 'grid.yes'],
    ['boolean', false, 'grid.no'],
    ['date', '2026-01-31', 'Jan 31, 2026'],
    ['date', '-0044-03-15', '-0044-03-15'],
    ['time', '13:45:00', '13:45:00'],
    ['datetime', 'no time', 'no time'],
    ['binary', 'AAA=', 'grid.bytes 2'],
    ['json', { a: [1] }, '{"a":[1]}'],
    ['unit', '5', '5'],
    ['string', null, ''],
  ])('of type %s, %j, as %j', (type, value, shown) => {
    expect(shownValue(field(type), value, key)).toBe(shown);
  });

  it('in a list, each as it is alone', () => {
    expect(shownValue(field('integer', { multiple: true }), [1000, 2], key)).toBe('1,000, 2');
  });

  it('of times, those of nothing as nothing', () => {
    expect(shownInstant(null)).toBe('');
    expect(shownInstant('2026-01-31T13:45:00Z')).toBe(shownValue(field('datetime'), '2026-01-31T13:45:00Z', key));
  });
});

describe('a cell of a spreadsheet', () => {
  it.each<[Field, string, unknown]>([
    [field('string'), ' a ', ' a '],
    [field('text'), ' a ', ' a '],
    [field('unit'), ' a ', 'a'],
    [field('boolean'), ' Yes ', true],
    [field('boolean'), '0', false],
    [field('integer'), ' 1,234 ', 1234],
    [field('datetime'), '2026-01-31T13:45:00Z', '2026-01-31T13:45:00Z'],
    [field('json'), '[1]', [1]],
    [field('float', { multiple: true }), '1.5; 2', [1.5, 2]],
    [field('string', { multiple: true }), 'a, b', ['a', 'b']],
    [field('boolean', { multiple: true }), '[true]', [true]],
    [field('date'), ' ', undefined],
  ])('in %j, %j, means %j', (of, cell, value) => {
    expect(pastedValue(of, cell, key)).toEqual(value);
  });

  it('is refused where a comma may be part of a number', () => {
    expect(() => pastedValue(field('float', { multiple: true }), '1,500, 2', key)).toThrow('field.separate');
  });
});

it.each<[FieldType, string, string | undefined]>([
  ['integer', '1.5', 'field.not_whole'],
  ['float', '1.5', undefined],
  ['decimal', 'a', 'field.not_decimal'],
  ['boolean', 'yes', 'field.not_boolean'],
  ['date', '31.1.2026', 'field.not_date'],
  ['datetime', '2026-01-31', 'field.not_datetime'],
  ['time', '1:45 PM', 'field.not_time'],
  ['string', '\0', 'field.not_text'],
  ['json', '{', undefined],
])('a cell of a file of type %s, %j: %s', (type, written, fault) => {
  expect(writtenFault(field(type), written, key)).toBe(fault);
});

it.each<[FieldType, string]>([
  ['date', 'eq(a,2026-01-31)'],
  ['json', 'eq(a,x)'],
  ['boolean', 'eq(a,true)'],
])('a filter of type %s is read as a condition and written as it was: %s', (type, filter) => {
  const conditions = conditionsOf(filter, [field(type)]);
  expect(conditions.all).toMatchObject([{ type: 'test' }]);
  expect(textOf(conditions, [field(type)], key)).toBe(filter);
});

it('a filter for similar texts stays as it is written', () => {
  const conditions = conditionsOf('similar(a,Jon Smith,0.4)', [field('string')]);
  expect(conditions.all).toMatchObject([{ type: 'text', text: 'similar(a,Jon Smith,0.4)' }]);
});

it('a day of a filter may come first', () => {
  expect(conditionsOf('eq(a,31-01-2026)', [field('date')]).all).toMatchObject([{ input: '2026-01-31' }]);
});

it('charts make groups of what has few values, and periods of days and instants', () => {
  const types = [...PARAMETER_TYPES.keys()];
  const ungrouped = types.filter((type) => groupable([field(type)]).length === 0);
  expect(ungrouped.toSorted()).toEqual(['binary', 'json', 'text', 'time']);
  expect(groupable([field('unit', { multiple: true })])).toEqual([]);
  expect(types.filter((type) => stepsOf(field(type)).length > 0)).toEqual(['date', 'datetime']);
  expect(stepsOf(field('date'))).not.toContain('hour');
});

describe('the field that a unit is called by', () => {
  const made = (more: object) => fieldOf({ id: 'made', label: 'Made', kind_id: 'string', ...more });
  const number = made({ id: 'number', kind_id: 'integer', sequence: true });
  const state = field('string', { id: 'state', values: ['open'] });
  const by = made({ id: 'by', default_string: '@member.username' });
  it.each([
    ['one with such a name', [field('string', { id: 'code' }), field('string', { id: 'name' })], 'name'],
    ['the first text', [number, field('integer', { id: 'size' }), field('string', { id: 'code' })], 'code'],
    ['no state, and nothing of the member that made it', [state, by, field('string', { id: 'code' })], 'code'],
    ['its number, where it has no text', [state, by, number], 'number'],
    ['its id, where it has neither', [state, by, field('integer', { id: 'size' })], 'id'],
  ])('is %s', (_, fields, id) => {
    expect(labelField(fields)).toBe(id);
  });

  it('may have a number', () => {
    expect(nameOf({ id: 'a', kind_id: 'ticket', number: 7 }, 'number')).toBe('7');
    expect(nameOf({ id: 'a', kind_id: 'ticket', number: null }, 'number')).toBe('a');
  });
});
