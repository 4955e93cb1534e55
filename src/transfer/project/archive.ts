/**
 * A whole project as files, wherever they are: one file of lines for each kind and link type, and a manifest, which is
 * written last, so that an archive without one is not complete. Pure.
 */
import { createHash } from 'node:crypto';
import { RELEASE } from '../../config/release.js';
import type { ProjectSettings } from '../../database/entities/project.entity.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import type { AccessDefault } from '../../model/parameter-type/parameter-settings.js';
import { isPlainObject } from '../../shared/json.js';
import type { LineSink } from '../file/cursor-lines.js';

const FORMAT = 'kind-project';
/** Raise it if this release can't read what an earlier one wrote. */
const FORMAT_VERSION = 1;

/** The paths of files, so that none leads out of the archive. */
const PATH = /^(?:definitions|kinds|links)\/[a-z][a-z0-9_]*\.ndjson$/;

/** A file of an archive. */
export interface ArchiveFile {
  /** Such as `kinds/book.ndjson`. */
  readonly path: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** What an archive is of. */
export interface ArchiveContents {
  /** The version of the built-in kinds that the files fit. */
  readonly built_in: number;
  readonly exported_at: string;
  readonly project: {
    readonly id: string;
    readonly label: string;
    readonly settings: ProjectSettings;
    readonly access_default: AccessDefault;
  };
  /** Whether the hashes of the members' passwords, and their API keys, are in it. */
  readonly passwords: boolean;
  readonly files: readonly ArchiveFile[];
}

export interface Manifest extends ArchiveContents {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** The release of the service that wrote it. */
  readonly release: string;
  /** Of the manifest without this field. */
  readonly sha256: string;
}

/** Writes the files of an archive, one after the other. */
export interface ArchiveWriter {
  open(path: string): Promise<ArchiveFileWriter>;
  /** Writes the manifest, which makes the archive complete. */
  finish(manifest: Manifest): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

export interface ArchiveFileWriter extends LineSink {
  close(): Promise<ArchiveFile>;
}

export interface ArchiveReader {
  readonly manifest: Manifest;
  /** The lines of a file, some at a time. @throws ArchiveError at the end if it is not the file that was written */
  read(file: ArchiveFile): AsyncIterable<ArchivePart>;
}

export interface ArchivePart {
  readonly lines: readonly string[];
  readonly bytes: number;
}

/** An archive that can't be read or stored. The text is for the operator. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

export function manifestOf(contents: ArchiveContents): Manifest {
  const manifest = { format: FORMAT, version: FORMAT_VERSION, release: RELEASE, ...contents } as const;
  return { ...manifest, sha256: checksum(manifest) };
}

/** @throws ArchiveError if it is no manifest, was altered, or is of a newer release */
export function parseManifest(text: string): Manifest {
  const manifest = parsed(text);
  const { version, release, sha256, ...rest } = manifest;
  if (!(version <= FORMAT_VERSION)) throw newerRelease(release);
  if (checksum({ ...rest, version, release }) !== sha256) throw new ArchiveError('manifest.json was altered');
  if (manifest.built_in > BUILT_IN_VERSION) throw newerRelease(release);
  const strange = manifest.files.find(({ path }) => !PATH.test(path));
  if (strange) throw new ArchiveError(`manifest.json names a file that no export has: ${strange.path}`);
  return manifest;
}

function parsed(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isPlainObject(value) && value.format === FORMAT) return value as unknown as Manifest;
  throw new ArchiveError('manifest.json is not the manifest of an exported project');
}

function newerRelease(release: unknown): ArchiveError {
  return new ArchiveError(
    `the export was written by release ${String(release)}, which is newer than this one (${RELEASE}): import it with that release`,
  );
}

/** Does not depend on the order of the fields. */
function checksum(manifest: object): string {
  const sorted = Object.entries(manifest).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
