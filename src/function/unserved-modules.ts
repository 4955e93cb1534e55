/**
 * Finds modules that load and serve nothing, because no project has their kind. Logs in one line which modules serve no kind, and in another which wait for their project, when the service has
 * started and when modules were loaded again.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../database/database.js';
import { ProjectRepository } from '../database/registry/project.repository.js';
import { LOGGER } from '../http/log/logger.js';
import { SYSTEM_KINDS } from '../model/built-in/built-in.js';
import { didYouMean } from '../shared/texts.js';
import { kindIdsStatement } from '../sql/definition/model.sql.js';
import { projectOf } from '../tenancy/project.js';
import { faultText, type LoadedModule, type ModuleFault } from './declare/definition.js';
import { FunctionRegistry } from './load/module-registry.js';

/** With more projects, only the modules of single projects are looked at: the others may serve any of them. */
const MOST_PROJECTS = 100;

@Injectable()
export class UnservedLog {
  /** What was said last of modules that wait, which is not said again after each change of a file. */
  #told = '';

  constructor(
    private readonly registry: FunctionRegistry,
    private readonly projects: ProjectRepository,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Looks now, and after each load. */
  async watch(): Promise<void> {
    this.registry.onLoad.push(() => void this.#look());
    await this.#look();
  }

  async #look(): Promise<void> {
    try {
      const { loaded } = this.registry.current;
      if (loaded.length === 0) return;
      const first = await this.projects.list(MOST_PROJECTS + 1);
      const all = first.length <= MOST_PROJECTS;
      const folders = [...new Set(loaded.flatMap(({ project }) => project ?? []))];
      const rows = all
        ? first
        : (await Promise.all(folders.map((id) => this.projects.find(id)))).flatMap((row) => row ?? []);
      const ids = new Set(rows.map(({ id }) => id));
      this.#tellWaiting(folders, ids);
      const unserved = new UnservedModules(loaded.filter(({ project }) => (project === null ? all : ids.has(project))));
      for (const row of rows) {
        if (unserved.isComplete) return;
        const kinds = await this.database.run<{ id: string }>(kindIdsStatement(projectOf(row).schema));
        unserved.see(row.id, new Set(kinds.map(({ id }) => id).filter((id) => !SYSTEM_KINDS.has(id))));
      }
      const texts = unserved.faults(ids).map(faultText);
      if (texts.length > 0) this.logger.warn(`functions: modules that serve nothing: ${texts.join('; ')}`);
    } catch (error) {
      this.logger.debug({ err: error }, 'functions: whether all modules serve a kind is not known');
    }
  }

  /** Projects may come later, as that of the demo does. */
  #tellWaiting(folders: readonly string[], projects: ReadonlySet<string>): void {
    const texts = folders.flatMap((id) =>
      projects.has(id) ? [] : `no project '${id}' yet${didYouMean(id, projects)}, its modules wait`,
    );
    const told = texts.join('; ');
    if (told !== '' && told !== this.#told) this.logger.info(`functions: ${told}`);
    this.#told = told;
  }
}

/** Projects are shown to it one by one. */
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
