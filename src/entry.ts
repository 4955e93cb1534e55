/**
 * Runs an entry: from the bundle if the build has one. `scripts/bundle.mjs` combines the compiled modules and their
 * packages in few files. A build of `nest build` has none.
 */
import './node-settings.js';
// Before the bundle, whose files are evaluated in another order than their imports are written.
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/** The entries of the bundle, and their modules outside of it. */
const ENTRIES = {
  serve: './serve.js',
  'command-line': './cli/command-line.js',
} as const;

export async function runEntry(entry: keyof typeof ENTRIES): Promise<void> {
  keepCompiledCode();
  const file = pathOf(`./bundle/${entry}.cjs`);
  if (existsSync(file)) module.createRequire(file)(file);
  else await import(new URL(ENTRIES[entry], import.meta.url).href);
}

/**
 * Since version 22.1, Node can keep what V8 compiles for the next start. The folder belongs to the build, so that no other
 * user can write to it. If it is not writable, Node goes on without it.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  enableCompileCache?.(pathOf('./.compile-cache'));
}

function pathOf(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
