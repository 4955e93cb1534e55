/**
 * Imports a whole project from an archive into an empty one, for the operator: in one transaction, so that a failure
 * leaves the project empty. The rows are stored as they were exported, after their checksums are compared: they were
 * checked when they were created, and hooks ran then.
 */
import { Injectable } from '@nestjs/common';
import type { DefinitionChange } from '../../catalog/definition/definition-change.js';
import { DefinitionChangeService } from '../../catalog/definition/definition-change.service.js';
import { PROJECT_CHANNEL } from '../../catalog/project/provisioning.js';
import { refoldMemberKeys } from '../../catalog/project/refold-member-keys.js';
import type { Transaction } from '../../database/database.js';
import type { ProjectRow } from '../../database/registry/project.repository.js';
import { commonRefusal, isDatabaseFault } from '../../database/statement/sqlstate.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { isWhole } from '../../model/built-in/completeness.js';
import type { Model } from '../../model/model.js';
import { runSync } from '../../shared/work-in-pieces.js';
import { notifyStatement } from '../../sql/server/connection.sql.js';
import { repairCountStatement } from '../../sql/count.sql.js';
import { setAccessDefaultStatement } from '../../sql/access/model-access.sql.js';
import { insertLinesStatement } from '../../sql/list/project-rows.sql.js';
import { updateProjectStatement } from '../../sql/server/registry.sql.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { projectOf } from '../../tenancy/project.js';
import { ArchiveError, type ArchiveFile, type ArchiveReader } from './archive.js';
import { putBackAdministrators, takeAdministrators } from './kept-administrators.js';
import { dataFiles, definitionFiles, unitKinds, type ProjectFile } from './project-files.js';

/** @param bytes of the files so far */
type OnProgress = (bytes: number, records: number) => void;

export interface ImportProgress {
  /** Called while the files are compared with the manifest. */
  readonly onChecked: OnProgress;
  /** Called while they are stored. */
  readonly onStored: OnProgress;
}

@Injectable()
export class ProjectImportService {
  constructor(private readonly changes: DefinitionChangeService) {}

  /** @throws ArchiveError if the archive is not as it was written, or does not fit; KindError */
  async import(row: ProjectRow, archive: ArchiveReader, { onChecked, onStored }: ImportProgress): Promise<void> {
    await checkFiles(archive, onChecked);
    const options = { cascade: false, tellCounts: true, caller: SYSTEM, statementTimeout: 0 };
    try {
      await this.changes.change(projectOf(row), options, async (change) => {
        checkEmpty(row.id, change.before);
        await new ProjectImport(row, archive, change, onStored).run();
      });
    } catch (error) {
      throw commonRefusal(error) ?? (isDatabaseFault(error) ? unfit('the export', error) : error);
    }
  }
}

async function checkFiles(archive: ArchiveReader, onChecked: OnProgress): Promise<void> {
  let [bytes, records] = [0, 0];
  for (const file of archive.manifest.files) {
    for await (const part of archive.read(file)) {
      bytes += part.bytes;
      records += part.lines.length;
      onChecked(bytes, records);
    }
  }
}

/** One import, in the transaction of a change of definitions. */
class ProjectImport {
  readonly #files: ReadonlyMap<string, ArchiveFile>;
  #bytes = 0;
  #rows = 0;

  constructor(
    private readonly row: ProjectRow,
    private readonly archive: ArchiveReader,
    private readonly change: DefinitionChange,
    private readonly onStored: OnProgress,
  ) {
    this.#files = new Map(archive.manifest.files.map((file) => [file.path, file]));
  }

  get #tx(): Transaction {
    return this.change.tx;
  }

  get #schema(): string {
    return projectOf(this.row).schema;
  }

  async run(): Promise<void> {
    const { change } = this;
    const { label, settings, access_default: accessDefault } = this.archive.manifest.project;
    await this.#tx.run(updateProjectStatement(this.row.id, label, settings));
    await this.#tx.run(notifyStatement(PROJECT_CHANNEL, this.row.id));
    await this.#tx.run(setAccessDefaultStatement(this.#schema, accessDefault));
    for (const file of definitionFiles(change.before)) await this.#store(file);
    change.fill = (model) => this.#fill(model);
  }

  async #fill(model: Model): Promise<void> {
    if (!runSync(isWhole(model))) throw new ArchiveError('the definitions name parameters or kinds that are missing');
    const files = dataFiles(model, this.archive.manifest.passwords);
    this.#refuseOthers([...definitionFiles(model), ...files]);
    const administrators = await takeAdministrators(this.#tx, this.#schema, model);
    for (const file of files) await this.#store(file);
    // Releases can compare the names of members in different ways.
    if (this.archive.manifest.built_in < BUILT_IN_VERSION) await refoldMemberKeys(this.#tx, this.#schema);
    await putBackAdministrators(this.#tx, this.#schema, model, administrators);
    for (const kind of unitKinds(model)) {
      if (kind.storage.counted) await this.#tx.run(repairCountStatement(this.#schema, kind));
    }
  }

  async #store({ path, rows }: ProjectFile): Promise<void> {
    const file = this.#files.get(path);
    if (!file) throw new ArchiveError(`${path} is missing`);
    for await (const { lines, bytes } of this.archive.read(file)) {
      if (lines.length > 0) await this.#insert(path, rows, lines);
      this.#bytes += bytes;
      this.#rows += lines.length;
      this.onStored(this.#bytes, this.#rows);
    }
  }

  async #insert(path: string, rows: ProjectFile['rows'], lines: readonly string[]): Promise<void> {
    try {
      await this.#tx.run(insertLinesStatement(this.#schema, rows, lines));
    } catch (error) {
      throw isDatabaseFault(error) && !commonRefusal(error) ? unfit(path, error) : error;
    }
  }

  /** Files of kinds that are not defined would be lost. */
  #refuseOthers(files: readonly ProjectFile[]): void {
    const known = new Set(files.map(({ path }) => path));
    const other = [...this.#files.keys()].find((path) => !known.has(path));
    if (other !== undefined) throw new ArchiveError(`${other} belongs to no kind or link type of the definitions`);
  }
}

function unfit(what: string, error: Error & { readonly detail?: string }): ArchiveError {
  const detail = error.detail === undefined ? '' : `: ${error.detail}`;
  return new ArchiveError(`${what} can not be stored: ${error.message}${detail}`);
}

/** @throws ArchiveError if anything is defined; without definitions there are no units but administrators */
function checkEmpty(id: string, { kinds, parameters, groups, linkTypes }: Model): void {
  const own = [
    ...[...kinds.values()].filter(({ builtIn }) => !builtIn).map((kind) => `the kind '${kind.id}'`),
    ...[...parameters.keys()].map((parameter) => `the parameter '${parameter}'`),
    ...[...groups.values()].filter(({ builtIn }) => !builtIn).map((group) => `the group '${group.id}'`),
    ...[...linkTypes.values()].filter(({ builtIn }) => !builtIn).map((type) => `the link type '${type.id}'`),
  ];
  const [first] = own;
  if (first === undefined) return;
  const more = own.length > 1 ? ` and ${own.length - 1} other definitions` : '';
  throw new ArchiveError(
    `the project '${id}' is not empty: it has ${first}${more}. Import into a new one: project create`,
  );
}
