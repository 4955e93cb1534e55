/**
 * Exports a whole project to an archive, for the operator: definitions, units with all their fields, links and members,
 * all of one snapshot. No rule and no mask applies, so that nothing is lost.
 */
import { Inject, Injectable } from '@nestjs/common';
import { loadModel } from '../../catalog/model/model-store.js';
import { StaleModelError } from '../../catalog/catalog.service.js';
import { Database, type Transaction } from '../../database/database.js';
import type { ProjectRow } from '../../database/registry/project.repository.js';
import { asRefusal, isStaleModel } from '../../database/statement/sqlstate.js';
import { FILE_STORE } from '../../file/objects.js';
import type { FileStore } from '../../file/store/file-store.js';
import { contentsStatement } from '../../sql/file/content.sql.js';
import { keepObjects, writeContents, type StoredContents } from './archived-contents.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { hasFiles, type Model } from '../../model/model.js';
import { retryLater } from '../../shared/errors.js';
import {
  CLOSE_ROWS,
  countRowsStatement,
  keepTablesStatement,
  openRowsStatement,
  SNAPSHOT_TIME,
} from '../../sql/list/project-rows.sql.js';
import { verifiesSinceStatement } from '../../sql/member/verified.sql.js';
import { numberChangesStatement } from '../../sql/changes/number.sql.js';
import { lockTimeoutStatement } from '../../sql/server/transaction.sql.js';
import { projectOf, type Project } from '../../tenancy/project.js';
import { sendLines } from '../file/cursor-lines.js';
import { TRANSFER_IDLE } from '../export.service.js';
import { manifestOf, type ArchiveFile, type ArchiveWriter, type Manifest } from './archive.js';
import { dataFiles, definitionFiles, unitKinds, type ProjectFile } from './project-files.js';

/** How often an export begins again because the definitions have just changed. */
const ATTEMPTS = 5;
/** Milliseconds to wait for a change of definitions that is under way. */
const LOCK_TIMEOUT = 30_000;

interface ProjectExportOptions {
  /** Whether the hashes of passwords, and API keys, are exported. */
  readonly passwords: boolean;
  /** Whether it is a backup, which has what is needed to make the project again. It has passwords. */
  readonly backup?: boolean;
  /** Whether the contents of files are left out. */
  readonly withoutFiles?: boolean;
  /** Called with about how many units and links there are. */
  readonly onStart: (total: number) => void;
  /** Called with the number of rows so far. */
  readonly onProgress: (rows: number) => void;
}

@Injectable()
export class ProjectExportService {
  constructor(
    private readonly database: Database,
    @Inject(FILE_STORE) private readonly store: FileStore,
  ) {}

  /** @throws KindError 503 if the definitions change all the time */
  async export(row: ProjectRow, writer: ArchiveWriter, options: ProjectExportOptions): Promise<Manifest> {
    const project = projectOf(row);
    const kept = await keepObjects(this.database, project.schema);
    try {
      const { model, files, contents, time, verifiesSince } = await this.#writeAll(project, writer, options);
      files.push(...(await writeContents(this.store, contents, writer)));
      const manifest = manifestOf({
        built_in: BUILT_IN_VERSION,
        exported_at: time,
        project: {
          id: row.id,
          label: row.label,
          settings: row.settings,
          access_default: model.accessDefault,
          verifies_since: verifiesSince,
        },
        passwords: options.passwords,
        files,
        ...(options.backup && {
          backup: { inserted_at: row.insertedAt, model_version: model.version },
        }),
      });
      await writer.finish(manifest);
      return manifest;
    } catch (error) {
      await writer.discard();
      throw asRefusal(error);
    } finally {
      kept.end();
    }
  }

  /** `Catalog.withModel` would also begin again after a refusal, when files are written already. */
  async #writeAll(project: Project, writer: ArchiveWriter, options: ProjectExportOptions) {
    const settings = { readOnly: true, once: true, statementTimeout: 0, idleTimeout: TRANSFER_IDLE };
    for (let attempt = 1; ; attempt++) {
      const known = await loadModel(this.database, project);
      // So that the histories have what was answered before.
      if (options.backup) await this.database.ofProject(project).run(numberChangesStatement(project.schema));
      try {
        return await this.database.transaction((tx) => writeAll(tx, project, known, writer, options), settings);
      } catch (error) {
        if (!(error instanceof StaleModelError || isStaleModel(error))) throw error;
        if (attempt === ATTEMPTS)
          throw retryLater('database.busy', 'The definitions of the project change all the time');
      }
    }
  }
}

interface WrittenProject {
  readonly model: Model;
  readonly files: ArchiveFile[];
  readonly contents: readonly StoredContents[];
  /** When it was as it is in the archive. */
  readonly time: string;
  readonly verifiesSince: string;
}

async function writeAll(
  tx: Transaction,
  project: Project,
  known: Model,
  writer: ArchiveWriter,
  { passwords, backup = false, withoutFiles = false, onStart, onProgress }: ProjectExportOptions,
): Promise<WrittenProject> {
  const { schema } = project;
  const parts = { passwords, histories: backup };
  const tables = new Set([...definitionFiles(known), ...dataFiles(known, parts)].map(tableOf));
  await tx.run(lockTimeoutStatement(LOCK_TIMEOUT));
  // Locks take no snapshot: the one of the transaction is taken when the tables can't change any more.
  await tx.run(keepTablesStatement(schema, [...tables]));
  const [snapshot] = await tx.run<{ time: string }>(SNAPSHOT_TIME);
  const model = await loadModel(tx, project, { known });
  if (model.version !== known.version) throw new StaleModelError();
  const counted = unitKinds(model).filter(({ storage }) => storage.counted);
  const [total] = await tx.run<{ count: number }>(countRowsStatement(schema, counted));
  const time = snapshot?.time ?? '';
  writer.begin?.(time);
  onStart(total?.count ?? 0);
  const written: ArchiveFile[] = [];
  let rows = 0;
  for (const file of [...definitionFiles(model), ...dataFiles(model, parts)]) {
    const output = await writer.open(file.path);
    const add = (text: string) => {
      rows += 1;
      return output.add(text);
    };
    const sink = { add, ready: () => output.ready() };
    await sendLines(tx, openRowsStatement(schema, file.rows), sink, () => onProgress(rows));
    await tx.run(CLOSE_ROWS);
    written.push(await output.close());
    onProgress(rows);
  }
  const withContents = !withoutFiles && hasFiles(model);
  const contents = withContents ? await tx.run<StoredContents>(contentsStatement(schema)) : [];
  const [members] = await tx.run<{ time: string }>(verifiesSinceStatement(schema));
  return { model, files: written, contents, time, verifiesSince: members?.time ?? time };
}

function tableOf({ rows }: ProjectFile): string {
  return rows.table;
}
