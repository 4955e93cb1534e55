/**
 * Loads the files of the bundle with bytecode that was kept after the build (`scripts/code-cache.mjs`), so that a start
 * compiles little. V8 rejects bytecode of another version or for other flags, and compiles the file.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

interface Module {
  exports: unknown;
}

interface LoadedFile {
  readonly script: Script;
  readonly module: Module;
}

type ModuleFunction = (
  exports: unknown,
  require: (id: string) => unknown,
  module: Module,
  filename: string,
  dirname: string,
) => void;

export class BundleLoader {
  readonly #loaded = new Map<string, LoadedFile>();
  /** For packages outside of the bundle. */
  readonly #require: NodeJS.Require;
  readonly #hasBytecode: boolean;

  constructor(
    private readonly folder: string,
    private readonly bytecode: string,
  ) {
    this.#require = createRequire(join(folder, 'bundle.cjs'));
    // Bytecode contains the paths of the files, which are wrong after the build was moved.
    this.#hasBytecode = readIfExists(this.#bytecodeFile('folder'))?.toString() === folder;
  }

  has(name: string): boolean {
    return existsSync(join(this.folder, name));
  }

  /** Runs a file, and those that it requires, once. Returns what it exports. */
  load(name: string): unknown {
    const known = this.#loaded.get(name);
    if (known) return known.module.exports;
    const path = join(this.folder, name);
    // The bundle is ASCII.
    const source = readFileSync(path, 'latin1');
    const cachedData = this.#hasBytecode ? readIfExists(this.#bytecodeFile(name)) : undefined;
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
      filename: path,
      ...(cachedData && { cachedData }),
    });
    const module = { exports: {} };
    this.#loaded.set(name, { script, module });
    const require = (id: string): unknown => (id.startsWith('./') ? this.load(id.slice(2)) : this.#require(id));
    const run = script.runInThisContext() as ModuleFunction;
    try {
      run(module.exports, Object.assign(require, this.#require), module, path, this.folder);
    } catch (error) {
      // Another attempt to load it fails with the same error.
      this.#loaded.delete(name);
      throw error;
    }
    return module.exports;
  }

  /** Keeps the bytecode of the files that were loaded, with that of their functions that have run. */
  writeBytecode(): void {
    mkdirSync(this.bytecode, { recursive: true });
    for (const [name, { script }] of this.#loaded) {
      writeFileSync(this.#bytecodeFile(name), script.createCachedData());
    }
    writeFileSync(this.#bytecodeFile('folder'), this.folder);
  }

  #bytecodeFile(name: string): string {
    return join(this.bytecode, name);
  }
}

function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
