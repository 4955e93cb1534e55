/** Every test that SECURITY.md names exists in that file, and every class of attacks has a test or is listed as open. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tableRows } from './markdown.js';

const root = join(import.meta.dirname, '../..');
const [, held = '', open = ''] =
  /## Attacks and the tests that hold them\n([^]*)## What is open\n([^]*)/.exec(
    readFileSync(join(root, 'SECURITY.md'), 'utf8'),
  ) ?? [];
const rows = tableRows(held).map(([attack = '', name = '', file = '']) => ({ attack, name, file: file.slice(1, -1) }));
const classOf = (attack: string) => Number(/^(\d+)\. /.exec(attack)?.[1]);

describe('SECURITY.md', () => {
  test.each(rows)('names an existing test: $name', ({ name, file }) => {
    expect(existsSync(join(root, file)), file).toBe(true);
    const text = readFileSync(join(root, file), 'utf8').replace(/[([]\s*/g, '(');
    const titles = [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`, `\`${name}\``];
    expect(titles.some((title) => text.includes(`(${title},`) || text.includes(`name: ${title},`))).toBe(true);
  });

  test('covers every class', () => {
    const attacks = [...rows.map(({ attack }) => attack), ...tableRows(open).map(([attack = '']) => attack)];
    const classes = new Set(attacks.filter((attack) => attack !== '').map(classOf));
    expect([...classes].sort((a, b) => a - b)).toEqual(Array.from({ length: 45 }, (_, at) => at + 1));
  });

  test('names each class consistently', () => {
    const names = new Map(rows.filter(({ attack }) => attack !== '').map(({ attack }) => [classOf(attack), attack]));
    const told = tableRows(open).map(([attack = '']) => attack);
    expect(told.filter((attack) => (names.get(classOf(attack)) ?? attack) !== attack)).toEqual([]);
  });
});
