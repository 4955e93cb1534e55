/** docs/architecture.md names files and folders that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/architecture.md', root), 'utf8');

test('the paths on the page exist below src/, those of tests, packages and the console below the root', () => {
  const text = page.replaceAll(/^```[^]*?^```$/gm, '');
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const paths = spans.filter((span) => /^[\w-][\w./-]*(\.ts|\/)$/.test(span));
  expect(paths.length).toBeGreaterThan(80);
  const folderOf = (path: string) => new URL(/^(test|packages|console\/(src|test))\//.test(path) ? '' : 'src/', root);
  expect(paths.filter((path) => path !== 'src/' && !existsSync(new URL(path, folderOf(path))))).toEqual([]);
});
