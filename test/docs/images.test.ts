/** Each picture that a page shows is there, each one that is there is shown, and together they are small. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const IMAGES = join(ROOT, 'docs/images');
const MOST_BYTES = 1_000_000;
const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);

/** The paths of the pictures of a page, from the root. */
function imagesOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const found = [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)];
  for (const [all, description] of found) expect(description, `${page}: ${all} has no description`).not.toBe('');
  return found.map(([, , path = '']) => relative(ROOT, join(ROOT, dirname(page), path)));
}

test('pictures of the docs', () => {
  const shown = new Set(pages.flatMap(imagesOf));
  expect([...shown].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const there = readdirSync(IMAGES).map((name) => `docs/images/${name}`);
  expect(there.length).toBeGreaterThan(4);
  expect(there.filter((path) => !shown.has(path))).toEqual([]);
  const bytes = there.reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);
});
