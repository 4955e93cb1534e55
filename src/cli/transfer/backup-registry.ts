/** The registry in a folder of backups: what it says of each project, and its file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELEASE } from '../../config/release.js';
import type { ProjectRow } from '../../database/registry/project.repository.js';
import type { AccessDefault } from '../../model/access-levels.js';
import { isPlainObject, parsedObject } from '../../shared/json.js';
import { ArchiveError } from '../../transfer/project/archive.js';
import { isProjectId } from '../../transfer/project/manifest-fields.js';
import { writeWhole } from './archive-folder.js';

export const REGISTRY = 'registry.json';
const FORMAT = 'kind-registry';
/** Raise it if releases before this one can't read what it writes. */
const FORMAT_VERSION = 1;

export interface RegisteredProject {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly settings: object;
  readonly access_default: AccessDefault | null;
  readonly inserted_at: string;
  /** In the folder; null for a project that is being deleted. */
  readonly file: string | null;
}

/** The file of a project in the folder. */
export function backupName(id: string): string {
  return `${id}.tar.gz`;
}

export function registeredProject(
  { id, label, status, settings, insertedAt }: ProjectRow,
  file: string | null,
  accessDefault: AccessDefault | null,
): RegisteredProject {
  return { id, label, status, settings, access_default: accessDefault, inserted_at: insertedAt, file };
}

/** The ids of projects that are being deleted. */
export function withoutBackup(projects: readonly RegisteredProject[]): string[] {
  return projects.filter(({ file }) => file === null).map(({ id }) => id);
}

export function writeRegistry(folder: string, projects: readonly RegisteredProject[]): Promise<void> {
  const registry = { format: FORMAT, version: FORMAT_VERSION, release: RELEASE, projects };
  return writeWhole(join(folder, REGISTRY), `${JSON.stringify(registry, null, 2)}\n`);
}

/** @throws ArchiveError */
export async function readRegistry(folder: string): Promise<readonly RegisteredProject[]> {
  const file = join(folder, REGISTRY);
  const text = await readFile(file, 'utf8').catch(() => {
    throw new ArchiveError(
      `there is no ${file}, which \`backup --all\` writes last: restore single files with \`project restore <file>\``,
    );
  });
  const { version, release, projects } = parsed(text, file);
  if (Number(version) > FORMAT_VERSION) {
    throw new ArchiveError(
      `${file} was written by release ${String(release)}, which is newer than this one (${RELEASE})`,
    );
  }
  if (!Array.isArray(projects) || !projects.every(isRegistered)) throw noRegistry(file);
  return projects;
}

function parsed(text: string, file: string): Record<string, unknown> {
  const value = parsedObject(text);
  if (value?.['format'] !== FORMAT) throw noRegistry(file);
  return value;
}

function isRegistered(value: unknown): value is RegisteredProject {
  if (!isPlainObject(value)) return false;
  const { id, inserted_at: insertedAt, file } = value;
  return isProjectId(id) && typeof insertedAt === 'string' && (file === null || file === backupName(String(id)));
}

function noRegistry(file: string): ArchiveError {
  return new ArchiveError(`${file} is not as \`backup --all\` wrote it`);
}
