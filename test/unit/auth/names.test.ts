import { expect, it } from 'vitest';
import { foldName } from '../../../src/auth/names.js';

it('a name is folded once: its cases and normal forms are all one name', () => {
  const odd: string[] = [];
  for (let code = 0; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const name = String.fromCodePoint(code);
    const forms = [name.toUpperCase(), name.toLowerCase(), name.normalize('NFD'), name.normalize('NFKD')];
    if (forms.every((form) => form === name)) continue;
    const folded = foldName(name);
    if ([folded, ...forms].some((form) => foldName(form) !== folded)) odd.push(name);
  }
  expect(odd).toEqual([]);
});

it.each([
  ['STRASSE', 'straße', 'STRAẞE'],
  ['ADMIN', 'admin', 'admın'],
  ['ﬁn', 'FIN', 'fin', 'ＦＩＮ'],
  ['ΟΔΟΣ', 'οδος', 'οδοσ'],
])('%s is %s', (...names) => {
  expect(new Set(names.map(foldName)).size).toBe(1);
});

it('letters that only look alike are others', () => {
  const names = ['admin', 'аdmin', 'admin.', 'admin\u200b', 'İstanbul', 'istanbul', 'e\u0301', 'e'];
  expect(new Set(names.map(foldName)).size).toBe(names.length);
});
