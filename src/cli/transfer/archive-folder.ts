/** An archive as a folder: an export of a project, which can be read and edited. Only its owner may read it. */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArchiveError, isContent, MANIFEST, parseManifest, type Manifest } from '../../transfer/project/archive.js';
import type { ArchiveEntry, EntrySource } from '../../transfer/project/archive.reader.js';
import type { EntrySink } from '../../transfer/project/archive.writer.js';
import { writeFailure } from './file-output.js';

/** Bytes that are read, and stored, at once. */
const PART_BYTES = 256 * 1024;
const LINE_END = 0x0a;

export class FolderSource implements EntrySource {
  private constructor(
    private readonly folder: string,
    private readonly text: string,
    readonly manifest: Manifest,
  ) {}

  /** @throws ArchiveError if it has no manifest that this release reads */
  static async open(folder: string): Promise<FolderSource> {
    const text = await manifestText(folder);
    return new FolderSource(folder, text, parseManifest(text));
  }

  async *entries(onRead: (bytes: number) => void = () => undefined): AsyncGenerator<ArchiveEntry> {
    let bytes = 0;
    for (const { path } of this.manifest.files) {
      for await (const content of this.#partsOf(path)) {
        bytes += content.length;
        onRead(bytes);
        yield { path, content };
      }
    }
    yield { path: MANIFEST, content: Buffer.from(this.text) };
  }

  /** Each ends with a line, except for what is left of a file that was cut off. */
  async *#partsOf(name: string): AsyncGenerator<Buffer> {
    const rest: Buffer[] = [];
    try {
      const path = await ownFile(this.folder, name);
      for await (const part of createReadStream(path, { highWaterMark: PART_BYTES })) {
        const read = part as Buffer;
        if (isContent(name)) {
          yield read;
          continue;
        }
        const end = read.lastIndexOf(LINE_END) + 1;
        if (end > 0) yield Buffer.concat([...rest.splice(0), read.subarray(0, end)]);
        if (end < read.length) rest.push(read.subarray(end));
      }
    } catch (error) {
      throw isMissing(error) ? new ArchiveError(`${name} is missing`) : error;
    }
    if (rest.length > 0) yield Buffer.concat(rest);
  }
}

async function manifestText(folder: string): Promise<string> {
  try {
    return await readFile(await ownFile(folder, MANIFEST), 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (codeOf(error) === 'ENOTDIR')
      throw new ArchiveError(`${folder} is a file: name the kind of its units before it`);
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
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}

export class FolderSink implements EntrySink {
  readonly #written = new Set<string>();
  #open: { readonly file: string; readonly handle: FileHandle } | undefined;

  private constructor(private readonly folder: string) {}

  /** @throws ArchiveError if there is something in the folder */
  static async create(folder: string): Promise<FolderSink> {
    await makeEmptyFolder(folder);
    return new FolderSink(folder);
  }

  async open(path: string): Promise<void> {
    const file = join(this.folder, path);
    this.#written.add(path.split('/')[0] ?? path);
    await named(file, async () => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      this.#open = { file, handle: await open(file, 'wx', 0o600) };
    });
  }

  async put(_path: string, _part: number, text: string): Promise<void> {
    const { file, handle } = this.#openFile;
    await named(file, () => handle.appendFile(text));
  }

  async content(path: string, _bytes: number, content: AsyncIterable<Buffer>): Promise<void> {
    await this.open(path);
    const { file, handle } = this.#openFile;
    for await (const piece of content) await named(file, () => handle.appendFile(piece));
    await this.close();
  }

  async close(): Promise<void> {
    const { file, handle } = this.#openFile;
    await named(file, async () => {
      await handle.sync();
      await handle.close();
    });
    this.#open = undefined;
  }

  finish(manifest: string): Promise<void> {
    return writeWhole(join(this.folder, MANIFEST), manifest);
  }

  /** The folder stays, empty. */
  async discard(): Promise<void> {
    await this.#open?.handle.close().catch(() => undefined);
    for (const name of [...this.#written, `${MANIFEST}.part`]) {
      await rm(join(this.folder, name), { recursive: true, force: true });
    }
  }

  get #openFile() {
    if (!this.#open) throw new Error('a part belongs to a file that was opened');
    return this.#open;
  }
}

/** Names the file in an error, which could be taken for one of the database. */
async function named(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw writeFailure(file, error);
  }
}

/** Only its owner may read it. @throws ArchiveError if there is something in the folder */
export async function makeEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new ArchiveError(`the folder ${folder} is not empty`);
}

/** The file has its name when it is complete. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text, { mode: 0o600, flush: true });
  await rename(`${file}.part`, file);
}
