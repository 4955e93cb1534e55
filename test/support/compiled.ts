/**
 * `src/` and `packages/` compiled as `npm start` compiles them. Tests import them from there, and processes that tests
 * start run them: Node loads them in a fraction of the time that Vite's loader or a compilation at the start of each
 * process takes.
 */
import { dirname, join, relative, resolve } from 'node:path';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '../..');
/** Beside src/, as dist/ is: modules find package.json and src/ from there. */
export const COMPILED = join(ROOT, '.compiled');

/** The compiled module of a source, such as `main.js`. */
export function compiled(path: string): string {
  return join(COMPILED, path);
}

/**
 * Imports of `src/` and `packages/` go to the compiled modules. Not in watch mode, which has to see which test imports
 * which source.
 */
export function compiledSources(): Plugin {
  let watches = false;
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    configureVitest: ({ vitest }) => void (watches = vitest.config.watch),
    resolveId(source, importer) {
      if (watches || importer === undefined || !/^\.{1,2}\//.test(source)) return undefined;
      const [, path] = /^(?:src|packages)\/(.+)/.exec(relative(ROOT, resolve(dirname(importer), source))) ?? [];
      return path === undefined ? undefined : { id: compiled(path), external: true };
    },
  };
}
