/**
 * A whole project as files, wherever they are: one file of lines for each kind and link type, of a backup also for each history, and a manifest, which is
 * written last, so that an archive without one is not complete. Pure.
 */
import { createHash } from 'node:crypto';
import { RELEASE } from '../../config/release.js';
import type { ProjectSettings } from '../../database/entities/project.entity.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import type { AccessDefault } from '../../model/access-levels.js';
import { parsedObject } from '../../shared/json.js';
import type { LineSink } from '../file/cursor-lines.js';
import { ORIGIN_FIELDS, strangeField, strangeManifestField } from './manifest-fields.js';

export interface ArchiveFile {
  /** Such as `kinds/book.ndjson`. */
  readonly path: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** An archive that can't be read or stored. The text is for the operator. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

export function altered(): ArchiveError {
  return new ArchiveError('it was altered after it was written');
}

/** Measures a file while it is written or read. */
export class FileMeasure {
  records = 0;
  #bytes = 0;
  readonly #hash = createHash('sha256');

  add(content: string | Buffer): void {
    this.#bytes += Buffer.byteLength(content);
    this.#hash.update(content);
  }

  /** Call it once, at the end. */
  of(path: string): ArchiveFile {
    return { path, records: this.records, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/** @throws ArchiveError if what was read is not the file that was written */
export function compareFile({ path, records, bytes, sha256 }: ArchiveFile, read: ArchiveFile): void {
  if (read.bytes < bytes) throw new ArchiveError(`${path} was cut off: it has ${read.bytes} bytes of ${bytes}`);
  if (read.bytes > bytes || read.records !== records || read.sha256 !== sha256) {
    throw new ArchiveError(`${path} was altered after it was written`);
  }
}

const FORMAT = 'kind-project';
/** Raise it if this release can't read what an earlier one wrote. */
const FORMAT_VERSION = 1;

/** The last file that is written. */
export const MANIFEST = 'manifest.json';

/** The paths of files, so that none leads out of the archive. */
const PATH = /^(?:(?:definitions|kinds|links|history)\/[a-z][a-z0-9_]*\.ndjson|files\/[0-9a-f-]{36})$/;

const CONTENTS = 'files/';

/** The path of the content of a file. */
export function contentPath(file: string): string {
  return CONTENTS + file;
}

/** Whether it is the content of a file, and not lines. */
export function isContent(path: string): boolean {
  return path.startsWith(CONTENTS);
}

/** The id of the file that a content is of. */
export function fileOfContent(path: string): string {
  return path.slice(CONTENTS.length);
}

/** What an archive is of. */
interface ArchiveContents {
  /** The version of the built-in kinds that the files fit. */
  readonly built_in: number;
  /** When it was as it is in the archive, by the clock of the database. */
  readonly exported_at: string;
  readonly project: {
    readonly id: string;
    readonly label: string;
    readonly settings: ProjectSettings;
    readonly access_default: AccessDefault;
    /** Since when it verifies addresses; archives of releases that did not lack it. */
    readonly verifies_since?: string;
  };
  /** Whether the hashes of the members' passwords, and their API keys, are in it. */
  readonly passwords: boolean;
  readonly files: readonly ArchiveFile[];
  /** Set if it is a backup, with passwords, from which a project can be made again as it was. */
  readonly backup?: BackupContents;
}

/** What a backup has and an export has not. */
interface BackupContents {
  /** When the project was made. */
  readonly inserted_at: string;
  readonly model_version: number;
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
  /** Called before the first file, with the moment that the archive is of, by the clock of the database. */
  begin?(time: string): void;
  open(path: string): Promise<ArchiveFileWriter>;
  /** Writes the content of a file. */
  content(path: string, bytes: number, content: AsyncIterable<Buffer>): Promise<ArchiveFile>;
  /** Writes the manifest, which makes the archive complete. */
  finish(manifest: Manifest): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

export interface ArchiveFileWriter extends LineSink {
  close(): Promise<ArchiveFile>;
}

/** @param bytes of the files so far */
export type OnProgress = (bytes: number, records: number) => void;

export function manifestOf(contents: ArchiveContents): Manifest {
  const manifest = { format: FORMAT, version: FORMAT_VERSION, release: RELEASE, ...contents } as const;
  return { ...manifest, sha256: checksum(manifest) };
}

/** @throws ArchiveError if it is no manifest, was altered, or is of a newer release */
export function parseManifest(text: string): Manifest {
  const manifest = parsed(text);
  const { sha256, ...rest } = manifest;
  if (checksum(rest) !== sha256) throw new ArchiveError('manifest.json was altered');
  const strange = manifest.files.find(({ path }) => !PATH.test(path));
  if (strange) throw new ArchiveError(`manifest.json names a file that no export has: ${JSON.stringify(strange.path)}`);
  const paths = new Set<string>();
  for (const { path } of manifest.files) {
    if (paths.size === paths.add(path).size) throw new ArchiveError(`manifest.json names a file twice: ${path}`);
  }
  return manifest;
}

function parsed(text: string): Manifest {
  const value = parsedObject(text);
  if (value?.['format'] !== FORMAT) throw noManifest('');
  const strange = strangeField(value, ORIGIN_FIELDS);
  if (strange !== undefined) throw noManifest(strange);
  // A newer one may have other fields.
  refuseNewer(value as unknown as Manifest, FORMAT_VERSION);
  const other = strangeManifestField(value);
  if (other !== undefined) throw noManifest(other);
  return value as unknown as Manifest;
}

/** @param field the name of the one that is no such field */
function noManifest(field: string): ArchiveError {
  const why = field === '' ? '' : `: '${field}' is not what an export has there`;
  return new ArchiveError(`${MANIFEST} is not the manifest of an exported project${why}`);
}

/** Who wrote an archive. */
export interface ArchiveOrigin {
  /** Of the format. */
  readonly version: number;
  readonly release: string;
  readonly built_in: number;
}

/** @param newest the newest version of the format that this release reads @throws ArchiveError */
export function refuseNewer({ version, built_in: builtIn, release }: ArchiveOrigin, newest: number): void {
  if (version <= newest && !(builtIn > BUILT_IN_VERSION)) return;
  throw new ArchiveError(
    `it was written by release ${release}, which is newer than this one (${RELEASE}): use that release, or a later one`,
  );
}

/** Does not depend on the order of the fields. */
function checksum(manifest: object): string {
  const sorted = Object.entries(manifest).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
