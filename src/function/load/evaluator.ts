/**
 * Evaluates the files of modules. They are TypeScript without a build step, compiled by `jiti`, which keeps the line
 * numbers. An import of `kind` always gets the kit of this service, wherever the file is.
 */
import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { createJiti as CreateJiti, Jiti, ModuleCache, TransformOptions, TransformResult } from 'jiti';
import * as kit from '../../kit/kit.js';
import { freezeBuiltIns } from '../sandbox/frozen-builtins.js';
import { Compiler } from './compiler.js';

/** The exports of a file, by name. */
type Exported = Readonly<Record<string, unknown>>;

/**
 * Imports the modules of one load. A file is evaluated once for all its importers, also those that import it later, in
 * a handler. Its text is the one from the beginning of the load, even if it has changed since. This does not hold for
 * JSON and JavaScript that Node loads itself.
 */
export interface Generation {
  /** @param milliseconds the time limit @throws EvaluationTimeout, or what the file throws */
  import(path: string, milliseconds: number): Promise<Exported>;
}

export class EvaluationTimeout extends Error {}

interface Parsed {
  readonly options: TransformOptions;
  readonly result: TransformResult;
}

/** The functions of `jiti` that are used here. */
interface Tools {
  readonly createJiti: typeof CreateJiti;
  readonly parse: (options: TransformOptions) => TransformResult;
}

/** Shared by all services of a process. */
export const compiler = new Compiler();

const OPTIONS = { virtualModules: { kind: kit }, fsCache: false, moduleCache: false, interopDefault: false };

export class Evaluator {
  #tools: Tools | undefined;
  /** The parsed files of this load and of the one before, so that only changed files are parsed again. */
  #parsed = new Map<string, Parsed>();
  #before = new Map<string, Parsed>();

  constructor(private readonly folder: string) {}

  /** Begins a load. The files are read now, and the whole load uses these texts. */
  async begin(paths: readonly string[]): Promise<Generation> {
    const { createJiti, parse } = (this.#tools ??= await loadTools());
    const sources = await sourcesOf(paths);
    const compiled = await this.#compile(sources);
    this.#before = new Map([...this.#parsed, ...compiled]);
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

  /** The files that have changed since the last load. What is compiled otherwise than expected is not used. */
  async #compile(sources: ReadonlyMap<string, string>): Promise<Map<string, Parsed>> {
    const changed = [...sources].filter(([path, source]) => this.#parsed.get(path)?.options.source !== source);
    const files = changed.flatMap(([path, source]) => compileOptions(path, source));
    const results = await compiler.compile(files);
    return new Map(results?.map((result, at) => parsedFile(files[at] as TransformOptions, result)));
  }

  #parse(options: TransformOptions, parse: (options: TransformOptions) => TransformResult): TransformResult {
    const { filename = '' } = options;
    const known = this.#parsed.get(filename) ?? this.#before.get(filename);
    const parsed = known && isDeepStrictEqual(known.options, options) ? known : { options, result: parse(options) };
    this.#parsed.set(filename, parsed);
    return parsed.result;
  }
}

/** What `jiti` passes to its compiler for a file. */
function compileOptions(filename: string, source: string): TransformOptions[] {
  if (!/\.[cm]?[jt]s$/.test(filename)) return [];
  const ts = /\.[cm]?ts$/.test(filename);
  return [{ babel: {}, interopDefault: OPTIONS.interopDefault, filename, source, ts, async: true, jsx: false }];
}

function parsedFile(options: TransformOptions, result: TransformResult): [string, Parsed] {
  return [options.filename ?? '', { options, result }];
}

async function importInto(
  cache: ModuleCache,
  jiti: Jiti,
  { path, source }: { readonly path: string; readonly source: string },
  milliseconds: number,
): Promise<Exported> {
  const known = cache[path];
  if (known?.loaded) return known.exports as Exported;
  // Lets other work of the process run between two modules.
  await setImmediate();
  const options = { id: path, filename: path, ext: extname(path), cache, async: true };
  try {
    return (await within(milliseconds, jiti.evalModule(source, options))) as Exported;
  } catch (error) {
    // Unfinished files are removed, so that other importers evaluate them again and get the error too.
    for (const [file, { loaded }] of Object.entries(cache)) if (!loaded) Reflect.deleteProperty(cache, file);
    throw error;
  }
}

/** Loads `jiti` only if there are modules. Its compiler is loaded for files that `Compiler` has not compiled. */
async function loadTools(): Promise<Tools> {
  const { createJiti } = await import('jiti');
  freezeBuiltIns();
  const { transform: parse } = createJiti(import.meta.url, OPTIONS).options;
  if (!parse) throw new Error('jiti has nothing to parse with');
  return { createJiti, parse };
}

/** Skips files that cannot be read: an import of one reports the error. */
async function sourcesOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for (const path of paths) {
    const source = await readFile(path, 'utf8').catch(() => undefined);
    if (source !== undefined) sources.set(path, source);
  }
  return sources;
}

/** Removes files that Node loaded itself, such as JSON, from its cache, so that they are read again. */
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
