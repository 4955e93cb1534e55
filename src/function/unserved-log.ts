/**
 * Logs in one line which modules serve no kind, and in another which wait for their project, when the service has
 * started and when modules were loaded again.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../database/database.js';
import { ProjectRepository } from '../database/registry/project.repository.js';
import { LOGGER } from '../http/log/logger.js';
import { RESERVED_KINDS } from '../model/built-in/built-in.js';
import { didYouMean } from '../shared/did-you-mean.js';
import { kindIdsStatement } from '../sql/definition/model.sql.js';
import { projectOf } from '../tenancy/project.js';
import { faultText } from './declare/definition.js';
import { UnservedModules } from './declare/unserved-modules.js';
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
    this.registry.onLoad = () => void this.#look();
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
        unserved.see(row.id, new Set(kinds.map(({ id }) => id).filter((id) => !RESERVED_KINDS.has(id))));
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
