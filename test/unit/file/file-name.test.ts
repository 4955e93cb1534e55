import { describe, expect, it, test } from 'vitest';
import { fileName } from '../../../src/file/content/file-name.js';

const refused = (fields: object) => expect.objectContaining(fields) as Error;
const faultOf = (parameter: string, code: string) =>
  refused({ code, messages: [expect.objectContaining({ parameter, text: expect.stringMatching(`^${parameter}: `) })] });

describe('the name of a file', () => {
  test.each([
    ['a.jpg', 'a.jpg'],
    ['C:\\fakepath\\a.jpg', 'a.jpg'],
    ['../../etc/passwd', 'passwd'],
    ['a\\b/c d.txt', 'c d.txt'],
    ['.htaccess', '.htaccess'],
    ['...', '...'],
    ['a\0b\r\nc\u007f\u0085\u2028.txt', 'abc.txt'],
    ['invoice\u202egpj.exe', 'invoicegpj.exe'],
    ['e\u0301', '\u00e9'],
    ['שלום\u200f.txt', 'שלום\u200f.txt'],
    ['😀'.repeat(255), '😀'.repeat(255)],
    [`${'a/'.repeat(300)}b`, 'b'],
    ['e\u0301'.repeat(255), '\u00e9'.repeat(255)],
  ])('%j is stored as %j', (given, stored) => expect(fileName(given)).toBe(stored));

  it.each(['', ' ', '.', '..', 'a/', 'a\\..', '\0', '\u202e.', 'a\ud800'])('is not %j', (given) =>
    expect(() => fileName(given)).toThrow(faultOf('name', 'parameter.bad_value')),
  );

  it('is not longer than 255 characters', () =>
    expect(() => fileName('😀'.repeat(256))).toThrow(faultOf('name', 'parameter.too_long')));
});
