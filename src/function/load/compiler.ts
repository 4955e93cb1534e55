/**
 * Compiles the files of modules in another process, because the compiler takes 40 MB of memory and blocks. The process
 * ends when there has been nothing to compile for some time.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TransformOptions, TransformResult } from 'jiti';

const SCRIPT = fileURLToPath(new URL('./compiler.child.mjs', import.meta.url));

interface Answer {
  readonly id: number;
  readonly results: readonly TransformResult[];
}

type Settle = (results: readonly TransformResult[] | undefined) => void;

export class Compiler {
  /** Milliseconds without work after which the process ends. */
  idleTime = 2000;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #waiting = new Map<number, Settle>();
  #lastId = 0;

  /**
   * The results in the order of the files; the code of a file with a fault throws the error. Undefined if the process
   * fails: then the caller has to compile them.
   */
  async compile(files: readonly TransformOptions[]): Promise<readonly TransformResult[] | undefined> {
    if (files.length === 0) return [];
    clearTimeout(this.#timer);
    const child = (this.#child ??= this.#start());
    const id = (this.#lastId += 1);
    const results = await new Promise<readonly TransformResult[] | undefined>((resolve) => {
      this.#waiting.set(id, resolve);
      child.channel?.ref();
      child.send({ id, files }, (error) => error && this.#settle(id, undefined));
    });
    if (this.#waiting.size === 0) this.#rest(child);
    return results;
  }

  #start(): ChildProcess {
    const child = fork(SCRIPT, { execArgv: [], stdio: 'ignore' });
    child.unref();
    child.on('message', ({ id, results }: Answer) => this.#settle(id, results));
    const end = (): void => {
      if (this.#child === child) this.#child = undefined;
      for (const id of [...this.#waiting.keys()]) this.#settle(id, undefined);
    };
    child.on('error', end).on('exit', end);
    return child;
  }

  #settle(id: number, results: readonly TransformResult[] | undefined): void {
    this.#waiting.get(id)?.(results);
    this.#waiting.delete(id);
  }

  /** The process does not keep this one running, and ends after a while. */
  #rest(child: ChildProcess): void {
    child.channel?.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#child === child) this.#child = undefined;
      if (child.connected) child.disconnect();
    }, this.idleTime).unref();
  }
}
