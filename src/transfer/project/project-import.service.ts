/**
 * Brings a whole project back from an archive, for the operator: into an empty one, or as a new one from a backup. In one
 * transaction, so that a failure leaves the project empty, or no project. The rows are stored as they were exported: they
 * were checked when they were created, and hooks ran then.
 */
import { Injectable } from '@nestjs/common';
import { DefinitionChangeService } from '../../catalog/definition/definition-change.service.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { upgradeSchema } from '../../catalog/project/upgrade.js';
import type { ProjectRow } from '../../database/registry/project.repository.js';
import { commonRefusal, isDatabaseFault } from '../../database/statement/sqlstate.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import type { Model } from '../../model/model.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { projectOf } from '../../tenancy/project.js';
import { ArchiveError, type ArchiveReader, type OnProgress } from './archive.js';
import { ProjectImport, unfit } from './project-import.js';

const OPTIONS = { cascade: false, tellCounts: true, caller: SYSTEM, statementTimeout: 0 } as const;

/** `onStored` is called while the files are stored. Call `checkFiles` before: it finds what was altered. */
@Injectable()
export class ProjectImportService {
  constructor(
    private readonly changes: DefinitionChangeService,
    private readonly provisioning: Provisioning,
  ) {}

  /** @throws ArchiveError if the archive is not as it was written, or does not fit; KindError */
  async import(row: ProjectRow, archive: ArchiveReader, onStored: OnProgress): Promise<void> {
    await named('the export', () =>
      this.changes.change(projectOf(row), OPTIONS, async (change) => {
        checkEmpty(row.id, change.before);
        await new ProjectImport({
          project: projectOf(row),
          archive,
          change,
          onStored,
          keepsAdministrators: true,
        }).run();
      }),
    );
  }

  /** Makes the project `id` from a backup. @throws ArchiveError, KindError 400, 409 if the id is not free */
  async restore(id: string, archive: ArchiveReader, onStored: OnProgress): Promise<void> {
    const { backup, built_in: builtIn, project: source } = archive.manifest;
    if (!backup) throw new ArchiveError('it is no backup');
    const made = {
      id,
      accessDefault: source.access_default,
      insertedAt: backup.inserted_at,
      restored: { project: source.id, backed_up_at: archive.manifest.exported_at },
      modelVersion: backup.model_version,
    };
    await named('the backup', () =>
      this.provisioning.create(
        made,
        async (tx, project) => {
          await this.changes.changeWithin(tx, project, OPTIONS, async (change) => {
            await new ProjectImport({ project, archive, change, onStored, keepsAdministrators: false }).run();
          });
          if (builtIn < BUILT_IN_VERSION) await upgradeSchema(tx, project);
        },
        { statementTimeout: 0 },
      ),
    );
  }
}

async function named<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw commonRefusal(error) ?? (isDatabaseFault(error) ? unfit(what, error) : error);
  }
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
