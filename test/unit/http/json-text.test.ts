/** Numbers of a body are what was written, or told apart. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/http/json-text.js';
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
    for (const text of ['', '{', '[12345678901234567890', '{"a":012345678901234567890}', '"12345678901234567890']) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
  });

  it('of any value of JavaScript is that value', () => {
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
