/** The bundle is loaded with its bytecode, but only from the place for which the bytecode was made. */
import { mkdtemp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BundleLoader } from '../../src/bundle-loader.js';
import { atEnd } from '../support/at-end.js';

async function build(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kind-bundle-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'bundle'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'bundle', name), text);
  return folder;
}

const loaderOf = (folder: string) => new BundleLoader(join(folder, 'bundle'), join(folder, '.bytecode'));

it('runs each file once, with packages from outside of the bundle', async () => {
  const folder = await build({
    'a.cjs': `exports.b = require('./b.cjs'); exports.again = require('./b.cjs'); exports.fs = require('node:fs');`,
    'b.cjs': `module.exports = { here: __dirname };`,
  });
  const loader = loaderOf(folder);
  expect([loader.has('a.cjs'), loader.has('c.cjs')]).toEqual([true, false]);
  const loaded = loader.load('a.cjs') as { b: object; again: object; fs: unknown };
  expect(loaded.b).toEqual({ here: join(folder, 'bundle') });
  expect(loaded.again).toBe(loaded.b);
  expect(loaded.fs).toBe(await import('node:fs').then((fs) => fs.default));
});

it('uses the bytecode, except after the build was moved', async () => {
  const folder = await build({ 'a.cjs': 'exports.value = 1;' });
  const first = loaderOf(folder);
  first.load('a.cjs');
  first.writeBytecode();
  // V8 compares only the length of the source, so the value shows which of both runs.
  await writeFile(join(folder, 'bundle', 'a.cjs'), 'exports.value = 2;');
  expect(loaderOf(folder).load('a.cjs')).toEqual({ value: 1 });
  await rename(join(folder, 'bundle'), join(folder, 'moved'));
  expect(new BundleLoader(join(folder, 'moved'), join(folder, '.bytecode')).load('a.cjs')).toEqual({ value: 2 });
});

it('compiles a file whose bytecode V8 rejects', async () => {
  const folder = await build({ 'a.cjs': 'exports.value = 1;' });
  const first = loaderOf(folder);
  first.load('a.cjs');
  first.writeBytecode();
  await writeFile(join(folder, '.bytecode', 'a.cjs'), 'not bytecode');
  expect(loaderOf(folder).load('a.cjs')).toEqual({ value: 1 });
});

it('reports the error of a file each time that it is loaded', async () => {
  const folder = await build({ 'a.cjs': `throw new Error('no such setting');` });
  const loader = loaderOf(folder);
  expect(() => loader.load('a.cjs')).toThrow('no such setting');
  expect(() => loader.load('a.cjs')).toThrow('no such setting');
});
