/** `project backup`, `project restore`, `backup --all` and `restore --all`: projects as files from which they can be made again. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkNotDeleted, Provisioning } from '../../catalog/project/provisioning.js';
import { KindError } from '../../shared/errors.js';
import { ArchiveError, type Manifest } from '../../transfer/project/archive.js';
import { ArchiveReader } from '../../transfer/project/archive.reader.js';
import { EntryWriter } from '../../transfer/project/archive.writer.js';
import { ProjectExportService } from '../../transfer/project/project-export.service.js';
import { ProjectImportService, type SecretChoices } from '../../transfer/project/project-import.service.js';
import type { Services } from '../tools/command-context.js';
import { onOrOffText } from '../tools/output.js';
import { ProgressBars } from '../tools/progress.js';
import { errorText } from '../../shared/texts.js';
import { archiveView, bytesOf, keysOf, type ArchiveView } from './archive.view.js';
import { checkBackupEnds } from './backup-ends.js';
import { TarSink, TarSource } from './archive-tar.js';
import {
  backupName,
  REGISTRY,
  registeredProject,
  withoutBackup,
  writeRegistry,
  type RegisteredProject,
  readRegistry,
} from './backup-registry.js';
import { makeEmptyFolder } from './archive-folder.js';
import type { ProjectRow } from '../../database/registry/project.repository.js';

interface BackupView extends ArchiveView {
  readonly project: string;
  readonly file: string;
  /** The moment whose state it has. */
  readonly backed_up_at: string;
}

export interface RestoredView extends BackupView {
  /** The project that was backed up. */
  readonly source: string;
  /** The release that wrote the backup. */
  readonly release: string;
  readonly api_keys: number;
  /** `off`: no schedules run in it. */
  readonly background: 'on' | 'off';
}

/** @param file its path; `-` is standard output */
export async function backupProject(
  { app }: Services,
  id: string,
  file: string,
  withoutFiles = false,
): Promise<BackupView> {
  const row = await app.get(Provisioning).getActive(id);
  const bars = new ProgressBars();
  try {
    const manifest = await app.get(ProjectExportService).export(row, new EntryWriter(new TarSink(file, id)), {
      passwords: true,
      backup: true,
      withoutFiles,
      onStart: (total) => bars.start(id, total),
      onProgress: (rows) => bars.update(rows, rows),
    });
    return backupView(id, file, manifest);
  } finally {
    bars.stop();
  }
}

interface RestoreChoices extends SecretChoices {
  /** The id of the project; by default that of the backup. */
  readonly as?: string | undefined;
  /** Whether schedules run in it. */
  readonly background?: boolean;
}

export async function restoreProject(
  { app }: Services,
  file: string,
  { as, background = false, ...secrets }: RestoreChoices,
): Promise<RestoredView> {
  const bars = new ProgressBars();
  let reader: ArchiveReader | undefined;
  try {
    const size = await sizeOf(file);
    const id = as ?? (await about(file, () => checkBackupEnds(file))).project;
    await checkFree(app.get(Provisioning), id);
    const archive = await about(file, () =>
      ArchiveReader.open(new TarSource(file), bars.next(`${id}: checking`, size)),
    );
    reader = archive;
    const { manifest } = archive;
    const onStored = bars.next(`${id}: storing`, bytesOf(manifest));
    await about(file, () => app.get(ProjectImportService).restore(id, archive, onStored, { background, ...secrets }));
    const { release, project: source } = manifest;
    const restored = { source: source.id, release, api_keys: keysOf(manifest), background: onOrOffText(background) };
    return { ...backupView(id, file, manifest), ...restored };
  } finally {
    bars.stop();
    await reader?.close();
  }
}

export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return found.size;
  throw new ArchiveError(found ? `${file} is no file` : `there is no file ${file}`);
}

/** Before the file is read, which can take long. @throws ArchiveError, KindError 400 */
export async function checkFree(provisioning: Provisioning, id: string): Promise<void> {
  try {
    await provisioning.checkFree(id);
  } catch (error) {
    if (!(error instanceof KindError && error.code === 'project.exists')) throw error;
    throw new ArchiveError(
      `a project '${id}' exists already: restore the backup beside it with --as <id>, or delete that project first`,
    );
  }
}

/** Names the file in what is wrong with it. */
export async function about<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ArchiveError ? new ArchiveError(`${file}: ${error.message}`) : error;
  }
}

function backupView(project: string, file: string, manifest: Manifest): BackupView {
  return { project, file, backed_up_at: manifest.exported_at, ...archiveView(manifest) };
}

export interface BackupsView {
  readonly folder: string;
  readonly projects: readonly BackupView[];
  /** Projects that are being deleted, of which there is no backup. */
  readonly without: readonly string[];
}

/**
 * One backup after the other, each of one moment. A project that is deleted meanwhile is one without a backup.
 * @throws ArchiveError if one failed; the others are complete
 */
export async function backupAll(context: Services, folder: string, withoutFiles = false): Promise<BackupsView> {
  const provisioning = context.app.get(Provisioning);
  await makeEmptyFolder(folder);
  const registered: RegisteredProject[] = [];
  const projects: BackupView[] = [];
  const failed: string[] = [];
  const rows = await provisioning.list();
  const accessDefaults = await provisioning.accessDefaults(rows);
  for (const row of rows) {
    const accessDefault = accessDefaults.get(row.id) ?? null;
    let { status } = row;
    if (status === 'active') {
      try {
        const file = join(folder, backupName(row.id));
        projects.push(await backupProject(context, row.id, file, withoutFiles));
      } catch (error) {
        if (await isDeleted(provisioning, row.id)) status = 'deleting';
        else failed.push(`${row.id}: ${errorText(error)}`);
      }
    }
    const file = status === 'active' ? backupName(row.id) : null;
    registered.push(registeredProject({ ...row, status }, file, accessDefault));
  }
  if (failed.length > 0) {
    throw new ArchiveError(
      `${failed.length} of ${projects.length + failed.length} projects could not be backed up, so there is no ${REGISTRY}; the other files are complete: ${failed.join('; ')}`,
    );
  }
  await writeRegistry(folder, registered);
  return { folder, projects, without: withoutBackup(registered) };
}

/** Whether a project is not there any more, or its deletion has begun. */
export async function isDeleted(provisioning: Provisioning, id: string): Promise<boolean> {
  try {
    return (await provisioning.get(id)).status !== 'active';
  } catch (error) {
    return error instanceof KindError && error.code === 'project.unknown';
  }
}

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
export async function restoreAll(
  context: Services,
  folder: string,
  choices: Omit<RestoreChoices, 'as'>,
): Promise<RestoredAllView> {
  const registered = await readRegistry(folder);
  const backedUp = registered.filter(({ file }) => file !== null);
  const { present, absent } = await check(context, folder, backedUp);
  const [projects, failed]: [RestoredView[], string[]] = [[], []];
  for (const id of absent) {
    try {
      projects.push(await restoreProject(context, join(folder, backupName(id)), { ...choices, as: id }));
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
    const { manifest } = await ArchiveReader.open(new TarSource(file), bars.next(`${id}: checking`, size));
    if (manifest.project.id !== id) throw new ArchiveError(`it is a backup of the project '${manifest.project.id}'`);
  });
}
