/** What is sent for what is typed into a field, and how it is shown there. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../src/api/types.js';
import { valueOf } from '../src/data/typed-value.js';
import { inputOf } from '../src/data/values.js';
import type { Text } from '../src/i18n/text.js';

const key: Text = (name) => name;
const field = (type: Field['type'], more: Partial<Field> = {}): Field => ({
  default: null,
  helper_text: null,
  required: false,
  multiple: false,
  min_length: null,
  max_length: null,
  values: null,
  id: 'a',
  label: 'A',
  type,
  ...more,
});

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
])('a value of %j is typed as %j', (of, value, typed) => {
  expect(inputOf(of, value)).toEqual(typed);
});
