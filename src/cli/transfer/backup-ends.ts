/**
 * The two ends of a backup, which can be read without unpacking it: empty members of gzip, as the standard has them, with
 * a comment. The first tells what the file is, the last has the SHA-256 of all bytes before it. Programs that unpack the
 * file pass over both.
 */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { RELEASE } from '../../config/release.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { parsedObject } from '../../shared/json.js';
import { altered, ArchiveError, refuseNewer, type ArchiveOrigin } from '../../transfer/project/archive.js';
import { isProjectId, ORIGIN_FIELDS, strangeField } from '../../transfer/project/manifest-fields.js';

const FORMAT = 'kind-backup';
/** Raise it if releases before this one can't read what it writes. */
const FORMAT_VERSION = 1;

/** gzip, deflate, with a comment; of no time and no particular system. */
const HEAD = Buffer.from([0x1f, 0x8b, 0x08, 0x10, 0, 0, 0, 0, 0, 0xff]);
/** The end of the comment, no data, and the checksum and length of that. */
const TAIL = Buffer.from([0, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

const HASH_NAME = 'sha256=';
const HASH_CHARACTERS = 64;
const LAST_BYTES = HEAD.length + HASH_NAME.length + HASH_CHARACTERS + TAIL.length;
/** The most that the first member may have. */
const FIRST_BYTES = 1024;

/** @param comment in ASCII */
function emptyMember(comment: string): Buffer {
  return Buffer.concat([HEAD, Buffer.from(comment), TAIL]);
}

/** Adds the ends to the bytes between them. */
export async function* withEnds(first: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const before = emptyMember(first);
  hash.update(before);
  yield before;
  for await (const part of source) {
    hash.update(part);
    yield part;
  }
  yield emptyMember(HASH_NAME + hash.digest('hex'));
}

/** Passes the bytes of a file on, without the last end. @throws ArchiveError at the end if that is of other bytes */
export async function* withoutLastEnd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let last = Buffer.alloc(0);
  for await (const part of source) {
    const all = Buffer.concat([last, part]);
    const bytes = all.subarray(0, Math.max(0, all.length - LAST_BYTES));
    last = all.subarray(bytes.length);
    hash.update(bytes);
    yield bytes;
  }
  if (!last.equals(emptyMember(HASH_NAME + hash.digest('hex')))) throw altered();
}

/**
 * Looks at the ends alone, so that a large file is refused at once that is no backup, of a newer release, or cut off.
 * @throws ArchiveError
 */
export async function checkBackupEnds(path: string): Promise<Header> {
  const file = await open(path);
  try {
    const header = await readFirst(file);
    const { size } = await file.stat();
    const last = await bytesAt(file, size - LAST_BYTES, LAST_BYTES);
    const hash = last.subarray(HEAD.length + HASH_NAME.length, -TAIL.length).toString('latin1');
    if (!last.equals(emptyMember(HASH_NAME + hash))) {
      throw new ArchiveError('it was cut off, or written over: its last bytes are not those of a backup');
    }
    return header;
  } finally {
    await file.close();
  }
}

async function readFirst(file: FileHandle): Promise<Header> {
  const first = await bytesAt(file, 0, FIRST_BYTES);
  const end = first.indexOf(0, HEAD.length);
  if (end < 0 || !first.subarray(0, HEAD.length).equals(HEAD)) throw noBackup();
  return parseHeader(first.subarray(HEAD.length, end).toString('latin1'));
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, position));
  return buffer.subarray(0, bytesRead);
}

interface Header extends ArchiveOrigin {
  /** The id of the project. */
  readonly project: string;
}

export function headerOf(project: string): string {
  const header: Header = { version: FORMAT_VERSION, release: RELEASE, built_in: BUILT_IN_VERSION, project };
  return JSON.stringify({ format: FORMAT, ...header });
}

/** @throws ArchiveError if it is that of no backup, or of a newer release */
function parseHeader(text: string): Header {
  const value = parsedObject(text);
  if (value?.['format'] !== FORMAT) throw noBackup();
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

function noBackup(): ArchiveError {
  return new ArchiveError('it is no backup of a project, which `project backup` makes');
}
