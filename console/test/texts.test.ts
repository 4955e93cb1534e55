/** Every text of the console is used. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { en } from '../src/i18n/en.js';

/** A key in the code, and one with parts that are filled in, such as `model.new_${of}`. */
const KEY = /'(\w+(?:\.\w+)+)'|`(\w+\.[\w.]*(?:\$\{[^`}]*\}[\w.]*)+)`/g;

const files = readdirSync('console/src', { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
const sources = files
  .filter((name) => !name.startsWith('i18n/'))
  .map((name) => readFileSync(`console/src/${name}`, 'utf8'));
const found = sources.flatMap((source) => [...source.matchAll(KEY)]);
const keys = new Set(found.map(([, key]) => key));
const patterns = found.flatMap(([, , key]) => (key ? new RegExp(`^${key.replace(/\$\{.*?\}/g, '\\w+')}$`) : []));

function keysOf(texts: object, path = ''): string[] {
  return Object.entries(texts).flatMap(([name, text]: [string, string | object]) =>
    typeof text === 'object' ? keysOf(text, `${path}${name}.`) : `${path}${name}`,
  );
}

it('every text of the console is used', () => {
  const unused = keysOf(en).filter((key) => !keys.has(key) && !patterns.some((pattern) => pattern.test(key)));
  expect(unused).toEqual([]);
});
