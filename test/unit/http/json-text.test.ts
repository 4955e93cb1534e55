/** Numbers in bodies keep their digits, or are marked as inexact. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/http/body/json-text.js';
import { InexactNumber } from '../../../src/shared/json.js';

describe('JSON text', () => {
  it.each([
    '0',
    '-0',
    '12.50',
    '1e3',
    '1e21',
    '123456789012345',
    '9007199254740991',
    '9007199254740992',
    '0.1',
    '0.1000000000000000000000',
    '1000000000000000000000',
    '1.7976931348623157e308',
    '5e-324',
    '2.2250738585072014e-308',
    '3.141592653589793',
    '1e-300',
    '"12345678901234567890"',
    '"a\\"12345678901234567890"',
    '"\\\\",',
  ])('%s is as it was', (text) => {
    const whole = `{"a":[${text.replace(/,$/, '')}],"12345678901234567890":"1e-400"}`;
    expect(parseJson(whole)).toEqual(JSON.parse(whole));
  });

  it.each([
    '9007199254740993',
    '12345678901234567890',
    '9007199254740991.4',
    '0.99999999999999999999',
    '1.00000000000000000001',
    '0.30000000000000001',
    '-0.1000000000000000055511151231257827',
    '1e-400',
    '-4e-324',
    '123456789012345678e-3',
  ])('%s is told apart', (number) => {
    const text = `{"a": ["\\"${number}\\\\", ${number}, {"b":${number}}], "__proto__": ${number}}`;
    const inexact = expect.objectContaining({ text: number }) as InexactNumber;
    const value = parseJson(text) as Record<string, unknown>;
    expect(value['a']).toEqual([`"${number}\\`, inexact, { b: inexact }]);
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toBeInstanceOf(InexactNumber);
  });

  it('is refused as JSON.parse refuses it', () => {
    const long = '12345678901234567890';
    for (const text of [
      '',
      '{',
      `[${long}`,
      `{"a":0${long}}`,
      `"${long}`,
      `"a\\", ${long}`,
      `{${long}:1}`,
      `[true${long}]`,
      `[${long}x]`,
      `[${long}.]`,
      `[+${long}]`,
      `[-0${long}]`,
      `[.${long}]`,
      `[${long}e]`,
      `[1 ${long}]`,
      `[${long}"a"]`,
    ]) {
      const known = (() => {
        try {
          return JSON.parse(text) as unknown;
        } catch (error) {
          return error;
        }
      })();
      expect(known).toBeInstanceOf(SyntaxError);
      expect(() => parseJson(text)).toThrow((known as SyntaxError).message);
    }
  });

  it('of any depth is read', () => {
    const deep = 100_000;
    let value = parseJson(`${'['.repeat(deep)}12345678901234567890${']'.repeat(deep)}`);
    for (let level = 0; level < deep; level += 1) [value] = value as unknown[];
    expect(value).toMatchObject({ text: '12345678901234567890' });
  });

  it.each([
    ['one number with zeros inside', `1${'0'.repeat(1_000_000)}1`],
    ['one number with zeros behind', `1.${'1'.repeat(20)}${'0'.repeat(1_000_000)}1`],
    ['one number with zeros in front', `${'0.'}${'0'.repeat(1_000_000)}1`],
    ['an exponent with zeros', `1e-${'0'.repeat(1_000_000)}400`],
    ['digits without an end', `${'1'.repeat(1_000_000)}x`],
    ['digits and points', `[${'1.1'.repeat(300_000)}]`],
    ['digits and exponents', `[${'1e-100'.repeat(200_000)}]`],
    ['digits in texts', `[${'"1234567890123456",'.repeat(60_000)}1]`],
    ['a text of backslashes', `[12345678901234567890,"${'\\\\'.repeat(500_000)}"]`],
    ['quotes that nothing ends', `[12345678901234567890,${'"\\"'.repeat(500_000)}`],
    ['many that are told apart', `[${'1234567890123456789,'.repeat(50_000)}1]`],
  ])('is read in time that grows no faster than it: %s', (_, text) => {
    try {
      parseJson(text);
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
    }
  });

  it('of any JavaScript value is parsed to that value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), (number, key) => {
        const text = JSON.stringify({ [key]: number, more: [12345678901234567890n.toString(), number] });
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});
