/** All modules as they were loaded together: a value. A request works with one, whatever is loaded meanwhile. */
import { randomUUID } from 'node:crypto';
import type { FunctionModule, LoadedModule, ModuleFault } from '../declare/definition.js';

export class Deployment {
  /** No other one has it. */
  readonly id = randomUUID();
  /** By project, null for all of them, and kind: names are clients'. */
  readonly #modules = new Map<string | null, Map<string, LoadedModule>>();

  constructor(
    readonly loaded: readonly LoadedModule[],
    /** Files that are no modules of a kind. */
    readonly strays: readonly ModuleFault[] = [],
  ) {
    for (const each of loaded) {
      const known = this.#modules.get(each.project) ?? new Map<string, LoadedModule>();
      this.#modules.set(each.project, known.set(each.kind, each));
    }
  }

  /** The module of a kind: that of the project, or else the one for all projects. */
  find(project: string, kind: string): LoadedModule | undefined {
    return this.#modules.get(project)?.get(kind) ?? this.#modules.get(null)?.get(kind);
  }

  /** The module of a kind where it is one; undefined where there is none or it is broken. */
  findReady(project: string, kind: string): FunctionModule | undefined {
    const found = this.find(project, kind);
    return found?.state === 'ready' ? found.module : undefined;
  }

  /** Whether a hook may make what a new unit must have, so that a create need not give it. */
  mayMake(project: string, kind: string): boolean {
    return this.findReady(project, kind)?.hooks.has('before_create') ?? false;
  }

  /** Everything that is wrong. */
  get faults(): readonly ModuleFault[] {
    return [...this.strays, ...this.loaded.flatMap((each) => (each.state === 'broken' ? each.faults : []))];
  }
}
