/** Reads an exported project from a folder, and compares each file with what the manifest says of it. */
import { createReadStream } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ArchiveError,
  MANIFEST,
  parseManifest,
  type ArchiveFile,
  type ArchivePart,
  type ArchiveReader,
  type Manifest,
  compareFile,
  FileMeasure,
} from '../../transfer/project/archive.js';

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

  async *read(file: ArchiveFile): AsyncGenerator<ArchivePart> {
    const measure = new FileMeasure();
    const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
    let rest = '';
    try {
      const path = await ownFile(this.folder, file.path);
      for await (const part of createReadStream(path, { highWaterMark: PART_BYTES })) {
        const read = part as Buffer;
        measure.add(read);
        const lines = utf8.decode(read, { stream: true }).split('\n');
        lines[0] = rest + (lines[0] ?? '');
        rest = lines.pop() ?? '';
        measure.records += lines.length;
        yield { lines, bytes: read.length };
      }
    } catch (error) {
      throw isMissing(error) ? new ArchiveError(`${file.path} is missing`) : error;
    }
    compareFile(file, measure.of(file.path));
  }
}

async function manifestText(folder: string): Promise<string> {
  try {
    return await readFile(await ownFile(folder, MANIFEST), 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ArchiveError(`${folder} has no ${MANIFEST}, so it is no export of a project, or one that was cut off`);
  }
}

/** The path of a file in the folder. @throws ArchiveError if a symbolic link leads to it, which may be a file of the host */
async function ownFile(folder: string, name: string): Promise<string> {
  const path = join(await realpath(folder), name);
  if ((await realpath(path)) !== path) throw new ArchiveError(`${name} is a symbolic link, or behind one`);
  return path;
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String((error as { code?: unknown }).code));
}
