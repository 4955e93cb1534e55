import { expect, it } from 'vitest';
import { foldName, isVisibleName } from '../../../src/shared/member-names.js';

it('a name is folded once: its cases and normal forms are all one name', () => {
  const odd: string[] = [];
  for (let code = 0; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const name = String.fromCodePoint(code);
    const folded = foldName(name);
    const forms = [folded, name.toUpperCase(), name.toLowerCase(), name.normalize('NFD'), name.normalize('NFKD')];
    // Most forms are the name itself.
    if (forms.some((form) => form !== name && foldName(form) !== folded)) odd.push(name);
  }
  expect(odd).toEqual([]);
});

it.each([
  ['STRASSE', 'straße', 'STRAẞE'],
  ['ADMIN', 'admin', 'admın'],
  ['ﬁn', 'FIN', 'fin', 'ＦＩＮ'],
  ['ΟΔΟΣ', 'οδος', 'οδοσ'],
  ['admin', 'admin\u200d', 'ad\u200cmin', '\ufe0fadmin\ufe0e', '\u200d admin', 'admin \u200c'],
  ['e\u200d\u0301', '\u00e9', 'É'],
  ['❤️', '❤', '❤\ufe0e'],
  ['a@example.com', 'a@example.com.', 'A@EXAMPLE.COM．', 'a@example.com。', 'a＠example.com..', 'a@example\ufe0f.com'],
])('%s is %s', (...names) => {
  expect(new Set(names.map(foldName)).size).toBe(1);
});

it('letters that only look alike stay different', () => {
  const names = [
    'admin',
    'аdmin',
    'admin.',
    'ad min',
    'admin\u200b',
    'İstanbul',
    'istanbul',
    'e\u0301',
    'e',
    'a@b.c',
    'a.@bc',
  ];
  expect(new Set(names.map(foldName)).size).toBe(names.length);
});

it('a name of joiners only is invalid', () => {
  for (const name of ['\u200d', '\ufe0f\u200c', '\u200d \u200d']) expect(isVisibleName(name)).toBe(false);
  for (const name of ['❤️', 'علی‌رضا', '.', '@']) expect(isVisibleName(name)).toBe(true);
});
