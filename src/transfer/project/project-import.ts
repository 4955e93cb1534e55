/** Stores the files of an archive in a project without definitions, in the transaction of a change of definitions. */
import { loadModel } from '../../catalog/model/model-store.js';
import type { DefinitionChange } from '../../catalog/definition/definition-change.js';
import { PROJECT_CHANNEL } from '../../catalog/project/provisioning.js';
import type { Transaction } from '../../database/database.js';
import { commonRefusal, isDatabaseFault } from '../../database/statement/sqlstate.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { type Model } from '../../model/model.js';
import { notifyStatement } from '../../sql/server/connection.sql.js';
import { repairCountStatement } from '../../sql/count.sql.js';
import { setAccessDefaultStatement } from '../../sql/definition/model.sql.js';
import { inOneMessage } from '../../sql/fragment.js';
import { countFileStatement, insertLinesStatement } from '../../sql/list/project-rows.sql.js';
import { updateProjectStatement } from '../../sql/server/registry.sql.js';
import type { Project } from '../../tenancy/project.js';
import { ArchiveError, type ArchiveFile, type ArchiveReader, type OnProgress } from './archive.js';
import { checkDefinitions, checkDefinitionLines } from './definition-lines.js';
import { putBackAdministrators, takeAdministrators } from './kept-administrators.js';
import { dataFiles, definitionFiles, unitKinds, type ProjectFile } from './project-files.js';

type Part = 'definitions' | 'data';

interface ProjectImportOptions {
  readonly project: Project;
  readonly archive: ArchiveReader;
  readonly change: DefinitionChange;
  readonly onStored: OnProgress;
  /** Whether the administrators that the project has stay, so that somebody can sign in. */
  readonly keepsAdministrators: boolean;
}

export class ProjectImport {
  #bytes = 0;
  #rows = 0;

  constructor(private readonly options: ProjectImportOptions) {}

  async run(): Promise<void> {
    const { change, archive, project } = this.options;
    const { id, label, settings, access_default: accessDefault } = archive.manifest.project;
    // A label that is the id, as by default, would name another project.
    await this.#tx.run(updateProjectStatement(project.id, label === id ? project.id : label, settings));
    await this.#tx.run(notifyStatement(PROJECT_CHANNEL, project.id));
    await this.#tx.run(setAccessDefaultStatement(project.schema, accessDefault));
    await this.#storeAll(definitionFiles(change.before), 'definitions');
    checkDefinitions(await loadModel(this.#tx, project, { known: change.before }));
    change.fill = (model) => this.#fill(model);
  }

  get #tx(): Transaction {
    return this.options.change.tx;
  }

  get #isOlder(): boolean {
    return this.options.archive.manifest.built_in < BUILT_IN_VERSION;
  }

  async #fill(model: Model): Promise<void> {
    const { archive, keepsAdministrators, project } = this.options;
    const { schema } = project;
    const administrators = keepsAdministrators ? await takeAdministrators(this.#tx, schema, model) : [];
    await this.#storeAll(dataFiles(model, archive.manifest.passwords), 'data');
    await putBackAdministrators(this.#tx, schema, model, administrators);
    const counted = unitKinds(model).filter(({ storage }) => storage.counted);
    if (counted.length > 0) {
      await this.#tx.run(inOneMessage(counted.map((kind) => repairCountStatement(schema, kind))));
    }
  }

  /** In the order of the archive. Files of kinds that are not defined are refused: they would be lost. */
  async #storeAll(known: readonly ProjectFile[], part: Part): Promise<void> {
    const missing = new Map(known.map((file) => [file.path, file]));
    const { files } = this.options.archive.manifest;
    for (const file of files.filter(({ path }) => path.startsWith('definitions/') === (part === 'definitions'))) {
      const fitting = missing.get(file.path);
      if (!fitting) throw new ArchiveError(`${file.path} belongs to no kind or link type of the definitions`);
      missing.delete(file.path);
      await this.#store(file, fitting, part);
      // Built-in definitions are there before.
      if (part === 'data') await this.#checkCount(file, fitting);
    }
    // An older release had fewer built-in kinds.
    const [lacking] = [...missing.values()].filter(({ builtIn }) => !(builtIn && this.#isOlder));
    if (lacking) throw new ArchiveError(`${lacking.path} is missing`);
  }

  async #store(file: ArchiveFile, fitting: ProjectFile, part: Part): Promise<void> {
    const { archive, onStored } = this.options;
    let first = 1;
    for await (const { lines, bytes } of archive.read(file)) {
      if (part === 'definitions') checkDefinitionLines(fitting, lines, first);
      if (lines.length > 0) await this.#insert(fitting.path, fitting.rows, lines);
      first += lines.length;
      this.#bytes += bytes;
      this.#rows += lines.length;
      onStored(this.#bytes, this.#rows);
    }
  }

  async #insert(path: string, rows: ProjectFile['rows'], lines: readonly string[]): Promise<void> {
    try {
      await this.#tx.run(insertLinesStatement(this.options.project.schema, rows, lines));
    } catch (error) {
      throw isDatabaseFault(error) && !commonRefusal(error) ? unfit(path, error) : error;
    }
  }

  async #checkCount({ path, records }: ArchiveFile, { rows }: ProjectFile): Promise<void> {
    const [found] = await this.#tx.run<{ count: number }>(countFileStatement(this.options.project.schema, rows));
    const count = found?.count ?? 0;
    if (count < records) throw new ArchiveError(`${path} has ${records} records, but ${count} were stored`);
  }
}

export function unfit(what: string, error: Error & { readonly detail?: string }): ArchiveError {
  const detail = error.detail === undefined ? '' : `: ${error.detail}`;
  return new ArchiveError(`${what} cannot be stored: ${error.message}${detail}`);
}
