/** Reads an exported project from a folder, and compares each file with what the manifest says of it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ArchiveError,
  parseManifest,
  type ArchiveFile,
  type ArchivePart,
  type ArchiveReader,
  type Manifest,
} from '../../transfer/project/archive.js';
import { MANIFEST } from './folder.writer.js';

/** Bytes that are read, and stored, at once. */
const PART_BYTES = 256 * 1024;

export class FolderReader implements ArchiveReader {
  private constructor(
    private readonly folder: string,
    readonly manifest: Manifest,
  ) {}

  /** @throws ArchiveError if it has no manifest that this release reads */
  static async open(folder: string): Promise<FolderReader> {
    return new FolderReader(folder, parseManifest(await manifestText(folder)));
  }

  async *read({ path, records, bytes, sha256 }: ArchiveFile): AsyncGenerator<ArchivePart> {
    const hash = createHash('sha256');
    const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
    let [size, count, rest] = [0, 0, ''];
    try {
      for await (const part of createReadStream(join(this.folder, path), { highWaterMark: PART_BYTES })) {
        const read = part as Buffer;
        hash.update(read);
        size += read.length;
        const lines = utf8.decode(read, { stream: true }).split('\n');
        lines[0] = rest + (lines[0] ?? '');
        rest = lines.pop() ?? '';
        count += lines.length;
        yield { lines, bytes: read.length };
      }
    } catch (error) {
      throw isMissing(error) ? new ArchiveError(`${path} is missing`) : error;
    }
    if (size < bytes) throw new ArchiveError(`${path} was cut off: it has ${size} bytes of ${bytes}`);
    if (size > bytes || count !== records || hash.digest('hex') !== sha256) {
      throw new ArchiveError(`${path} was altered after the export`);
    }
  }
}

async function manifestText(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ArchiveError(`${folder} has no ${MANIFEST}, so it is no export of a project, or one that was cut off`);
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String((error as { code?: unknown }).code));
}
