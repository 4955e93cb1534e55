/** Stores the files of an archive in a project without definitions, in the transaction of a change of definitions. */
import type { DefinitionChange } from '../../catalog/definition/definition-change.js';
import { PROJECT_CHANNEL } from '../../catalog/project/provisioning.js';
import { refoldMemberKeys } from '../../catalog/project/refold-member-keys.js';
import type { Transaction } from '../../database/database.js';
import { commonRefusal, isDatabaseFault } from '../../database/statement/sqlstate.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { isWhole } from '../../model/built-in/completeness.js';
import { KIND_KIND } from '../../model/built-in-traits.js';
import { replacesBuiltIn } from '../../model/build/build-model.js';
import { getBuiltInKind, type Model } from '../../model/model.js';
import { checkReference } from '../../model/check/check-model.js';
import { Faults } from '../../shared/errors.js';
import { runSync } from '../../shared/work-in-pieces.js';
import { notifyStatement } from '../../sql/server/connection.sql.js';
import { repairCountStatement } from '../../sql/count.sql.js';
import { setAccessDefaultStatement } from '../../sql/access/model-access.sql.js';
import { inOneMessage } from '../../sql/fragment.js';
import { countFileStatement, insertLinesStatement } from '../../sql/list/project-rows.sql.js';
import { updateProjectStatement } from '../../sql/server/registry.sql.js';
import { deleteUnitsStatement } from '../../sql/write/reference.sql.js';
import type { Project } from '../../tenancy/project.js';
import { ArchiveError, type ArchiveFile, type ArchiveReader, type OnProgress } from './archive.js';
import { putBackAdministrators, takeAdministrators } from './kept-administrators.js';
import { dataFiles, definitionFiles, unitKinds, type ProjectFile } from './project-files.js';

export interface ProjectImportOptions {
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
    change.fill = (model) => this.#fill(model);
  }

  get #tx(): Transaction {
    return this.options.change.tx;
  }

  get #isOlder(): boolean {
    return this.options.archive.manifest.built_in < BUILT_IN_VERSION;
  }

  async #fill(model: Model): Promise<void> {
    if (!runSync(isWhole(model))) throw new ArchiveError('the definitions name parameters or kinds that are missing');
    checkReferences(model);
    const { archive, keepsAdministrators, project } = this.options;
    const { schema } = project;
    const administrators = keepsAdministrators ? await takeAdministrators(this.#tx, schema, model) : [];
    await this.#storeAll(dataFiles(model, archive.manifest.passwords), 'data');
    // Releases can compare the names of members in different ways.
    if (this.#isOlder) await refoldMemberKeys(this.#tx, schema);
    await putBackAdministrators(this.#tx, schema, model, administrators);
    const counted = unitKinds(model).filter(({ storage }) => storage.counted);
    if (counted.length > 0) {
      await this.#tx.run(inOneMessage(counted.map((kind) => repairCountStatement(schema, kind))));
    }
  }

  /** In the order of the archive. Files of kinds that are not defined are refused: they would be lost. */
  async #storeAll(known: readonly ProjectFile[], part: 'definitions' | 'data'): Promise<void> {
    const missing = new Map(known.map((file) => [file.path, file]));
    const { files } = this.options.archive.manifest;
    for (const file of files.filter(({ path }) => path.startsWith('definitions/') === (part === 'definitions'))) {
      const fitting = missing.get(file.path);
      if (!fitting) throw new ArchiveError(`${file.path} belongs to no kind or link type of the definitions`);
      missing.delete(file.path);
      await this.#store(file, fitting);
      // Built-in definitions are there before.
      if (part === 'data') await this.#checkCount(file, fitting);
    }
    // An older release had fewer built-in kinds.
    const [lacking] = [...missing.values()].filter(({ builtIn }) => !(builtIn && this.#isOlder));
    if (lacking) throw new ArchiveError(`${lacking.path} is missing`);
  }

  async #store(file: ArchiveFile, { path, rows }: ProjectFile): Promise<void> {
    const { archive, onStored } = this.options;
    for await (const { lines, bytes } of archive.read(file)) {
      if (lines.length > 0) await this.#insert(path, rows, lines);
      this.#bytes += bytes;
      this.#rows += lines.length;
      onStored(this.#bytes, this.#rows);
    }
  }

  async #insert(path: string, rows: ProjectFile['rows'], lines: readonly string[]): Promise<void> {
    if (rows.table === KIND_KIND) await this.#makeRoom(lines);
    try {
      await this.#tx.run(insertLinesStatement(this.options.project.schema, rows, lines));
    } catch (error) {
      throw isDatabaseFault(error) && !commonRefusal(error) ? unfit(path, error) : error;
    }
  }

  /** A kind of the archive keeps the name of a built-in one that only later releases have, as in an upgrade. */
  async #makeRoom(lines: readonly string[]): Promise<void> {
    const records = lines.map((line) => JSON.parse(line) as { id: string; parameters: readonly string[] });
    const ids = records.filter(replacesBuiltIn).map(({ id }) => id);
    if (ids.length === 0) return;
    const { change, project } = this.options;
    await this.#tx.run(deleteUnitsStatement(project.schema, getBuiltInKind(change.before, KIND_KIND), ids));
  }

  async #checkCount({ path, records }: ArchiveFile, { rows }: ProjectFile): Promise<void> {
    const [found] = await this.#tx.run<{ count: number }>(countFileStatement(this.options.project.schema, rows));
    const count = found?.count ?? 0;
    if (count < records) throw new ArchiveError(`${path} has ${records} records, but ${count} were stored`);
  }
}

/** References as the API stores them: not to credentials, say, which rules could read. @throws KindError */
function checkReferences(model: Model): void {
  const nothing = { kinds: () => [], parameters: () => [] };
  const faults = new Faults();
  for (const parameter of model.parameters.values()) {
    checkReference(parameter, model, nothing, faults.within(parameter.id));
  }
  faults.throwIfAny();
}

export function unfit(what: string, error: Error & { readonly detail?: string }): ArchiveError {
  const detail = error.detail === undefined ? '' : `: ${error.detail}`;
  return new ArchiveError(`${what} cannot be stored: ${error.message}${detail}`);
}
