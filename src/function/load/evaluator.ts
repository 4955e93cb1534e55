/**
 * Evaluates the files of modules: TypeScript as it is, without a build, by `jiti`, which keeps the lines where they are.
 * `kind` is this very kit, whatever folder they stand in.
 */
import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { createJiti as CreateJiti, Jiti, ModuleCache, TransformOptions, TransformResult } from 'jiti';
import * as kit from '../../kit/kit.js';
import { freezeBuiltIns } from '../sandbox/frozen-builtins.js';

/** What a file exports. */
export type Exported = Readonly<Record<string, unknown>>;

/**
 * Imports the modules of one load. A file is evaluated once, for all that import it then or, in a handler, later: also
 * then as it was when the load began, whatever has become of it. (JSON, and JavaScript that Node loads itself, is not.)
 */
export interface Generation {
  /** @param milliseconds that it may take @throws EvaluationTimeout, and whatever the file does */
  import(path: string, milliseconds: number): Promise<Exported>;
}

export class EvaluationTimeout extends Error {}

interface Parsed {
  readonly options: TransformOptions;
  readonly result: TransformResult;
}

/** Of `jiti`: what makes an evaluator, and what parses for it. */
interface Tools {
  readonly createJiti: typeof CreateJiti;
  readonly parse: (options: TransformOptions) => TransformResult;
}

const OPTIONS = { virtualModules: { kind: kit }, fsCache: false, moduleCache: false, interopDefault: false };

export class Evaluator {
  #tools: Tools | undefined;
  /** What was made of each file, in this load and in the one before: only what has changed is parsed again. */
  #parsed = new Map<string, Parsed>();
  #before = new Map<string, Parsed>();

  constructor(private readonly folder: string) {}

  /** Begins a load: the files are read now, and all of it goes by what they have. */
  async begin(paths: readonly string[]): Promise<Generation> {
    const { createJiti, parse } = (this.#tools ??= await loadTools());
    const sources = await sourcesOf(paths);
    this.#before = this.#parsed;
    this.#parsed = new Map();
    forgetNative(await realpath(this.folder));
    const transform = (options: TransformOptions) => {
      const { filename = '', source } = options;
      return this.#parse({ ...options, source: sources.get(filename) ?? source }, parse);
    };
    const jiti = createJiti(`${this.folder}${sep}`, { ...OPTIONS, transform });
    const cache = Object.create(null) as ModuleCache;
    return {
      import: async (path, milliseconds) => {
        const source = sources.get(path) ?? (await readFile(path, 'utf8'));
        return importInto(cache, jiti, { path, source }, milliseconds);
      },
    };
  }

  #parse(options: TransformOptions, parse: (options: TransformOptions) => TransformResult): TransformResult {
    const { filename = '', source, async } = options;
    const known = this.#parsed.get(filename) ?? this.#before.get(filename);
    const isKnown = known?.options.source === source && known.options.async === async;
    const parsed = isKnown ? known : { options, result: parse(options) };
    this.#parsed.set(filename, parsed);
    return parsed.result;
  }
}

async function importInto(
  cache: ModuleCache,
  jiti: Jiti,
  { path, source }: { readonly path: string; readonly source: string },
  milliseconds: number,
): Promise<Exported> {
  const known = cache[path];
  if (known?.loaded) return known.exports as Exported;
  // All else that the process has to do has its turn between two modules.
  await setImmediate();
  const options = { id: path, filename: path, ext: extname(path), cache, async: true };
  try {
    return (await within(milliseconds, jiti.evalModule(source, options))) as Exported;
  } catch (error) {
    // What others import of it is evaluated for them again, and fails for them too.
    for (const [file, { loaded }] of Object.entries(cache)) if (!loaded) Reflect.deleteProperty(cache, file);
    throw error;
  }
}

/** Opened where there are modules alone: it takes some megabytes. */
async function loadTools(): Promise<Tools> {
  const { createJiti } = await import('jiti');
  freezeBuiltIns();
  const { transform: parse } = createJiti(import.meta.url, OPTIONS).options;
  if (!parse) throw new Error('jiti has nothing to parse with');
  return { createJiti, parse };
}

/** Of the files that can be read: what another one needs of the others is told when that is loaded. */
async function sourcesOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for (const path of paths) {
    const source = await readFile(path, 'utf8').catch(() => undefined);
    if (source !== undefined) sources.set(path, source);
  }
  return sources;
}

/** JSON and such, which Node loads itself. */
function forgetNative(folder: string): void {
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache)) {
    if (path.startsWith(folder + sep) && !path.includes(`${sep}node_modules${sep}`))
      Reflect.deleteProperty(cache, path);
  }
}

async function within<T>(milliseconds: number, work: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const text = `did not load within ${Math.round(milliseconds / 100) / 10} seconds`;
    timer = setTimeout(() => reject(new EvaluationTimeout(text)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
