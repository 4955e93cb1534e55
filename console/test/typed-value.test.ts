/** What is sent for what is typed into a field, and how it is shown there. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../src/api/types.js';
import { INCOMPLETE } from '../src/fields/console-field.js';
import { valueOf } from '../src/fields/typed-value.js';
import { inputOf } from '../src/fields/values.js';
import type { Text } from '../src/i18n/text.js';
import { field } from './field.js';

const key: Text = (name) => name;

describe('what is typed', () => {
  it.each<[Field, unknown, unknown]>([
    [field('string'), ' a ', ' a '],
    [field('string'), '', null],
    [field('string', { default: '' }), '', ''],
    [field('integer'), '1,234', 1234],
    [field('float'), '.5', 0.5],
    [field('decimal'), '0.10', '0.10'],
    [field('boolean'), 'true', true],
    [field('date'), '31.1.2026', '2026-01-31'],
    [field('time'), '1:45 PM', '13:45:00'],
    [field('datetime'), '2026-01-31T13:45Z', '2026-01-31T13:45:00Z'],
    [field('text'), ' a\n', ' a\n'],
    [field('binary'), 'AAA=', 'AAA='],
    [field('unit'), '5', '5'],
    [field('boolean', { multiple: true }), '[true]', [true]],
    [field('newer' as Field['type'], { values: [1, 2] }), '2', 2],
    [field('json'), '{"a":1}', { a: 1 }],
    [field('integer', { multiple: true }), ['1', '2'], [1, 2]],
    [field('string', { multiple: true }), [], null],
  ])('in %j as %j is sent as %j', (of, typed, sent) => {
    expect(valueOf(of, typed, key)).toEqual(sent);
  });

  it.each<[Field, unknown, string]>([
    [field('string', { required: true }), '', 'field.required'],
    [field('integer'), '1.5', 'field.not_whole'],
    [field('date'), '1/2/2026', 'field.two_days'],
    [field('string', { max_length: 2 }), 'abc', 'field.too_long'],
    [
      field('integer', { limits: { nullable: true, unique: false, is_primary: false, min_value: 5 } }),
      '4',
      'field.too_small',
    ],
    [field('float'), 'a', 'field.not_number'],
    [field('decimal'), 'a', 'field.not_number'],
    [field('integer'), '9007199254740993', 'field.not_safe'],
    [field('boolean'), 'maybe', 'field.not_boolean'],
    [field('date'), '2026-02-31', 'field.no_day'],
    [field('date'), 'a', 'field.not_date'],
    [field('datetime'), 'a', 'field.not_datetime'],
    [field('time'), '25:00', 'field.not_time'],
    [field('date'), INCOMPLETE, 'field.incomplete'],
    [field('time'), INCOMPLETE, 'field.incomplete'],
    [field('binary'), 'A', 'field.not_base64'],
    [field('binary', { max_length: 1 }), 'AAA=', 'field.too_many_bytes'],
    [field('json', { id: 'metadata' }), '[]', 'field.not_object'],
    [field('binary', { multiple: true }), '"AAA="', 'field.not_list'],
    [field('json'), '{', 'field.not_json'],
  ])('in %j as %j is refused', (of, typed, fault) => {
    expect(() => valueOf(of, typed, key)).toThrow(fault);
  });
});

it.each<[Field, unknown, unknown]>([
  [field('integer'), 5, '5'],
  [field('decimal'), '1.50', '1.50'],
  [field('json'), { a: 1 }, '{\n  "a": 1\n}'],
  [field('string', { multiple: true }), null, []],
  [field('string'), null, ''],
  [field('boolean'), false, 'false'],
  [field('datetime', { multiple: true }), ['2026-01-31T13:45:00.000000Z'], ['2026-01-31T13:45:00.000000Z']],
  [field('datetime'), '0044-03-15T00:00:00.000000Z', '0044-03-15T00:00:00.000000Z'],
  [field('boolean', { multiple: true }), null, ''],
])('a value of %j is typed as %j', (of, value, typed) => {
  expect(inputOf(of, value)).toEqual(typed);
});
