/** A file of an archive: what the manifest says of it, and whether it still is that file. Pure. */
import { createHash } from 'node:crypto';

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
