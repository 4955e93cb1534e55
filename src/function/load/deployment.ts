/** All modules of one load. A deployment never changes, and a request uses the same one to its end. */
import { randomUUID } from 'node:crypto';
import type { UnitFunction } from '../../access/unit-rights.js';
import type {
  EndpointDef,
  FunctionDef,
  HookName,
  ReadyModule,
  LoadedModule,
  ModuleFault,
} from '../declare/definition.js';
import { getOrInsert } from '../../shared/maps.js';
import { retryLater, type KindError } from '../../shared/errors.js';

const NOTHING: ReadonlySet<string> = new Set();

interface CalledInProject {
  /** `ofUnit`: whether it is called on a unit. */
  readonly functions: readonly (FunctionDef & { readonly kind: string; readonly ofUnit: boolean })[];
  readonly endpoints: readonly (EndpointDef & { readonly kind: string })[];
}

export class Deployment {
  /** Unique for each load. */
  readonly id = randomUUID();
  /** When it was loaded, as `performance.now()` tells it. */
  readonly loadedAt = performance.now();
  /** By project (null for all projects) and kind. A `Map`, because clients choose the names. */
  readonly #modules = new Map<string | null, Map<string, LoadedModule>>();

  constructor(
    readonly loaded: readonly LoadedModule[],
    /** Faults of files that do not belong to a kind. */
    readonly strays: readonly ModuleFault[] = [],
  ) {
    for (const each of loaded) {
      getOrInsert(this.#modules, each.project, () => new Map<string, LoadedModule>()).set(each.kind, each);
    }
  }

  /** The module of a kind: the one of the project, otherwise the one for all projects. */
  find(project: string, kind: string): LoadedModule | undefined {
    return this.#modules.get(project)?.get(kind) ?? this.#modules.get(null)?.get(kind);
  }

  hasModule(project: string, kind: string): boolean {
    return this.find(project, kind) !== undefined;
  }

  /** The module of a kind; undefined if there is none or it is broken. */
  findReady(project: string, kind: string): ReadyModule | undefined {
    const found = this.find(project, kind);
    return found?.state === 'ready' ? found.module : undefined;
  }

  functionsOfUnits(project: string, kind: string): readonly UnitFunction[] {
    return [...(this.findReady(project, kind)?.functions.unit.values() ?? [])];
  }

  /** The functions and endpoints that a project has, by the modules that load, with the kind of each. */
  calledIn(project: string): CalledInProject {
    const modules = this.loaded.flatMap((each) => {
      const module = this.findReady(project, each.kind);
      return each.state === 'ready' && each.module === module ? [module] : [];
    });
    const functions = modules.flatMap(({ kind, functions: own }) =>
      [...own.kind.values(), ...own.unit.values()].map((def) => ({ ...def, kind, ofUnit: def.scope === 'unit' })),
    );
    const endpoints = modules.flatMap(({ kind, endpoints: own }) => [...own.values()].map((def) => ({ ...def, kind })));
    return { functions, endpoints };
  }

  /** The kinds of a project whose modules have a hook, whether it has these kinds or not. */
  withHook(project: string, hook: HookName): readonly string[] {
    return this.loaded.flatMap((each) => {
      const module = this.findReady(project, each.kind);
      return each.state === 'ready' && each.module === module && module.hooks.has(hook) ? [each.kind] : [];
    });
  }

  /** The required values of a new unit that a hook says it sets, so that a create may omit them. */
  fills(project: string, kind: string): ReadonlySet<string> {
    return this.findReady(project, kind)?.fills ?? NOTHING;
  }

  /** The faults of all files. */
  get faults(): readonly ModuleFault[] {
    return [...this.strays, ...this.loaded.flatMap((each) => (each.state === 'broken' ? each.faults : []))];
  }
}

/** Seconds; the module may be fixed by then. */
const RETRY_AFTER = 10;

/**
 * The error of operations that need a module that does not load. It does not name the kind, which the caller may not be
 * allowed to see, as in a deletion that deletes units of other kinds too.
 */
export function brokenModule(): KindError {
  const text = 'A module of functions that this needs does not load; the log of the service says which, and why';
  return retryLater('function.broken', text, RETRY_AFTER);
}
