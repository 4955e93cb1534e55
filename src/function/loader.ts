/**
 * Loads modules: TypeScript as it is, without a build, by `jiti`, which keeps the lines where they are. `kind` is this
 * very kit, whatever folder the modules stand in. A module that fails keeps no other one from loading.
 */
import type { Jiti } from 'jiti';
import * as kit from '../kit/kit.js';
import { checkDeclaration } from './check-declaration.js';
import type { Faulty, FunctionModule, Loaded, ModuleFault } from './definition.js';
import { Deployment } from './deployment.js';
import type { Folder, ModuleFile } from './folder.js';

/** Milliseconds that a module may take to load: a promise at its top level may never be kept. */
const LOAD_TIMEOUT = 10_000;

export class Loader {
  #jiti: Jiti | undefined;
  /** What the last load put into Node's cache of modules, and the next one takes out again. */
  #cached: readonly string[] = [];

  constructor(private readonly folder: string) {}

  async load({ files, strays }: Folder): Promise<Deployment> {
    if (files.length === 0) return new Deployment([], strays);
    const jiti = await this.#fresh();
    const before = new Set(Object.keys(jiti.cache));
    const loaded: Loaded[] = [];
    for (const file of files) loaded.push(await loadFile(jiti, file));
    this.#cached = Object.keys(jiti.cache).filter((path) => !before.has(path) && !path.includes('/node_modules/'));
    return new Deployment(loaded, strays);
  }

  /** Loaded where there are modules alone: it takes some megabytes. */
  async #fresh(): Promise<Jiti> {
    const { createJiti } = await import('jiti');
    this.#jiti ??= createJiti(`${this.folder}/`, {
      virtualModules: { kind: kit },
      fsCache: false,
      interopDefault: false,
    });
    for (const path of this.#cached) Reflect.deleteProperty(this.#jiti.cache, path);
    return this.#jiti;
  }
}

async function loadFile(jiti: Jiti, source: ModuleFile): Promise<Loaded> {
  const { kind, project, file } = source;
  const faults: ModuleFault[] = [];
  let module: FunctionModule | undefined;
  try {
    const exported = await within(LOAD_TIMEOUT, jiti.import<{ default?: unknown }>(source.path));
    module = checkDeclaration(exported.default, source, (text, stack) => {
      faults.push({ file, ...lineOf(stack ?? '', source), text });
    });
  } catch (error) {
    faults.push(faultOf(error, source));
  }
  if (module) return { state: 'ready', kind, project, module };
  const [first = { file, text: 'is no module' }, ...rest] = faults;
  return { state: 'broken', kind, project, faults: [first, ...rest] as Faulty };
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not load within ${milliseconds / 1000} seconds`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** What was thrown while a module was loaded, told of its file, or of the helper that it came from. */
function faultOf(error: unknown, source: ModuleFile): ModuleFault {
  const [message = '', ...rest] = (error instanceof Error ? error.message : String(error)).split('\n');
  const text = message.replace(/^ParseError: /, '').trim() || 'could not be loaded';
  const trace = [...rest, error instanceof Error ? (error.stack ?? '') : ''].join('\n');
  return { file: source.file, ...lineOf(trace, source), text };
}

/** The first place of a trace that is in the file. */
function lineOf(trace: string, { path }: ModuleFile): { line?: number } {
  const at = trace.indexOf(`${path}:`);
  const line = at < 0 ? NaN : parseInt(trace.slice(at + path.length + 1), 10);
  return Number.isNaN(line) ? {} : { line };
}
