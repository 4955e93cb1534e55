/** `project restore --all`: makes every project of a folder again that `backup --all` wrote. */
import { join } from 'node:path';
import { checkNotDeleted, Provisioning } from '../../catalog/project/provisioning.js';
import type { ProjectRow } from '../../database/registry/project.repository.js';
import { ArchiveError } from '../../transfer/project/archive.js';
import type { Services } from '../tools/command-context.js';
import { ProgressBars } from '../tools/progress.js';
import { errorText } from '../../shared/error-text.js';
import { BackupReader } from './backup.reader.js';
import { backupName, readRegistry, withoutBackup, type RegisteredProject } from './backup-registry.js';
import { about, checkFree, restoreProject, sizeOf, type RestoredView } from './project-backup.js';

export interface RestoredAllView {
  readonly folder: string;
  readonly projects: readonly RestoredView[];
  /** Projects that are there already: an earlier call has restored them, or they were never away. */
  readonly present: readonly string[];
  /** Projects that were being deleted, of which there is no backup. */
  readonly without: readonly string[];
}

/**
 * Checks all files before it restores the first one. Call it again after an interruption.
 * @throws ArchiveError that names all faults; nothing is restored, or all that could be
 */
export async function restoreAll(context: Services, folder: string): Promise<RestoredAllView> {
  const registered = await readRegistry(folder);
  const backedUp = registered.filter(({ file }) => file !== null);
  const { present, absent } = await check(context, folder, backedUp);
  const [projects, failed]: [RestoredView[], string[]] = [[], []];
  for (const id of absent) {
    try {
      projects.push(await restoreProject(context, join(folder, backupName(id)), id));
    } catch (error) {
      failed.push(errorText(error));
    }
  }
  if (failed.length > 0) {
    throw new ArchiveError(
      `${failed.length} of ${backedUp.length} projects could not be restored, the others are there; run the command again when it is mended: ${failed.join('; ')}`,
    );
  }
  return { folder, projects, present, without: withoutBackup(registered) };
}

/** Tells which projects are there and which are to be restored. @throws ArchiveError that names all faults */
async function check({ app }: Services, folder: string, registered: readonly RegisteredProject[]) {
  const provisioning = app.get(Provisioning);
  const rows = new Map((await provisioning.list()).map((row) => [row.id, row]));
  const [present, absent, faults]: [string[], string[], string[]] = [[], [], []];
  const bars = new ProgressBars();
  try {
    for (const each of registered) {
      const row = rows.get(each.id);
      try {
        const isPresent = row !== undefined && isSame(row, each);
        if (!isPresent) await checkFree(provisioning, each.id);
        await checkFile(join(folder, backupName(each.id)), each.id, bars);
        (isPresent ? present : absent).push(each.id);
      } catch (error) {
        faults.push(errorText(error));
      }
    }
  } finally {
    bars.stop();
  }
  if (faults.length === 0) return { present, absent };
  throw new ArchiveError(
    `nothing was restored, as ${faults.length} of ${registered.length} projects cannot be: ${faults.join('; ')}`,
  );
}

/** A restored project has the time of its creation from the backup. @throws KindError 503 if it is being deleted */
function isSame(row: ProjectRow, { inserted_at: insertedAt }: RegisteredProject): boolean {
  checkNotDeleted(row);
  return row.insertedAt === insertedAt;
}

async function checkFile(file: string, id: string, bars: ProgressBars): Promise<void> {
  const size = await sizeOf(file);
  await about(file, async () => {
    const { manifest } = await BackupReader.open(file, bars.next(`${id}: checking`, size));
    if (manifest.project.id !== id) throw new ArchiveError(`it is a backup of the project '${manifest.project.id}'`);
  });
}
