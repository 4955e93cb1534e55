/** Every link of README.md, CONTRIBUTING.md, CHANGELOG.md and docs/ leads to a file that is there, and to a heading in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { anchors, linkTargets } from './markdown.js';

const root = join(import.meta.dirname, '../..');
const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name)),
];

function faults(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return linkTargets(text).flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
    if (relative(root, file).startsWith('..') || !existsSync(file)) return [`${target}: no such file`];
    if (anchor === undefined) return [];
    return anchors(readFileSync(file, 'utf8')).has(anchor) ? [] : [`${target}: no such heading`];
  });
}

test('there are pages', () => expect(pages).toEqual(expect.arrayContaining(['README.md', join('docs', 'model.md')])));

test.each(pages)('%s', (page) => expect(faults(page)).toEqual([]));

test('README.md links to every page of docs/, directly or indirectly', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const target of linkTargets(text)) {
      const file = relative(root, resolve(root, dirname(page), target.split('#')[0] ?? ''));
      if (pages.includes(file)) reached.add(file);
      const index = join(file, 'README.md');
      if (pages.includes(index)) reached.add(index);
    }
  }
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});
