/** Finds modules that load and serve nothing, because no project has their kind. Projects are shown to it one by one. Pure. */
import { didYouMean } from '../../shared/did-you-mean.js';
import type { LoadedModule, ModuleFault } from './definition.js';

export class UnservedModules {
  /** With a hint, once a project has a kind of a similar name. */
  readonly #unserved: Map<LoadedModule, string>;

  constructor(loaded: readonly LoadedModule[]) {
    this.#unserved = new Map(loaded.flatMap((each) => (each.state === 'ready' ? [[each, '']] : [])));
  }

  /** Whether no other project can change the result. */
  get isComplete(): boolean {
    return this.#unserved.size === 0;
  }

  /** @param kinds of the project, without built-in ones */
  see(project: string, kinds: ReadonlySet<string>): void {
    for (const [module, hint] of this.#unserved) {
      if (module.project !== null && module.project !== project) continue;
      if (kinds.has(module.kind)) this.#unserved.delete(module);
      else if (hint === '') this.#unserved.set(module, didYouMean(module.kind, kinds));
    }
  }

  /** @param projects the ids of all projects */
  faults(projects: ReadonlySet<string>): ModuleFault[] {
    return [...this.#unserved].map(([{ kind, project }, hint]) => {
      if (project !== null && !projects.has(project)) {
        return { file: `${project}/${kind}.ts`, text: `no project '${project}'${didYouMean(project, projects)}` };
      }
      return { file: moduleFile({ kind, project }), text: unservedText(kind, hint, project) };
    });
  }
}

/** Why a module serves nothing. @param project undefined where the reader knows no other */
export function unservedText(kind: string, hint: string, project?: string | null): string {
  if (project === null) return `no project has a kind '${kind}'${hint}`;
  return `no kind '${kind}' in ${project === undefined ? 'this project' : `the project '${project}'`}${hint}`;
}

/** The path of a module in the folder. */
export function moduleFile({ project, kind }: Pick<LoadedModule, 'project' | 'kind'>): string {
  return project === null ? `${kind}.ts` : `${project}/${kind}.ts`;
}
