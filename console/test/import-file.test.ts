/** The preview of an import reads records as the service does (docs/import-export.md). */
import { describe, expect, it } from 'vitest';
import { readFile } from '../src/data/transfer/import-file.js';

const rowsOf = async (name: string, text: string) => (await readFile(new File([text], name))).rows;

describe('the preview of a CSV file', () => {
  it.each([
    [
      'two columns',
      'a,b\n"",\n,""\n\n,\n"x""y","1,\n2"\n',
      [
        ['', null],
        [null, ''],
        [null, null],
        ['x"y', '1,\n2'],
      ],
    ],
    ['one column', 'a\r\n""\r\n\r\nx\r\n', [[''], [null], ['x']]],
    ['no end of the last line', 'a,b\n,', [[null, null]]],
  ])('tells the empty text from nothing: %s', async (_, text, expected) => {
    expect(await rowsOf('a.csv', text)).toEqual(expected);
  });
});

describe('the preview of an NDJSON file', () => {
  it('tells the empty text, null and what a record does not have from each other', async () => {
    const text = '{"a":"","__proto__":1}\n{"a":null,"b":"x"}\nnull\n[1]\n{"constructor":{"a":1}}\n';
    const { names, rows } = await readFile(new File([text], 'a.ndjson'));
    expect(names).toEqual(['a', '__proto__', 'b', 'constructor']);
    expect(rows).toEqual([
      ['', '1', undefined, undefined],
      [null, undefined, 'x', undefined],
      [undefined, undefined, undefined, '{"a":1}'],
    ]);
  });
});
