/** RESULTS.md: each kind of run replaces its own section. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'RESULTS.md');

/** @param {string} name @param {string} text */
export async function writeSection(name, text) {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const section = `${begin}\n\n${text.trim()}\n\n${end}\n`;
  const known = await readFile(FILE, 'utf8');
  const [from, to] = [known.indexOf(begin), known.indexOf(end)];
  const before = from < 0 ? `${known.trimEnd()}\n\n` : known.slice(0, from);
  const after = from < 0 ? '' : known.slice(to + end.length).trimStart();
  await writeFile(FILE, `${before}${section}${after === '' ? '' : `\n${after}`}`);
}
