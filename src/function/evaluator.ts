/**
 * Evaluates the files of modules: TypeScript as it is, without a build, by `jiti`, which keeps the lines where they are.
 * `kind` is this very kit, whatever folder they stand in.
 */
import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, sep } from 'node:path';
import type { Jiti, ModuleCache, TransformOptions, TransformResult } from 'jiti';
import * as kit from '../kit/kit.js';
import { hardenObjects } from './hardened.js';

/** What a file exports. */
export type Exported = Readonly<Record<string, unknown>>;

/** Imports the modules of one load. A file is evaluated once, for all that import it then or, in a handler, later. */
export interface Generation {
  /** @param milliseconds that it may take @throws TooLate, and whatever the file does */
  import(path: string, milliseconds: number): Promise<Exported>;
}

export class TooLate extends Error {}

interface Parsed {
  readonly options: TransformOptions;
  readonly result: TransformResult;
}

export class Evaluator {
  #jiti: Jiti | undefined;
  /** What was made of each file, in this load and in the one before: only what has changed is parsed again. */
  #parsed = new Map<string, Parsed>();
  #before = new Map<string, Parsed>();

  constructor(private readonly folder: string) {}

  /** Begins a load: from now on files are read anew. */
  async begin(): Promise<Generation> {
    const jiti = (this.#jiti ??= await this.#open());
    this.#before = this.#parsed;
    this.#parsed = new Map();
    forgetNative(await realpath(this.folder));
    const cache = Object.create(null) as ModuleCache;
    return { import: (path, milliseconds) => this.#import(jiti, cache, path, milliseconds) };
  }

  async #import(jiti: Jiti, cache: ModuleCache, path: string, milliseconds: number): Promise<Exported> {
    const known = cache[path];
    if (known?.loaded) return known.exports as Exported;
    // Reading gives way to all else that the process has to do.
    const source = await readFile(path, 'utf8');
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
  async #open(): Promise<Jiti> {
    const { createJiti } = await import('jiti');
    hardenObjects();
    const at = `${this.folder}${sep}`;
    const options = { virtualModules: { kind: kit }, fsCache: false, moduleCache: false, interopDefault: false };
    const { transform } = createJiti(at, options).options;
    return createJiti(at, { ...options, ...(transform && { transform: (file) => this.#parse(file, transform) }) });
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
    timer = setTimeout(() => reject(new TooLate(text)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
