/** What a backup says of itself, and the names of the files in it. Pure. */
import { RELEASE } from '../../config/release.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { isPlainObject } from '../../shared/json.js';
import { ArchiveError, refuseNewer, type ArchiveOrigin } from '../../transfer/project/archive.js';
import { isProjectId, ORIGIN_FIELDS, strangeField } from '../../transfer/project/manifest-fields.js';

const FORMAT = 'kind-backup';
/** Raise it if releases before this one can't read what it writes. */
const FORMAT_VERSION = 1;

/** The name of one part of a file: `kinds/book/000001.ndjson`. */
export function partName(path: string, number: number): string {
  return path.replace(/\.ndjson$/, `/${String(number).padStart(6, '0')}.ndjson`);
}

/** The file that a part belongs to; undefined for any other name. */
export function pathOfPart(name: string): string | undefined {
  const [, path] = /^(.+)\/\d{6,}\.ndjson$/.exec(name) ?? [];
  return path === undefined ? undefined : `${path}.ndjson`;
}

export interface Header extends ArchiveOrigin {
  /** The id of the project. */
  readonly project: string;
}

export function headerOf(project: string): string {
  const header: Header = { version: FORMAT_VERSION, release: RELEASE, built_in: BUILT_IN_VERSION, project };
  return JSON.stringify({ format: FORMAT, ...header });
}

/** @throws ArchiveError if it is that of no backup, or of a newer release */
export function parseHeader(text: string): Header {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isPlainObject(value) || value.format !== FORMAT) throw noBackup();
  const strange = strangeField(value, ORIGIN_FIELDS);
  if (strange !== undefined) throw noHeader(strange);
  const header = value as unknown as Header;
  refuseNewer(header, FORMAT_VERSION);
  if (!isProjectId(header.project)) throw noHeader('project');
  return header;
}

function noHeader(field: string): ArchiveError {
  return new ArchiveError(`its header was altered: '${field}' is not what a backup has there`);
}

export function noBackup(): ArchiveError {
  return new ArchiveError('it is no backup of a project, which `project backup` makes');
}

export function altered(): ArchiveError {
  return new ArchiveError('it was altered after it was written');
}
