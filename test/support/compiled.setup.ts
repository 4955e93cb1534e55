/** Compiles `src/` for the test run if a source is newer than its output. */
import { join } from 'node:path';
import { COMPILED } from './compiled.js';

const { build, isFresh } = (await import(join(import.meta.dirname, '../../scripts/build.mjs'))) as {
  build: (folder: string) => Promise<void>;
  isFresh: (folder: string) => boolean;
};

export async function setup(): Promise<void> {
  if (!isFresh(COMPILED)) await build(COMPILED);
}
