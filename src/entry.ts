/**
 * Finds the code to run. `scripts/bundle.mjs` combines the compiled modules and their packages in few files, which load
 * in a third of the time. A build of `nest build` alone has no bundle.
 */
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

/** The address of an entry, for `import`. */
export function pathOf(entry: keyof typeof ENTRIES): string {
  const bundled = new URL(`./bundle/${entry}.js`, import.meta.url);
  return existsSync(bundled) ? bundled.href : new URL(ENTRIES[entry], import.meta.url).href;
}

/**
 * Since version 22.1, Node can keep what V8 compiles for the next start. The folder belongs to the build, so that no
 * other user can write to it. If it is not writable, Node goes on without it.
 */
export function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  enableCompileCache?.(fileURLToPath(new URL('./.compile-cache', import.meta.url)));
}
