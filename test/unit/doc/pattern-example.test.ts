/** Examples of patterns match them, or there is none. */
import { RE2JS } from 're2js';
import { expect, it } from 'vitest';
import { matchingText } from '../../../src/doc/openapi/example/pattern.example.js';

it.each<[pattern: string, expected: string | undefined]>([
  ['^[A-Z]{2}[0-9]{4}$', 'AA0000'],
  ['^\\d{13}$', '0000000000000'],
  ['^[a-z][a-z0-9-]*$', 'aa'],
  ['^(red|green|blue)$', 'red'],
  ['^(?:\\+\\d{1,3} )?\\d+$', '+0 0'],
  ['(?i)^abc$', 'abc'],
  ['^(?P<year>\\d{4})-(?P<month>\\d\\d)$', '0000-00'],
  ['^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$', 'a@a.aa'],
  ['^[[:upper:]][[:lower:]]+$', 'Aa'],
  ['^\\p{Lu}\\p{Ll}+$', 'Aa'],
  ['^\\Qa.b\\E$', 'a.b'],
  ['\\bword\\b', 'word'],
  ['^#[0-9A-Fa-f]{6}$', '#aaaaaa'],
  ['^[à-ü]+$', 'à'],
  ['^[]x]$', 'x'],
  ['x*', 'x'],
  ['', ''],
  ['^a\\x41$', undefined],
  ['^$a', undefined],
  [`^${'a'.repeat(101)}$`, undefined],
])('of %s is %s', (pattern, expected) => {
  const text = matchingText(pattern);
  expect(text).toBe(expected);
  if (text !== undefined) expect(RE2JS.compile(pattern).matcher(text).find()).toBe(true);
});

it('differs for another number', () => {
  const texts = Array.from({ length: 50 }, (_, variant) => matchingText('^[A-Z]{2}$', { variant }));
  expect(new Set(texts).size).toBe(50);
});

it('has the required length', () => {
  expect(matchingText('^[a-z]+$', { minLength: 10 })).toBe('a'.repeat(13));
  expect(matchingText('^[a-z]+$', { maxLength: 1 })).toBe('a');
  expect(matchingText('^[a-z]{5}$', { maxLength: 4 })).toBeUndefined();
});
