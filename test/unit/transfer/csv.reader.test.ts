/** CSV as of RFC 4180, cut into parts at every place. */
import { describe, expect, it } from 'vitest';
import { CsvReader, type Cell } from '../../../src/transfer/file/csv.reader.js';
import type { FileRecord } from '../../../src/transfer/file/file-record.js';
import { LIMITS } from '../../../src/shared/limits.js';

const plain = (names: readonly Cell[]) => names.map((name) => ({ id: name ?? '', read: (text: string) => text }));

function read(parts: readonly string[]): FileRecord[] {
  const reader = new CsvReader(plain);
  const found: FileRecord[] = [];
  for (const [at, part] of parts.entries()) reader.read(part, at === parts.length - 1, found);
  return found;
}

const rows = (records: readonly FileRecord[]) =>
  records.map(({ line, body, faults }) => [line, Object.fromEntries(body), ...faults.map(({ code }) => code)]);

const FILE = 'a,b\r\n1,2\r\n,""\n"x,""y""\r\nz",3\n\n"",\r\n4,5';
const ROWS = [
  [2, { a: '1', b: '2' }],
  [3, { a: null, b: '' }],
  [4, { a: 'x,"y"\r\nz', b: '3' }],
  [7, { a: '', b: null }],
  [8, { a: '4', b: '5' }],
];

describe('a file', () => {
  it('is read with quotes, both line ends, nothing and the empty text', () => {
    expect(rows(read([FILE]))).toEqual(ROWS);
    expect(rows(read([`${FILE}\r\n`]))).toEqual(ROWS);
  });

  it('is the same wherever its parts begin', () => {
    for (let a = 0; a <= FILE.length; a++) {
      for (let b = a; b <= FILE.length; b += 3) {
        expect(rows(read([FILE.slice(0, a), FILE.slice(a, b), FILE.slice(b)])), `${a} ${b}`).toEqual(ROWS);
      }
    }
  });

  it('counts its records, and says which have too many values or too few', () => {
    const found = read(['a,b\n1\n1,2\n1,2,3\n']);
    expect(found.map(({ record, faults }) => [record, faults.map(({ text }) => text)])).toEqual([
      [1, ['the record has 1 values, and the header row 2']],
      [2, []],
      [3, ['the record has 3 values, and the header row 2']],
    ]);
  });

  it('of one column has a record for every empty line', () => {
    expect(rows(read(['a\n\n""\nx\n']))).toEqual([
      [2, { a: null }],
      [3, { a: '' }],
      [4, { a: 'x' }],
    ]);
  });
});

describe('is refused with its line', () => {
  it.each([
    ['a quote that never ends', 'a\n1\n"x\ny\n', 'line 3: a quote is opened and never closed'],
    ['text after a quote', 'a,b\n"x"y,1\n', 'line 2: after a closing quote comes a comma or the end of the line'],
    ['a quote inside a value', 'a\n1\n5" disk\n', 'line 3: a value with a quote in it has to be in quotes'],
    ['nothing at all', '', 'line 1: the file is empty: its first line names the columns'],
  ])('%s', (_, file, text) => {
    expect(() => read([file])).toThrow(text);
    expect(() => read([...file, ''])).toThrow(text);
  });

  it('a record that is too long, as soon as it is', () => {
    const reader = new CsvReader(plain);
    reader.read('a\n1\n"', false, []);
    const part = 'x'.repeat(64 * 1024);
    expect(() => {
      for (let at = 0; at <= LIMITS.importedRecord / part.length; at++) reader.read(part, false, []);
    }).toThrow('line 3: a record has at most');
  });
});
