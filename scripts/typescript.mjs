// Lets Node run TypeScript files directly: `node --import ./scripts/typescript.mjs file.ts`.
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transformFile } from '@swc/core';

/** A build puts these together, and the paths of .swcrc are for a build. */
const [SRC, PACKAGES] = ['../src/', '../packages/'].map((folder) => new URL(folder, import.meta.url).href);

if (isMainThread) register(import.meta.url);

export async function resolve(specifier, context, next) {
  const { parentURL } = context;
  const isOurs = parentURL?.endsWith('.ts') ? /^\.{1,2}\/.*\.js$/ : parentURL === undefined && /^file:.*\.js$/;
  if (isOurs && isOurs.test(specifier)) {
    const { href } = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
    const url = [href, href.replace(SRC, PACKAGES)].find((place) => existsSync(new URL(place)));
    if (url !== undefined) return { url, shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transformFile(fileURLToPath(url), { sourceMaps: 'inline' });
  return { format: 'module', source: code, shortCircuit: true };
}
