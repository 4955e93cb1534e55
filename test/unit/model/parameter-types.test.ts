import { describe, expect, it } from 'vitest';
import type { ValueRules } from '../../../src/model/parameter-setting/parameter-settings.js';
import { jsonType } from '../../../src/model/parameter-type/json.type.js';
import { isParameterTypeId, PARAMETER_TYPES, parameterType } from '../../../src/model/parameter-type/type-by-id.js';
import { codePoints } from '../../../src/model/parameter-type/text-rules.js';
import { uuidType } from '../../../src/model/parameter-type/unit.type.js';
import { compareDecimals } from '../../../src/model/parameter-type/decimal.type.js';
import { brief, EDGES, shownOf, TYPES } from '../../support/values.js';

/** The codes that a type reports for a value, or what it would store. */
function judge(type: string, value: unknown, rules: ValueRules = {}): unknown {
  const codes: string[] = [];
  const stored = parameterType(type as 'string').accept(value, rules, (code) => codes.push(code));
  if (codes.length > 0) expect(stored).toBeUndefined();
  return codes.length > 0 ? codes : stored;
}

describe.each(TYPES)('%s', (id) => {
  const type = parameterType(id);
  it.each(EDGES[id].accepted.map((each) => [brief(each[0]), each] as const))('accepts %s', (_, each) => {
    const stored = type.accept(JSON.parse(each[0]), {}, (code, text) => expect.unreachable(`${code} ${text}`));
    expect(stored).not.toBeUndefined();
    // What is kept as a default is what a record shows.
    const canonical = type.canonical ? type.canonical(JSON.parse(each[0])) : JSON.parse(each[0]);
    expect(canonical).toEqual(JSON.parse(JSON.stringify(shownOf(each))) === 0 ? expect.closeTo(0, 300) : shownOf(each));
  });

  it.each(EDGES[id].refused.map(([given, code]) => [brief(given), given, code] as const))(
    'refuses %s',
    (_, given, code) => {
      expect(judge(id, JSON.parse(given))).toEqual([code]);
    },
  );

  it('is complete in the registry', () => {
    expect(isParameterTypeId(id)).toBe(true);
    expect(PARAMETER_TYPES.get(id)).toBe(type);
    expect(type).toMatchObject({ id, label: expect.stringMatching(/\w/), expects: expect.stringMatching(/\w/) });
  });
});

describe('what is stored', () => {
  it.each<[string, unknown, unknown]>([
    ['integer', -0, 0],
    ['float', -0, 0],
    ['decimal', '1.50', '1.5'],
    ['decimal', 1e21, '1000000000000000000000'],
    ['decimal', 1e-7, '0.0000001'],
    ['decimal', -0, '0'],
    ['binary', 'AAEC', '\\x000102'],
    ['binary', '', '\\x'],
    ['datetime', '2024-01-31T09:30:00+0100', '2024-01-31T09:30:00+01:00'],
    ['datetime', '2024-01-31T09:30Z', '2024-01-31T09:30:00Z'],
    ['datetime', '2024-01-31t09:30:00.5z', '2024-01-31T09:30:00.5Z'],
    ['datetime', '2024-01-31T09:30:00,25+01', '2024-01-31T09:30:00.25+01:00'],
    ['datetime', '2024-01-31T09:30:00-0530', '2024-01-31T09:30:00-05:30'],
    ['datetime', '20240131T093000Z', '2024-01-31T09:30:00Z'],
    ['datetime', '20240131T0930+0100', '2024-01-31T09:30:00+01:00'],
    ['datetime', '20240131T093000.123456-03', '2024-01-31T09:30:00.123456-03:00'],
  ])('%s %j as %j', (type, value, stored) => {
    expect(Object.is(judge(type, value), stored)).toBe(true);
  });
});

it('a binary of eleven megabytes is read, and rejected with an invalid character', () => {
  const text = Buffer.alloc(11_000_001, 7).toString('base64');
  const accepted = (value: string) => parameterType('binary').accept(value, { maxLength: 2 ** 24 }, () => undefined);
  expect(accepted(text)).toHaveLength(2 + 2 * 11_000_001);
  for (const bad of [`${text}=`, text.replace('B', '!'), text.slice(1), `${text.slice(0, -1)}\n`]) {
    expect(accepted(bad)).toBeUndefined();
  }
});

describe('rules', () => {
  it.each<[string, unknown, ValueRules, unknown]>([
    // Code points, not UTF-16 units nor bytes.
    ['string', '😀😀', { maxLength: 2 }, '😀😀'],
    ['string', '😀😀', { maxLength: 1 }, ['parameter.too_long']],
    ['string', '😀', { minLength: 2 }, ['parameter.too_short']],
    ['string', 'é', { maxLength: 1 }, 'é'],
    ['string', 'e\u0301', { maxLength: 1 }, ['parameter.too_long']],
    ['string', '', { minLength: 1 }, ['parameter.too_short']],
    ['string', '', { minLength: 0, maxLength: 0 }, ''],
    // White space goes before anything is checked.
    ['string', ' a ', { strip: true, maxLength: 1 }, 'a'],
    ['string', ' \t\n\u00a0\u2003\ufeffa', { strip: true }, 'a'],
    ['string', '   ', { strip: true, minLength: 1 }, ['parameter.too_short']],
    ['string', ' a', { strip: true, values: ['a'] }, 'a'],
    ['string', ' a', { values: ['a'] }, ['parameter.not_allowed']],
    ['string', 'a ', { strip: true }, 'a'],
    ['string', 'A', { values: ['a'] }, ['parameter.not_allowed']],
    ['string', 'constructor', { values: ['a'] }, ['parameter.not_allowed']],
    ['text', 'abc', { maxLength: 2 }, ['parameter.too_long']],
    ['text', ' a ', { strip: true }, 'a'],
    ['integer', 5, { minValue: 5, maxValue: 5 }, 5],
    ['integer', 4, { minValue: 5 }, ['parameter.too_small']],
    ['integer', 6, { maxValue: 5 }, ['parameter.too_large']],
    ['integer', 3, { values: [1, 2] }, ['parameter.not_allowed']],
    ['integer', -0, { values: [0] }, 0],
    ['float', 0.1, { minValue: 0.1, maxValue: 0.1 }, 0.1],
    ['float', 1e-320, { minValue: 1e-319 }, ['parameter.too_small']],
    ['float', 1e308, { maxValue: 1e307 }, ['parameter.too_large']],
    ['decimal', '1.25', { scale: 1 }, ['parameter.bad_value']],
    ['decimal', '1.50', { scale: 1 }, '1.5'],
    ['decimal', '1', { scale: 0 }, '1'],
    ['decimal', 1.25, { scale: 1 }, ['parameter.bad_value']],
    ['decimal', '10', { maxValue: '9.5' }, ['parameter.too_large']],
    ['decimal', '9.50', { maxValue: '9.5' }, '9.5'],
    ['decimal', '-10', { minValue: '-9' }, ['parameter.too_small']],
    ['decimal', '1', { minValue: 1e21 }, ['parameter.too_small']],
    ['decimal', '1', { maxValue: 3.5e-323 }, ['parameter.too_large']],
    ['decimal', '1', { minValue: 1e-7, maxValue: 1e21 }, '1'],
    ['decimal', '0.30000000000000000000000000001', { maxValue: '0.3' }, ['parameter.too_large']],
    ['binary', 'AAEC', { maxLength: 3 }, '\\x000102'],
    ['binary', 'AAEC', { maxLength: 2 }, ['parameter.too_long']],
    ['binary', 'AA==', { maxLength: 0 }, ['parameter.too_long']],
  ])('%s %j by %j', (type, value, rules, expected) => {
    expect(judge(type, value, rules)).toEqual(expected);
  });
});

describe('the text of a filter or a path', () => {
  it.each<[string, string, unknown]>([
    ['string', ' as it is ', ' as it is '],
    ['string', '', ''],
    ['text', '12', '12'],
    ['integer', '12', 12],
    ['integer', '-12', -12],
    ['integer', '007', 7],
    ['integer', '9007199254740991', 9007199254740991],
    ['integer', '9007199254740992', undefined],
    ['integer', '1.0', undefined],
    ['integer', '1e3', undefined],
    ['integer', '', undefined],
    ['integer', ' 1', undefined],
    ['integer', '0x10', undefined],
    ['integer', '1\n', undefined],
    ['float', '1.5', 1.5],
    ['float', '-1e3', -1000],
    ['float', '1E+3', 1000],
    ['float', '1e400', undefined],
    ['float', 'NaN', undefined],
    ['float', 'Infinity', undefined],
    ['float', '.5', undefined],
    ['decimal', '1.50', '1.5'],
    ['decimal', '1e3', undefined],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['boolean', 'TRUE', undefined],
    ['boolean', '1', undefined],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '29-02-2024', '2024-02-29'],
    ['date', '01-02-2024', '2024-02-01'],
    ['date', '29-02-2023', undefined],
    ['date', '2024/02/29', undefined],
    ['time', '09:30:00', '09:30:00'],
    ['time', '09:30', '09:30:00'],
    ['time', '24:00', undefined],
    ['datetime', '2024-01-31T09:30:00Z', '2024-01-31T09:30:00Z'],
    ['datetime', '2024-01-31', '2024-01-31T00:00:00Z'],
    ['datetime', '31-01-2024', '2024-01-31T00:00:00Z'],
    ['datetime', '2024-01-31T09:30:00', undefined],
    ['datetime', '2024-01-31T093000Z', undefined],
    ['datetime', '20240131T09:30:00Z', undefined],
    ['datetime', '2024-01-31 09:30:00Z', undefined],
    ['datetime', '20240132T093000Z', undefined],
    ['datetime', '2024-01-31T09:30:00+16', undefined],
    ['binary', 'AAEC', '\\x000102'],
    ['binary', 'AAE', undefined],
    ['json', '{"a":1}', '{"a":1}'],
    ['unit', 'any text', 'any text'],
  ])('%s reads %j as %j', (type, text, stored) => {
    expect(parameterType(type as 'string').read(text)).toEqual(stored);
  });

  it.each<[string, unknown]>([
    ['0198C0DE-0000-7000-8000-00000000000A', '0198c0de-0000-7000-8000-00000000000a'],
    ['0198c0de00007000800000000000000a', undefined],
    ['{0198c0de-0000-7000-8000-00000000000a}', undefined],
    ['x', undefined],
  ])('a generated id reads %j as %j', (text, stored) => {
    expect(uuidType.read(text)).toBe(stored);
  });

  it.each<[string, unknown]>([
    ['{"a":[1]}', { a: [1] }],
    ['[]', []],
    ['{"a":1', undefined],
    ['"text"', undefined],
    ['1', undefined],
    ['["\\u0000"]', undefined],
  ])('a structure of JSON reads %j as %j', (text, value) => {
    expect(jsonType.readStructure?.(text)).toEqual(value);
  });
});

describe('constraints on what is stored', () => {
  it.each<[string, ValueRules, readonly object[]]>([
    ['string', {}, []],
    ['string', { minLength: 0 }, []],
    [
      'string',
      { minLength: 1, maxLength: 0, values: ['a'], pattern: 'x', strip: true },
      [
        { type: 'min_length', limit: 1 },
        { type: 'max_length', limit: 0 },
        { type: 'values', values: ['a'] },
        { type: 'pattern', pattern: 'x' },
      ],
    ],
    [
      'integer',
      { minValue: 0, maxValue: 0, values: [0] },
      [
        { type: 'min_value', limit: 0 },
        { type: 'max_value', limit: 0 },
        { type: 'values', values: [0] },
      ],
    ],
    [
      'decimal',
      { scale: 0, minValue: '1' },
      [
        { type: 'scale', limit: 0 },
        { type: 'min_value', limit: '1' },
      ],
    ],
    ['binary', {}, [{ type: 'max_bytes', limit: 1024 * 1024 }]],
    ['binary', { maxLength: 0 }, [{ type: 'max_bytes', limit: 0 }]],
  ])('of %s with %j', (type, rules, constraints) => {
    expect(parameterType(type as 'string').constraints?.(rules)).toEqual(constraints);
  });

  it('do not exist for types without constraints', () => {
    for (const type of ['boolean', 'date', 'time', 'datetime', 'json', 'unit'] as const)
      expect(parameterType(type)).not.toHaveProperty('constraints');
  });
});

describe('helpers', () => {
  it.each<[string, string, number]>([
    ['1', '1.0', 0],
    ['-1', '1', -1],
    ['10', '9.99', 1],
    ['-10', '-9.99', -1],
    ['0.1', '0.09', 1],
    ['9007199254740993', '9007199254740992', 1],
    ['-0.5', '0', -1],
  ])('compares %s with %s', (a, b, sign) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(sign);
    expect(Math.sign(compareDecimals(b, a))).toBe(-sign + 0);
  });

  it.each<[string, number]>([
    ['', 0],
    ['abc', 3],
    ['😀', 1],
    ['👩‍👩‍👧', 5],
    ['e\u0301', 2],
  ])('counts %j', (text, count) => {
    expect(codePoints(text)).toBe(count);
    expect(codePoints(text)).toBe([...text].length);
  });

  it('JSON is walked without recursion', () => {
    let deep: unknown = [];
    for (let at = 0; at < 200_000; at++) deep = [deep];
    expect(jsonType.accept(deep, {}, () => undefined)).toBeUndefined();
  });
});
